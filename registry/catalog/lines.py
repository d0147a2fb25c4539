"""Finds the lines of mistakes in the JSON files of toolkits. A file without mistakes is not read a second time."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from registry.catalog.json_position import Positions, Steps
from registry.catalog.reading import Unreadable, content_of, of_files

LineOf = Callable[[int, str], int]
"""The line of a field in a tool, by the tool's number in a list, from 0; 0 if it is not known."""


class Lines:
    """The lines of the fields in one JSON text. A line is 0 if it is not known."""

    def __init__(self, content: bytes) -> None:
        """Take the content of a file, which must be valid JSON."""
        self._positions = Positions(content.decode(json.detect_encoding(content), "surrogatepass"))

    def of(self, field: str, inside: Steps = ()) -> int:
        """The line of a field in the value with a path; of the object that lacks it, if the field is missing."""
        try:
            start = self._positions.inside(self._positions.start, inside)
            return self._positions.line(self._positions.of_field(start, field))
        except (RecursionError, ValueError, IndexError):
            return 0

    def of_tool(self, name: str, field: str) -> int:
        """The line of a field of the last tool with a name in a file of tools."""
        try:
            return self._positions.line(self._positions.of_field(self._tools.get(name, self._positions.start), field))
        except (RecursionError, ValueError, IndexError):
            return 0

    @cached_property
    def _tools(self) -> dict[str, int]:
        """Where each tool of a file of tools begins, by name; of tools with the same name, the last."""
        positions, found = self._positions, dict[str, int]()
        for group in positions.within(positions.inside(positions.start, ("groups",))).values():
            for tool in positions.within(positions.inside(group, ("tools",))).values():
                if (name := positions.text_at(positions.inside(tool, ("name",)))) is not None:
                    found[name] = tool
        return found


@of_files
def lines_of(path: Path) -> Lines:
    """The lines of a file; a file that cannot be read any more has none."""
    try:
        return Lines(content_of(path))
    except (Unreadable, UnicodeError):
        return Lines(b"{}")


def line_of_tools(path: Path, places: list[Steps]) -> LineOf:
    """A function for the lines of fields in the tools of a file, whose paths in the file are given."""

    def line(number: int, field: str) -> int:
        return lines_of(path).of(field, places[number])

    return line


def no_line(_: int, __: str) -> int:
    """For tools that are in no file."""
    return 0
