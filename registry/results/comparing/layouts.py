"""Reads objects with the same properties and nesting as many before them in one step.

A page of a list has hundreds or thousands of such objects. Each layout is a regular expression in which only scalars and white
space may differ. The result is the same as reading value by value.
"""

from __future__ import annotations

import operator
import re
from array import array
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from registry.calling.json_text import NUMBER, SPACE, STRING

IN_OBJECT, IN_LIST = -1, -2
"""The first entry of a branch's form; its other entries are numbers from 0."""

_SCALAR = f"((?>{STRING}|{NUMBER}|true|false|null))"
_ENOUGH = 100  # objects of one layout: compiling its regular expression takes as long as reading so many
_MOST_LAYOUTS = 8
_MOST_NODES = 200
_MOST_LEARNT = 3_000  # objects: the common layouts are known by then

_Numbering = Callable[[str | tuple[int, ...]], int]


class LaidObject(NamedTuple):
    """An object that was read: its end in the text, its layout, and the forms of its nodes' values, its own first."""

    end: int
    layout: Layout
    values: Sequence[int]


class _Branch(NamedTuple):
    """A branch of a layout: its form without the values, their positions in it, and the function that picks them."""

    form: list[int]
    gaps: slice
    pick: Callable[[Sequence[int]], tuple[int, ...]]


class Layout:
    """The properties and the nesting of an object.

    Args:
        names: see below.
        ends: see below.
        openings: for each node, the bracket that opens it; empty for a scalar.
        text: returns the text of a name by its number.

    Attributes:
        names: for each node, the number of its name's text; -1 for items and the object itself.
        ends: for each node, the node after its content; the object is node 0.
        parents: for each node except the object, its branch.
    """

    def __init__(
        self, names: array[int], ends: Sequence[int], openings: Sequence[str], text: Callable[[int], str | None]
    ) -> None:
        self.names = names
        self.ends = ends
        self.parents = [0] * len(ends)
        self._openings, self._text = openings, text
        self._branches = list[_Branch]()
        scalars = [node for node, opening in enumerate(openings) if not opening]
        self._where = {node: place for place, node in enumerate(scalars)}
        self._pattern = re.compile(self._written(0))
        self._order = _picking([self._where[node] for node in range(len(ends))])

    def read(self, text: str, place: int, known: Callable[[str], int | None], number: _Numbering) -> LaidObject | None:
        """The object at a position of a text; None if it has another layout."""
        if (found := self._pattern.match(text, place)) is None:
            return None
        values = [number(scalar) if (seen := known(scalar)) is None else seen for scalar in found.groups()]
        for form, gaps, pick in self._branches:
            form[gaps] = pick(values)
            values.append(number(tuple(form)))
        return LaidObject(found.end(), self, self._order(values))

    def _written(self, node: int) -> str:
        """The regular expression of a value; adds its branches, inner ones first."""
        opening = self._openings[node]
        if not opening:
            return _SCALAR
        children, parts = list[int](), list[str]()
        one = node + 1
        while one < self.ends[node]:
            self.parents[one] = node
            name = f"{re.escape(self._text(self.names[one]) or '')}{SPACE}:{SPACE}" if opening == "{" else ""
            parts.append(name + self._written(one))
            children.append(one)
            one = self.ends[one]
        if opening == "{":
            children.sort(key=self.names.__getitem__)
            form, gaps = [IN_OBJECT, *(entry for child in children for entry in (self.names[child], 0))], slice(2, None, 2)
        else:
            form, gaps = [IN_LIST, *(0 for _ in children)], slice(1, None)
        self._branches.append(_Branch(form, gaps, _picking([self._where[child] for child in children])))
        self._where[node] = len(self._where)
        inside = f"{SPACE},{SPACE}".join(parts)
        return rf"\{opening}{SPACE}{inside}{SPACE}\{'}' if opening == '{' else ']'}"


class Layouts:
    """The layouts of a text's objects so far, the last matched one first.

    Args:
        text: the text.
        known: returns the number of a scalar's text, None if it was not seen yet.
        number: assigns a number to a text or a form.
        name: returns the text of a name by its number.
        opening: returns the bracket that opens a branch, by its form's number; empty for a scalar.
    """

    def __init__(
        self,
        text: str,
        known: Callable[[str], int | None],
        number: _Numbering,
        name: Callable[[int], str | None],
        opening: Callable[[int], str],
    ) -> None:
        self._text, self._known, self._number, self._name, self._opening = text, known, number, name, opening
        self._counts: dict[tuple[object, ...], int] = {}
        self._layouts = list[Layout]()
        self._learnt = 0

    def read(self, place: int) -> LaidObject | None:
        """The object at a position of the text, if it has one of these layouts."""
        for nth, layout in enumerate(self._layouts):
            if laid := layout.read(self._text, place, self._known, self._number):
                if nth:
                    self._layouts.insert(0, self._layouts.pop(nth))
                return laid
        return None

    def learn(self, names: array[int], values: array[int], ends: array[int], node: int) -> None:
        """Learn from an object that was read value by value; `node` is its node."""
        stop = ends[node]
        if self._learnt == _MOST_LEARNT or len(self._layouts) == _MOST_LAYOUTS or stop - node > _MOST_NODES:
            return
        self._learnt += 1
        own, nesting = names[node:stop], tuple([end - node for end in ends[node:stop]])
        openings = tuple(map(self._opening, values[node:stop]))
        key = (own.tobytes(), nesting, openings)
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if count == _ENOUGH:
            self._layouts.insert(0, Layout(own, nesting, openings, self._name))


def _picking(places: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """A function that returns the values at some positions of a sequence."""
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda values: tuple([values[place] for place in places])
