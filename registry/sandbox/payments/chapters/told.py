"""Chapters that are data: a file lists their objects by kind and key, each with what differs from its declared shape.

``made`` is when an object came into being, ``id`` its id where that is not derived from its key, and what stands under ``*``
holds for every object of the kind that says nothing else. Where ``=`` names columns, an object is an array of their values,
null where nothing is said, with what else it has behind them. Within a text, braces say what this world puts there:

``{now-30d+2h}``        a moment, counted from the one at which the world is made; ``{midnight-3d}`` from the start of its day
``{date now-30d}``      the calendar date of a moment, in UTC
``{year+2}``            a calendar year, counted from the present one
``{product/hub}``       the id of the object of a kind that goes by a key; ``{cs_test_:checkout.session/x}`` with another prefix
``{back product/hub}``  that id without its prefix, from its end to its start, as secrets have it
``{token 24 x}``        24 letters and digits that stand for ``x``; the same with ``capitals``, ``digits``, ``hexadecimal``
``{uuid x}``            a UUID that stands for ``x``
``{key}``               the object's own key

A text that is nothing but a moment or a year is a number; braces around capitals stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.json import Encoder

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.parts import midnight, year_of
from registry.sandbox.payments.naming import Names, names
from registry.sandbox.world import DAY, HOUR, MINUTE, World

_BRACES = re.compile(r'"\{((?:now|midnight|year)(?:[+-][^{}"]*)?)\}"|\{([a-z][^{}]*)\}')
_STEP = re.compile(r"([+-]\d+)([dhms])")
_SECONDS = {"d": DAY, "h": HOUR, "m": MINUTE, "s": 1}

Told = dict[str, dict[str, Any]]


class One(NamedTuple):
    """An object as a file tells of it: its key, its id, when it was made (Unix seconds), and its fields."""

    key: str
    id: str
    made: int
    fields: dict[str, Any]


def chapter(name: str) -> Callable[[Builder], None]:
    """Writes the objects of a file."""

    def write(builder: Builder) -> None:
        for kind in _file(name):
            for one in objects(builder.world, name, kind):
                builder.new(kind, one.key, one.made, id=one.id, **one.fields)

    return write


def objects(world: World, name: str, kind: str, only: tuple[str, ...] | None = None) -> Iterator[One]:
    """The objects of a kind in a file, in its order, with all their fields or with those that are asked for."""
    named = names(world)
    for key, text in _texts(name, kind, only).items():
        fields = json.loads(_BRACES.sub(_Say(world, key, named).braces, text))
        made = fields.pop("made")
        id_ = fields.pop("id") if "id" in fields else named(kind, key)
        yield One(key, id_, made, fields)


@cache
def listed(name: str, kind: str) -> Mapping[str, dict[str, Any]]:
    """What a file says of the objects of a kind, by key, with its braces."""
    told = dict(_file(name)[kind])
    common, columns = told.pop("*", {}), told.pop("=", [])
    return {key: common | (_of_columns(columns, one) if isinstance(one, list) else one) for key, one in told.items()}


def _of_columns(columns: list[str], row: list[Any]) -> dict[str, Any]:
    fields = {name: one for name, one in zip(columns, row, strict=False) if one is not None}
    return fields | row[len(columns)] if len(row) > len(columns) else fields


@cache
def _file(name: str) -> Told:
    told: Told = json.loads((Path(__file__).parent / "data" / f"{name}.json").read_text("utf-8"))
    return told


@cache
def _texts(name: str, kind: str, only: tuple[str, ...] | None) -> Mapping[str, str]:
    """What `listed` gives as JSON: the braces of an object are looked for in its text at once."""
    wanted = None if only is None else {"made", *only}
    encode = Encoder().encode
    return {
        key: encode({name: one for name, one in fields.items() if wanted is None or name in wanted}).decode()
        for key, fields in listed(name, kind).items()
    }


class _Say(NamedTuple):
    """What the braces of one object stand for."""

    world: World
    key: str
    names: Names

    def braces(self, found: re.Match[str]) -> str:
        number, text = found.groups()
        return str(self._number(number)) if number else self._text(text)

    def _number(self, said: str) -> int:
        if said.startswith("year"):
            return year_of(self.world.now) + int(said.removeprefix("year") or 0)
        start = midnight(self.world.now) if said.startswith("midnight") else self.world.now
        return start + sum(int(number) * _SECONDS[unit] for number, unit in _STEP.findall(said))

    def _text(self, said: str) -> str:
        if said == "key":
            return self.key
        word, _, rest = said.partition(" ")
        match word:
            case "date":
                return datetime.fromtimestamp(self._number(rest), UTC).date().isoformat()
            case "back":
                return self._id(rest).rpartition("_")[2][::-1]
            case "uuid":
                return self.world.uuid(rest)
            case "capitals" | "digits" | "hexadecimal" | "token":
                length, _, name = rest.partition(" ")
                spelled: str = getattr(self.world, word)(name, int(length))
                return spelled
        return self._id(said)

    def _id(self, said: str) -> str:
        kind, _, key = said.partition("/")
        prefix, colon, kind = kind.rpartition(":")
        return self.names(kind, key, prefix) if colon else self.names(kind, key)
