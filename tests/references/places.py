"""Places in an answer that stands in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from registry.references.json_location import ELEMENT, Branch, JsonLocation, Members, Value


def places(answer: Any) -> Iterator[JsonLocation]:
    """Every place in an answer, the whole answer first."""
    yield from _below("", answer, ())


def at(answer: Any, *path: str | int) -> JsonLocation:
    """The place that a path of names and positions leads to."""
    around: tuple[Branch, ...] = ()
    step = ""
    for one in path:
        around = (Branch(step, _members(answer)), *around)
        step = ELEMENT if isinstance(one, int) else one
        answer = answer[one]
    return JsonLocation(step, _members(answer) if isinstance(answer, dict | list) else answer, around)


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
