"""What the incident-management service asks of arguments taken together. Source: its rule on the window of incidents."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from registry.calling.rules import Problems, window_of
from registry.catalog.model import Tool

_LONGEST_WINDOW = timedelta(days=184)


def rules_across(tool: Tool, values: Mapping[str, object], _: Collection[str]) -> Problems:
    """A window of incidents is at most six months long."""
    window = window_of(tool, values)
    if window is None or "incident" not in tool.returns.objects:
        return
    since, until = window
    start, stop = (datetime.fromisoformat(str(values[parameter.name])) for parameter in window)
    if stop - start > _LONGEST_WINDOW:
        yield until.name, f"may be at most six months after `{since.name}`; ask for one half year after the other"
