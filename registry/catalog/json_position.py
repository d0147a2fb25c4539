"""Finds where a value inside a JSON text begins."""

from __future__ import annotations

import json
import re
from bisect import bisect_left

Steps = tuple[str | int, ...]
"""A path inside a value: property names, and item indexes from 0."""

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_INDEX = re.compile(r"\[([0-9]{1,9})\]")
_DEEPEST = 40
"""Steps of a field that are followed. No rule of a toolkit names a deeper place."""


def place_inside(text: str, start: int, path: Steps) -> int:
    """The index where a value inside another one begins, in characters from 0.

    Args:
        text: valid JSON.
        start: where the outer value begins.
        path: the path to the inner one. If that does not exist, the result is for the innermost value that does.
    """
    return Positions(text).inside(start, path)


class Positions:
    """The positions of the values in a JSON text. Each object and list is read once, when it is needed."""

    def __init__(self, text: str) -> None:
        """Find nothing yet. The text must be valid JSON."""
        self._text = text
        self._inner: dict[int, dict[str | int, int]] = {}
        self._named: dict[int, dict[str, int]] = {}
        self._ends: list[int] = []
        self.start = _skip(text, 0)

    def line(self, at: int) -> int:
        """The line of an index, from 1."""
        if not self._ends:
            self._ends = [place for place, letter in enumerate(self._text) if letter == "\n"] or [len(self._text)]
        return bisect_left(self._ends, at) + 1

    def inside(self, start: int, path: Steps) -> int:
        """The index of the value with a path inside the value at `start`; of the innermost value on the way that exists."""
        here = start
        for step in path:
            found = self.within(here).get(step)
            if found is None:
                break
            here = found
        return here

    def of_field(self, start: int, field: str) -> int:
        """The index of a field inside the value at `start`, as messages name it: ``parameters.limit.help``, ``calls[2].tool``.

        The items of lists are named by their index, `name` or `id`. If there is no such field, the result is for the innermost
        value that exists: the object that lacks the field.
        """
        steps = _INDEX.sub(r".\1", field).split(".", _DEEPEST)
        here = start
        while steps:
            # A property's name may have dots: the longest one is meant.
            for count in range(len(steps), 0, -1):
                if (found := self._step(here, ".".join(steps[:count]))) is not None:
                    break
            else:
                break
            here, steps = found, steps[count:]
        return here

    def within(self, start: int) -> dict[str | int, int]:
        """The index of each property or item of the value at `start`; of properties with the same name, the last counts."""
        if (known := self._inner.get(start)) is not None:
            return known
        text, found = self._text, dict[str | int, int]()
        if (opening := text[start : start + 1]) in ("{", "["):
            at, number = _skip(text, start + 1), 0
            while text[at] not in "]}":
                name: str | int = number
                if opening == "{":
                    name, at = _DECODER.raw_decode(text, at)
                    at = _skip(text, _skip(text, at) + 1)  # after the colon
                found[name] = at
                _, at = _DECODER.raw_decode(text, at)
                at, number = _skip(text, at), number + 1
                if text[at] == ",":
                    at = _skip(text, at + 1)
        self._inner[start] = found
        return found

    def text_at(self, at: int) -> str | None:
        """The string at an index; None if the value there is not a string."""
        if self._text[at : at + 1] != '"':
            return None
        value = _DECODER.raw_decode(self._text, at)[0]
        return value if isinstance(value, str) else None

    def _step(self, here: int, name: str) -> int | None:
        """The value with a name directly inside the one at `here`; None if there is none."""
        within = self.within(here)
        if self._text[here : here + 1] == "[":
            return within[int(name)] if name.isascii() and name.isdigit() and int(name) in within else self._item(here, name)
        if name in within:
            return within[name]
        # Rules name a property of a parameter directly below the parameter.
        for key in ("properties", "branches"):
            if key in within and (item := self._item(within[key], name)) is not None:
                return item
        return within.get("items") if name == "item" else None

    def _item(self, start: int, name: str) -> int | None:
        """The first item of the list at `start` whose `name` or `id` is a name."""
        if start not in self._named:
            named: dict[str, int] = {}
            for at in self.within(start).values() if self._text[start : start + 1] == "[" else ():
                own = self.within(at)
                for key in ("name", "id"):
                    if key in own and (value := self.text_at(own[key])) is not None:
                        named.setdefault(value, at)
                        break
            self._named[start] = named
        return self._named[start].get(name)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
