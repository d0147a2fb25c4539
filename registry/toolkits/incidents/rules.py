"""The incident-management service's rules across arguments. Source: it lists incidents of at most six months."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import ceil

from registry.calling.arguments import window_of
from registry.catalog.model import Parameter, Tool

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


def composition(tool: Tool, values: Mapping[str, object]) -> str | None:
    """The function that lists incidents of more than six months, which one request cannot."""
    return "list_incidents" if len(windows(tool, values)) > 1 else None


def windows(tool: Tool, values: Mapping[str, object]) -> list[dict[str, str]]:
    """The windows of at most six months that make up a longer one, the oldest first, as arguments."""
    window = _window_of_incidents(tool)
    if window is None or not all(one.name in values for one in window):
        return []
    start, end = (datetime.fromisoformat(str(values[one.name])) for one in window)
    edges = [start + number * _WIDEST for number in range(ceil((end - start) / _WIDEST))] + [end]
    return [{one.name: _text(edge) for one, edge in zip(window, pair, strict=True)} for pair in pairwise(edges)]


def _window_of_incidents(tool: Tool) -> tuple[Parameter, Parameter] | None:
    return window_of(tool) if "incident" in tool.returns.objects else None


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
