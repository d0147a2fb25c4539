"""A JSON text as a flat table of nodes, so that two texts can be compared without comparing everything in them.

A node is a property, an item or the root value, in the order of the text. Scalars are kept as received. Every value has a form,
a number that two values share exactly if they differ only in the order of properties: so whether two branches are equal
is one comparison of two numbers, even for large branches.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterator

from registry.json_text.reading import NotJson
from registry.json_text.values import NUMBER

MOST_BYTES = 32_000_000
NOWHERE = -1
"""No node: the parent of the root value, the name of an item, a side that does not have a row."""

_LOOK_UP_EVERY = 20_000
_IN_OBJECT, _IN_LIST = -1, -2  # the first entry of a branch's form; the others are numbers from 0
_CLOSING = {"}": _IN_OBJECT, "]": _IN_LIST}
_SPACE = r"[ \t\r\n]*+"
_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_STEP = re.compile(
    rf"""{_SPACE}(,?){_SPACE}
        (?:({_STRING}){_SPACE}:{_SPACE})?
        ([{{}}\[\]]|{_STRING}|{NUMBER.pattern}|true|false|null)""",
    re.VERBOSE,
)


class ComparisonCancelled(Exception):
    """The comparison was cancelled."""


class TooLarge(ValueError):
    """A text is too large to be compared."""


class Forms:
    """The distinct scalars, names and branches, each with a number. Two documents to be compared share one."""

    def __init__(self) -> None:
        self._numbers: dict[str | tuple[int, ...], int] = {}
        self._seen: list[str | tuple[int, ...]] = []

    def number(self, form: str | tuple[int, ...]) -> int:
        """The number of a text, or of a branch's form."""
        known = self._numbers.setdefault(form, len(self._seen))
        if known == len(self._seen):
            self._seen.append(form)
        return known

    def text(self, number: int) -> str | None:
        """The text of a scalar or a name as received; None for a branch."""
        form = self._seen[number]
        return form if isinstance(form, str) else None

    def opening(self, number: int) -> str:
        """The bracket that opens a branch; empty for a scalar."""
        form = self._seen[number]
        return "" if isinstance(form, str) else "{" if form[0] == _IN_OBJECT else "["


