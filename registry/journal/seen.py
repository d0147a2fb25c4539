"""The objects in a response, each with its type and its label, for the history, the completion of ids, and searches by name."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from registry.catalog.model import Tool
from registry.journal.store import storable
from registry.json_text import NotJson, read_json
from registry.references.knowledge import knowledge
from registry.references.naming import ELEMENT, Branch, JsonLocation, named, text_of

_MOST_IDS, _LONGEST_INDEXED, _LONGEST_LABEL, _DEEPEST = 400, 1_000_000, 120, 40
_NAMES = ("name", "summary", "title", "email", "nickname", "number", "description")


class SeenObject(NamedTuple):
    """An object from a response: its type, its id, its names joined by a dot (or empty); from the history also where it was."""

    type: str
    id: str
    label: str
    connection: str = ""
    toolkit: str = ""


def ids_in(body: bytes, tool: Tool) -> list[SeenObject]:
    """The objects in a response, each once; at most a few hundred, and none from a very large response."""
    try:
        parsed = read_json(body) if len(body) <= _LONGEST_INDEXED else None
    except NotJson:
        return []
    known = knowledge(tool.toolkit)
    found: dict[tuple[str, str], str] = {}
    for place in _places("", parsed, ()):
        members = place.value if isinstance(place.value, Mapping) else {}
        names = (str(members[name]) for name in _NAMES if isinstance(members.get(name), str) and members[name])
        label = " · ".join(dict.fromkeys(names))[:_LONGEST_LABEL]
        for one in named(place, tool, known):
            if one.id is not None and len(one.id) <= _LONGEST_LABEL:
                found[one.type, one.id] = (label if one.own else "") or found.get((one.type, one.id), "")
        if len(found) >= _MOST_IDS:
            break
    return [SeenObject(storable(type_), storable(id_), storable(label)) for (type_, id_), label in found.items()]


def _places(step: str, value: Any, around: tuple[Branch, ...]) -> Iterator[JsonLocation]:
    """Every object with an id, text and whole number of a response, outer ones first."""
    if isinstance(value, str) or type(value) is int:
        yield JsonLocation(step, str(value), around)
    elif isinstance(value, dict | list) and len(around) <= _DEEPEST:
        members = value if isinstance(value, dict) else {}
        if text_of(members) is not None:
            yield JsonLocation(step, members, around)
        inside = (Branch(step, members), *around)
        for name, member in members.items() or ((ELEMENT, one) for one in value):
            if name != "id":
                yield from _places(name, member, inside)
