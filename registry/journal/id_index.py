"""The ids of objects in a response, each with its type and a label, for the completion of id fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from registry.catalog.model import Tool
from registry.journal.store import storable
from registry.json_text.reading import NotJson, read_json
from registry.references.knowledge import knowledge
from registry.references.naming import ELEMENT, Branch, JsonLocation, Value, named

_MOST, _LONGEST, _LONGEST_LABEL, _DEEPEST = 400, 1_000_000, 120, 40
_NAMES = ("name", "summary", "title", "email", "nickname", "number", "description")


class SeenId(NamedTuple):
    """One object: its type, its id, and its names joined by a dot; empty if the response has no names."""

    type: str
    id: str
    label: str


class SeenObject(NamedTuple):
    """An object from a response: account, toolkit, type, id, and label; the label is empty if the response had no names."""

    connection: str
    toolkit: str
    type: str
    id: str
    label: str


def ids_in(body: bytes, tool: Tool) -> list[SeenId]:
    """The objects in a response, each once; at most a few hundred, and none from a very large response."""
    try:
        parsed = read_json(body) if len(body) <= _LONGEST else None
    except NotJson:
        return []
    known = knowledge(tool.toolkit)
    found: dict[tuple[str, str], str] = {}
    for place in _places("", parsed, (), 0):
        for one in named(place, tool, known):
            if one.id is not None and len(one.id) <= _LONGEST_LABEL:
                label = _label(place.value) if one.own else ""
                found[one.type, one.id] = label or found.get((one.type, one.id), "")
        if len(found) >= _MOST:
            break
    return [SeenId(storable(type_), storable(id_), storable(label)) for (type_, id_), label in found.items()]


def _places(step: str, value: Any, around: tuple[Branch, ...], depth: int) -> Iterator[JsonLocation]:
    """Every object and every text of a response, outer ones first."""
    if isinstance(value, str):
        yield JsonLocation(step, value, around)
    elif isinstance(value, dict | list) and depth <= _DEEPEST:
        members = _members(value) if isinstance(value, dict) else {}
        if isinstance(value, dict) and isinstance(value.get("id"), str):
            yield JsonLocation(step, members, around)
        inside = (Branch(step, members), *around)
        for name, member in value.items() if isinstance(value, dict) else ((ELEMENT, one) for one in value):
            if name != "id":
                yield from _places(name, member, inside, depth + 1)


def _members(value: dict[str, Any]) -> dict[str, Value]:
    """An object's scalar properties, and the scalar properties of the objects in it."""

    def inner(member: Any) -> Value:
        return (
            {key: one for key, one in member.items() if not isinstance(one, dict | list)}
            if isinstance(member, dict)
            else member
        )

    return {name: inner(member) for name, member in value.items() if not isinstance(member, list)}


def _label(members: Value) -> str:
    if not isinstance(members, Mapping):
        return ""
    names = (str(members[name]) for name in _NAMES if isinstance(members.get(name), str) and members[name])
    return " · ".join(dict.fromkeys(names))[:_LONGEST_LABEL]