class Nodes:
    """The nodes of one text, numbered from 0, the root value; the content of a branch follows it.

    Args:
        body: the text; bytes that are not UTF-8 are kept.
        forms: shared by the documents that will be compared.
        stop: called from time to time; returns whether to cancel.

    Attributes:
        forms: the meaning of the numbers in the next two.
        names: for each node, the number of its name's text; -1 for items and the root value.
        values: for each node, the form of its value.
        ends: for each node, the number of the node after all of its content.
        parents: for each node, the branch that contains it; -1 for the root value.

    Raises:
        NotJson: the text is not JSON; the message says where.
        TooLarge: it is larger than `MOST_BYTES`.
        ComparisonCancelled: `stop` returned true.
    """

    def __init__(self, body: bytes, forms: Forms, stop: Callable[[], bool] = lambda: False) -> None:
        if len(body) > MOST_BYTES:
            raise TooLarge(f"{len(body) / 1e6:,.0f} MB; at most {MOST_BYTES // 1_000_000} MB per side can be compared")
        self.forms = forms
        self.names, self.values, self.ends, self.parents = (array("i") for _ in range(4))
        self._places: dict[int, dict[int, int]] = {}
        self._read(body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape"), stop)

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self.names)

    def name(self, node: int) -> str | None:
        """A property's name as JSON text; None for items and the root value."""
        number = self.names[node]
        return None if number == NOWHERE else self.forms.text(number)

    def scalar(self, node: int) -> str | None:
        """The text of a scalar as received; None for a branch."""
        return self.forms.text(self.values[node])

    def opening(self, node: int) -> str:
        """The bracket that opens a branch; empty for a scalar."""
        return self.forms.opening(self.values[node])

    def children(self, node: int) -> Iterator[int]:
        """The nodes directly inside a branch, in order."""
        one, end = node + 1, self.ends[node]
        while one < end:
            yield one
            one = self.ends[one]

    def place(self, node: int) -> int:
        """The index of a node in its branch, from 0; the indexes of a branch are cached."""
        branch = self.parents[node]
        if branch == NOWHERE:
            return 0
        if branch not in self._places:
            self._places[branch] = {one: place for place, one in enumerate(self.children(branch))}
        return self._places[branch][node]

    def depth(self, node: int) -> int:
        """The depth of a node; the root value is at 0."""
        depth = 0
        while (node := self.parents[node]) != NOWHERE:
            depth += 1
        return depth

    def member(self, node: int, name: str) -> int | None:
        """The first property of an object with a name, given as JSON text; None if there is none."""
        return next((one for one in self.children(node) if self.name(one) == name), None)

    def text(self, node: int) -> str:
        """A node's value as compact JSON: scalars as received, properties in their order."""
        parts: list[str] = []
        closing: list[tuple[int, str]] = []  # the open branches: where each ends, and its bracket
        for one in range(node, self.ends[node]):
            while closing and closing[-1][0] <= one:
                parts.append(closing.pop()[1])
            if one != node:
                parts.append("," if self.parents[one] != one - 1 else "")
                parts.append(f"{name}:" if (name := self.name(one)) is not None else "")
            scalar = self.scalar(one)
            parts.append(self.opening(one) if scalar is None else scalar)
            if scalar is None:
                closing.append((self.ends[one], "}" if self.opening(one) == "{" else "]"))
        return "".join([*parts, *(bracket for _, bracket in reversed(closing))])

    def _read(self, text: str, stop: Callable[[], bool]) -> None:
        """Read a text: a step is a property or an item up to its value or opening bracket, or a closing bracket."""
        number = self.forms.number
        outer: list[tuple[int, list[int]]] = []  # the branches around the current one: node and form so far
        branch, inside = NOWHERE, [_IN_LIST]  # properties are not sorted yet
        place = 0
        while found := _STEP.match(text, place):
            comma, name, value = found.groups()
            in_object = inside[0] == _IN_OBJECT
            if value in _CLOSING:
                if comma or name or not outer or inside[0] != _CLOSING[value]:
                    break
                form = number(_sorted(inside) if in_object else tuple(inside))
                self.values[branch], self.ends[branch] = form, len(self)
                branch, inside = outer.pop()
                inside.append(form)
            else:
                if (not comma) == (len(inside) > 1) or (not name) == in_object:
                    break
                node = len(self)
                if node % _LOOK_UP_EVERY == 0 and stop():
                    raise ComparisonCancelled
                self.names.append(number(_one_spelling(name)) if in_object else NOWHERE)
                self.parents.append(branch)
                self.ends.append(node + 1)
                if in_object:
                    inside.append(self.names[node])
                if value in "{[":
                    self.values.append(NOWHERE)  # until it is closed
                    outer.append((branch, inside))
                    branch, inside = node, [_IN_OBJECT if value == "{" else _IN_LIST]
                else:
                    self.values.append(number(value))
                    inside.append(self.values[node])
            place = found.end()
            if not outer:
                break
        if outer or len(inside) == 1 or text[place:].strip(" \t\r\n"):
            raise NotJson(_error_at(text, place))


def _sorted(inside: list[int]) -> tuple[int, ...]:
    """The form of an object: its properties sorted by the numbers of their names; duplicates keep their order."""
    members = sorted(zip(inside[1::2], inside[2::2], strict=True), key=lambda member: member[0])
    return (inside[0], *(number for member in members for number in member))


def _error_at(text: str, place: int) -> str:
    """Where a text stops being JSON, in words."""
    rest = text[place:].lstrip(" \t\r\n")
    if not rest:
        return "unexpected end of the text"
    place = len(text) - len(rest)
    line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
    return f"line {line}, column {column}: {rest[:20]!r} is unexpected here"


def _one_spelling(name: str) -> str:
    """A property's name as JSON text with only the necessary escapes, so that every spelling of a name is the same."""
    return json.dumps(json.loads(name), ensure_ascii=False) if "\\" in name else name
