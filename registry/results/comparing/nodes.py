"""A JSON text as a flat table of nodes, so that two texts can be compared without comparing everything in them.

A node is a property, an item or the root value, in the order of the text. Texts are kept as received. Every value has a form,
a number that two values share exactly if they differ only in the order of properties: so whether two branches are equal
is one comparison of two numbers, even for large branches. A node costs 16 bytes in addition to the texts; equal texts are
stored once.
"""

from __future__ import annotations

import json
import operator
import re
from array import array
from collections.abc import Callable, Iterator

from registry.calling.json_text import NUMBER, SPACE, STRING, InvalidJson
from registry.results.comparing.layouts import IN_LIST, IN_OBJECT, LaidObject, Layouts

MOST_BYTES = 32_000_000

_LOOK_UP_EVERY = 20_000
_BEGINS = 48  # characters of an object by which it is looked up
_NO_NAME, _OUTSIDE = -1, -1
_CLOSING = {"}": IN_OBJECT, "]": IN_LIST}
_STEP = re.compile(
    rf"""{SPACE}(,?){SPACE}
        (?:({STRING}){SPACE}:{SPACE})?
        ([{{}}\[\]]|{STRING}|{NUMBER}|true|false|null)""",
    re.VERBOSE,
)
_NAME = operator.itemgetter(0)


class ComparisonCancelled(Exception):
    """The comparison was cancelled."""


class TooLarge(ValueError):
    """A text is too large to be compared."""


class Forms:
    """The distinct texts and branches, each with a number. Two documents to be compared share one.

    Attributes:
        known: returns the number of a form that has one, otherwise None.
    """

    def __init__(self) -> None:
        self._numbers: dict[str | tuple[int, ...], int] = {}
        self._seen: list[str | tuple[int, ...]] = []
        self.known = self._numbers.get

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
        return "" if isinstance(form, str) else "{" if form[0] == IN_OBJECT else "["


class Nodes:
    """The nodes of one text, numbered from 0, the root value; the content of a branch follows it.

    Attributes:
        forms: the meaning of the numbers in the next two.
        names: for each node, the number of its name's text; -1 for items and the root value.
        values: for each node, the form of its value.
        ends: for each node, the number of the node after all of its content.
        parents: for each node, the branch that contains it; -1 for the root value.
    """

    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self.names = array("i")
        self.values = array("i")
        self.ends = array("i")
        self.parents = array("i")
        self._places: dict[int, dict[int, int]] = {}

    @classmethod
    def of(cls, body: bytes, forms: Forms, stop: Callable[[], bool], objects: ListedObjects | None = None) -> Nodes:
        """The nodes of a JSON text.

        Args:
            body: the text; bytes that are not UTF-8 are kept.
            forms: shared by the documents that will be compared.
            stop: called from time to time; returns whether to cancel.
            objects: the listed objects of another text, which are not parsed again if this text contains them; then replaced by
                those of this text.

        Raises:
            InvalidJson: the text is not JSON; the message says where.
            TooLarge: it is larger than `MOST_BYTES`.
            ComparisonCancelled: `stop` returned true.
        """
        if len(body) > MOST_BYTES:
            raise TooLarge(f"{len(body) / 1e6:,.0f} MB; at most {MOST_BYTES // 1_000_000} MB per side can be compared")
        nodes = cls(forms)
        _fill(nodes, body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape"), stop, objects)
        return nodes

    def add(self, other: Nodes, node: int, branch: int) -> None:
        """Add a branch of other nodes, with all of its content, as an item of a branch of these."""
        stop, shift = other.ends[node], len(self) - node
        self.names += other.names[node:stop]
        self.values += other.values[node:stop]
        self.ends.extend([end + shift for end in other.ends[node:stop]])
        self.parents.append(branch)
        self.parents.extend([parent + shift for parent in other.parents[node + 1 : stop]])

    def add_laid(self, laid: LaidObject, branch: int) -> None:
        """Add an object of a known layout as an item of a branch."""
        shift, layout = len(self), laid.layout
        self.names += layout.names
        self.values.extend(laid.values)
        self.ends.extend([end + shift for end in layout.ends])
        self.parents.extend([parent + shift for parent in layout.parents])
        self.parents[shift] = branch

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self.names)

    def name(self, node: int) -> str | None:
        """A property's name as JSON text; None for items and the root value."""
        number = self.names[node]
        return None if number == _NO_NAME else self.forms.text(number)

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
        if branch == _OUTSIDE:
            return 0
        if branch not in self._places:
            self._places[branch] = {one: place for place, one in enumerate(self.children(branch))}
        return self._places[branch][node]

    def depth(self, node: int) -> int:
        """The depth of a node; the root value is at 0."""
        depth = 0
        while (node := self.parents[node]) != _OUTSIDE:
            depth += 1
        return depth

    def member(self, node: int, name: str) -> int | None:
        """The first property of an object with a name, given as JSON text; None if there is none."""
        return next((one for one in self.children(node) if self.name(one) == name), None)

    def text(self, node: int) -> str:
        """A node's value as compact JSON: scalars as received, properties in their order."""
        parts: list[str] = []
        open_: list[tuple[int, str]] = []
        first = True
        for one in range(node, self.ends[node]):
            while open_ and open_[-1][0] <= one:
                parts.append(open_.pop()[1])
                first = False
            if not first:
                parts.append(",")
            if one != node and (name := self.name(one)) is not None:
                parts += (name, ":")
            scalar = self.scalar(one)
            if scalar is not None:
                parts.append(scalar)
                first = False
                continue
            bracket = self.opening(one)
            parts.append(bracket)
            open_.append((self.ends[one], "}" if bracket == "{" else "]"))
            first = True
        parts += (closing for _, closing in reversed(open_))
        return "".join(parts)


