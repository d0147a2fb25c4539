"""The incident-management service's rules across arguments. Source: its rule on the window of incidents."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

from registry.calling.arguments import Problems, window_of
from registry.catalog.model import Parameter, Tool

_LONGEST_WINDOW = timedelta(days=184)
# What is six months in every season.
_WIDEST = timedelta(days=180)


def inferred(tool: Tool, values: Mapping[str, object], now: float) -> dict[str, str]:
    """The other end of a window of incidents: without it the service covers a month from the one that it got."""
    since, until = _window_of_incidents(tool) or (None, None)
    if since is None or until is None or (since.name in values) == (until.name in values):
        return {}
    if since.name in values:
        return {until.name: _text(datetime.fromtimestamp(now, UTC))}
    return {since.name: _text(datetime.fromisoformat(str(values[until.name])) - _WIDEST)}


def rules_across(tool: Tool, values: Mapping[str, object], _: Collection[str], _now: float) -> Problems:
    """A window of incidents is at most six months long."""
    window = _window_of_incidents(tool)
    if window is None or not all(one.name in values for one in window):
        return
    since, until = window
    start, end = (datetime.fromisoformat(str(values[one.name])) for one in window)
    if end - start > _LONGEST_WINDOW:
        yield (
            since.name,
            f"must be within six months of `{until.name}`, or of now without it; "
            f"set {_text(end - _WIDEST)} for the last six months, and list those before in another call",
        )


def _window_of_incidents(tool: Tool) -> tuple[Parameter, Parameter] | None:
    return window_of(tool) if "incident" in tool.returns.objects else None


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
