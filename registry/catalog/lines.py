"""Finds the lines of mistakes in JSON files. A file without mistakes is not read a second time."""

from __future__ import annotations

import json
import re
from functools import cache, partial
from pathlib import Path

from registry.catalog.reading import Unreadable, content_of, of_files

Steps = tuple[str | int, ...]
"""A path inside a value: property names, and item indexes from 0."""

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_INDEX = re.compile(r"\[([0-9]{1,9})\]")
_DEEPEST = 40
"""Steps of a field that are followed. No rule of a toolkit names a deeper place."""


class Lines:
    """The lines of the fields in one JSON text, from 1; a line is 0 if it is not known."""

    def __init__(self, text: str) -> None:
        """Find nothing yet. The text must be valid JSON; each object and list in it is read once, when it is needed."""
        self._text = text
        self._within = cache(partial(_within, text))
        self._named: dict[int, dict[str, int]] = {}

    def of(self, field: str, inside: Steps = ()) -> int:
        """The line of a field in the value with a path; of the object that lacks it, if the field is missing.

        Messages name fields as ``parameters.limit.help`` or ``calls[2].tool``: the items of lists by index, `name` or `id`.
        """
        try:
            start = self.inside(_skip(self._text, 0), inside)
            return self._text.count("\n", 0, self._of_field(start, field)) + 1
        except (RecursionError, ValueError, IndexError):
            return 0

    def of_tool(self, name: str, field: str) -> int:
        """The line of a field of the last tool with a name in a file of tools."""
        text = self._text
        try:
            found = _skip(text, 0)
            for group in self._within(self.inside(_skip(text, 0), ("groups",))).values():
                for tool in self._within(self.inside(group, ("tools",))).values():
                    if _text_at(text, self.inside(tool, ("name",))) == name:
                        found = tool
            return text.count("\n", 0, self._of_field(found, field)) + 1
        except (RecursionError, ValueError, IndexError):
            return 0

    def inside(self, start: int, path: Steps) -> int:
        """The index where the value with a path inside the value at `start` begins, in characters from 0.

        If the path does not exist, the result is for the innermost value on it that does.
        """
        here = start
        for step in path:
            found = self._within(here).get(step)
            if found is None:
                break
            here = found
        return here

    def _of_field(self, start: int, field: str) -> int:
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

    def _step(self, here: int, name: str) -> int | None:
        """The value with a name directly inside the one at `here`; None if there is none."""
        within = self._within(here)
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
            named = self._named[start] = dict[str, int]()
            for at in self._within(start).values() if self._text[start : start + 1] == "[" else ():
                own = self._within(at)
                for key in ("name", "id"):
                    if key in own and (value := _text_at(self._text, own[key])) is not None:
                        named.setdefault(value, at)
        return self._named[start].get(name)


@of_files
def lines_of(path: Path) -> Lines:
    """The lines of a file; a file that cannot be read any more has none."""
    try:
        content = content_of(path)
        return Lines(content.decode(json.detect_encoding(content), "surrogatepass"))
    except (Unreadable, UnicodeError):
        return Lines("{}")


def _within(text: str, start: int) -> dict[str | int, int]:
    """The index of each property or item of the value at `start`; of properties with the same name, the last counts."""
    found: dict[str | int, int] = {}
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
    return found


def _text_at(text: str, at: int) -> str | None:
    """The string at an index; None if the value there is not a string."""
    return _DECODER.raw_decode(text, at)[0] if text[at : at + 1] == '"' else None


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
