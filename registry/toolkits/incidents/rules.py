"""The incident-management service's rules across arguments. Source: its rule on the window of incidents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

from registry.calling.rules import Problems, window_of
from registry.catalog.model import Tool

_LONGEST_WINDOW = timedelta(days=184)


def rules_across(tool: Tool, values: Mapping[str, object], _: Collection[str], now: float) -> Problems:
    """A window of incidents is at most six months long; without an end it lasts until now."""
    window = window_of(tool)
    if window is None or "incident" not in tool.returns.objects or window[0].name not in values:
        return
    since, until = window
    start = datetime.fromisoformat(str(values[since.name]))
    if until.name in values:
        if datetime.fromisoformat(str(values[until.name])) - start > _LONGEST_WINDOW:
            yield until.name, f"must be within six months of `{since.name}`; split the period into several calls"
    elif datetime.fromtimestamp(now, UTC) - start > _LONGEST_WINDOW:
        yield (
            since.name,
            f"is more than six months ago, and without `{until.name}` the period ends now; set `{until.name}` too",
        )