class ListedObjects:
    """The objects in the lists of a text, by their first characters, to find the same objects in another text."""

    def __init__(self) -> None:
        self._text = ""
        self._nodes: Nodes | None = None
        self._found: dict[str, tuple[int, int, int]] = {}

    def keep(self, text: str, nodes: Nodes, found: list[tuple[int, int, int]]) -> None:
        """Keep those of a text: start, end and node of each."""
        self._text, self._nodes = text, nodes
        self._found = {text[start : start + _BEGINS]: (start, end, node) for start, end, node in found}

    def add_to(self, nodes: Nodes, branch: int, text: str, place: int) -> int:
        """Add the object at a position of another text to its nodes, if it is a known one; returns its end, or 0."""
        start, end, node = self._found.get(text[place : place + _BEGINS], (0, 0, 0))
        if self._nodes is None or not end or not text.startswith(self._text[start:end], place):
            return 0
        nodes.add(self._nodes, node, branch)
        return place + end - start


def _fill(nodes: Nodes, text: str, stop: Callable[[], bool], objects: ListedObjects | None) -> None:
    """Read a text into nodes: one step is a property or an item up to its value or opening bracket, or a closing bracket.

    Everything is in one loop with local names, because a text has half a million steps.
    """
    known, number, match = nodes.forms.known, nodes.forms.number, _STEP.match
    names, values, ends, parents = nodes.names, nodes.values, nodes.ends, nodes.parents
    spelled: dict[str, int] = {}
    outer: list[tuple[int, list[int]]] = []  # the branches around the current one, as in the next two
    branch, inside = _OUTSIDE, [IN_LIST]  # its node, and its form so far, without sorted properties
    in_object, place = False, 0
    layouts = Layouts(text, known, number, nodes.forms.text, nodes.forms.opening)
    seen, starts, asked = list[tuple[int, int, int]](), list[int](), 0
    while found := match(text, place):
        comma, name, value = found.groups()
        if value in _CLOSING:
            if comma or name or not outer or inside[0] != _CLOSING[value]:
                break
            place = found.end()
            form = number(_form(inside) if in_object else tuple(inside))
            values[branch], ends[branch] = form, len(names)
            start, node = starts.pop(), branch
            branch, inside = outer.pop()
            inside.append(form)
            if in_object and inside[0] == IN_LIST and outer:
                seen.append((start, place, node))
                layouts.learn(names, values, ends, node)
            in_object = inside[0] == IN_OBJECT
        else:
            if (not comma) == (len(inside) > 1) or (not name) == in_object:
                break
            place = found.end()
            node = len(names)
            if node >= asked:
                asked = node + _LOOK_UP_EVERY
                if stop():
                    raise ComparisonCancelled
            if value == "{" and outer and not in_object:
                if objects is not None and (end := objects.add_to(nodes, branch, text, place - 1)):
                    place = end
                    inside.append(values[node])
                    continue
                if laid := layouts.read(place - 1):
                    seen.append((place - 1, laid.end, node))
                    place = laid.end
                    nodes.add_laid(laid, branch)
                    inside.append(values[node])
                    continue
            if in_object:
                if (own := spelled.get(name)) is None:
                    own = spelled[name] = number(_one_spelling(name))
                names.append(own)
                inside.append(own)
            else:
                names.append(_NO_NAME)
            parents.append(branch)
            ends.append(node + 1)
            if value == "{" or value == "[":
                values.append(_NO_NAME)  # until it is closed
                outer.append((branch, inside))
                starts.append(place - 1)
                in_object = value == "{"
                branch, inside = node, [IN_OBJECT if in_object else IN_LIST]
                continue
            if (scalar := known(value)) is None:
                scalar = number(value)
            values.append(scalar)
            inside.append(scalar)
        if not outer:
            break
    if outer or len(inside) == 1 or text[place:].strip(" \t\r\n"):
        raise InvalidJson(_error_at(text, place))
    if objects is not None:
        objects.keep(text, nodes, seen)


def _form(inside: list[int]) -> tuple[int, ...]:
    """The form of an object: its properties sorted by the numbers of their names, the order that most texts already have."""
    names = inside[1::2]
    if names == sorted(names):
        return tuple(inside)
    members = sorted(zip(names, inside[2::2], strict=True), key=_NAME)
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
    if "\\" not in name:
        return name
    plain = json.loads(name)
    # Lone surrogates stay escapes: otherwise they would look like bytes that are not UTF-8.
    return name if any("\ud800" <= letter <= "\udfff" for letter in plain) else json.dumps(plain, ensure_ascii=False)
