"""Locations in a response that is in memory."""

from collections.abc import Iterator
from typing import Any

from registry.references.naming import ELEMENT, Branch, JsonLocation, Members, Value


def locations(response: Any) -> Iterator[JsonLocation]:
    """Every location in a response, the whole response first."""
    yield from _below("", response, ())


def at(response: Any, *path: str | int) -> JsonLocation:
    """The location at a path of names and positions."""
    around: tuple[Branch, ...] = ()
    step = ""
    for one in path:
        around = (Branch(step, _members(response)), *around)
        step = ELEMENT if isinstance(one, int) else one
        response = response[one]
    return JsonLocation(step, _members(response) if isinstance(response, dict | list) else response, around)


def _below(step: str, value: Any, around: tuple[Branch, ...]) -> Iterator[JsonLocation]:
    if not isinstance(value, dict | list):
        yield JsonLocation(step, value, around)
        return
    members = _members(value)
    yield JsonLocation(step, members, around)
    outside = (Branch(step, members), *around)
    for name, one in value.items() if isinstance(value, dict) else ((ELEMENT, one) for one in value):
        yield from _below(name, one, outside)


def _members(value: Any) -> Members:
    if isinstance(value, list):
        return {}
    return {name: _scalars(one) for name, one in value.items() if not isinstance(one, list)}


def _scalars(value: Any) -> Value:
    if isinstance(value, dict):
        return {name: one for name, one in value.items() if not isinstance(one, dict | list)}
    assert value is None or isinstance(value, str | int | float)
    return value
