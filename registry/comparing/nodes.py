"""A JSON text as a flat table of nodes, made so that two texts can be compared without comparing everything in them.

A node is a member, an element or the outermost value, in the order of the text. Texts are kept as they came. Every value has
a form, a number that two values share exactly when nothing tells them apart but the order of members: whether two branches
are equal is one comparison of two numbers, however large they are. A node costs 24 bytes beside the texts, of which equal
ones are kept once.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator

from registry.calling.json_text import InvalidJson, tokens

MOST_BYTES = 32_000_000

_LOOK_UP_EVERY = 20_000
_NO_NAME = -1
_IN_OBJECT, _IN_LIST = -1, -2  # the first entry of a branch's form; its other entries are numbers from 0
_CLOSING = {"}": "{", "]": "["}


class ComparisonCancelled(Exception):
    """Nobody waits for the comparison any more."""


class TooLarge(ValueError):
    """A text is larger than what is compared."""


class Forms:
    """The texts and branches that have been seen, each with its number. Two documents to be compared share one."""

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
        """The text of a scalar or a name as it came; None for a branch."""
        form = self._seen[number]
        return form if isinstance(form, str) else None

    def opening(self, number: int) -> str:
        """The bracket that opens a branch; empty for a scalar."""
        form = self._seen[number]
        return "" if isinstance(form, str) else "{" if form[0] == _IN_OBJECT else "["


class Nodes:
    """The nodes of one text, numbered from 0, the outermost value; what lies in a branch follows it.

    Attributes:
        forms: what the numbers in the next two stand for.
        names: of each node, the number of its name's text; -1 for elements and the outermost value.
        values: of each node, the form of its value.
        ends: of each node, the number of the node behind everything in it.
        places: of each node, which member or element of its branch it is, from 0.
        parents: of each node, the branch that it lies in; -1 for the outermost value.
        depths: of each node, how deep it lies.
    """

    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self.names = array("i")
        self.values = array("i")
        self.ends = array("i")
        self.places = array("i")
        self.parents = array("i")
        self.depths = array("i")

    @classmethod
    def of(cls, body: bytes, forms: Forms, stop: Callable[[], bool]) -> Nodes:
        """The nodes of a JSON text.

        Args:
            body: the text; bytes that are no UTF-8 are kept as they are.
            forms: shared by the documents that will be compared.
            stop: asked from time to time whether to give up.

        Raises:
            InvalidJson: the text is not JSON; the message says where.
            TooLarge: it is larger than `MOST_BYTES`.
            Stopped: `stop` said so.
        """
        if len(body) > MOST_BYTES:
            raise TooLarge(f"{len(body) / 1e6:,.0f} MB; at most {MOST_BYTES // 1_000_000} MB per side can be compared")
        maker = _Maker(cls(forms))
        text = body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")
        for count, token in enumerate(tokens(text)):
            if count % _LOOK_UP_EVERY == 0 and stop():
                raise ComparisonCancelled
            maker.take(token)
        return maker.finished()

    def __len__(self) -> int:
        """How many nodes there are."""
        return len(self.names)

    def name(self, node: int) -> str | None:
        """A member's name as JSON text; None for elements and the outermost value."""
        number = self.names[node]
        return None if number == _NO_NAME else self.forms.text(number)

    def scalar(self, node: int) -> str | None:
        """The text of a scalar as it came; None for a branch."""
        return self.forms.text(self.values[node])

    def opening(self, node: int) -> str:
        """The bracket that opens a branch; empty for a scalar."""
        return self.forms.opening(self.values[node])

    def inside(self, node: int) -> Iterator[int]:
        """The nodes directly inside a branch, in order."""
        one, end = node + 1, self.ends[node]
        while one < end:
            yield one
            one = self.ends[one]

    def member(self, node: int, name: str) -> int | None:
        """The first member of an object by its name, given as JSON text; None when there is none."""
        return next((one for one in self.inside(node) if self.name(one) == name), None)

    def text(self, node: int) -> str:
        """A node's value as compact JSON: scalars as they came, members in their order."""
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


class _Maker:
    """Nodes so far, and what may come next: a value, a name, a colon, or what follows a value."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._wanted = "value"
        self._name = _NO_NAME
        self._open: list[int] = []
        self._inside: list[list[int]] = []  # of each open branch, what its form will be, without the order of members

    def take(self, token: str) -> None:
        """Add a token.

        Raises:
            InvalidJson: it cannot stand here.
        """
        wanted, first = self._wanted, token[0]
        if first == "," and wanted == "next":
            self._wanted = "name" if self._in_object() else "value"
        elif first == ":" and wanted == "colon":
            self._wanted = "value"
        elif first in "}]" and wanted in ("next", "first") and self._nodes.opening(self._open[-1]) == _CLOSING[first]:
            self._close()
        elif first == '"' and (wanted == "name" or (wanted == "first" and self._in_object())):
            self._name = self._nodes.forms.number(_one_spelling(token))
            self._wanted = "colon"
        elif first in "{[" and (wanted == "value" or (wanted == "first" and not self._in_object())):
            marker = _IN_OBJECT if first == "{" else _IN_LIST
            self._open.append(self._add(self._nodes.forms.number((marker,))))
            self._inside.append([marker])
            self._wanted = "first"
        elif first not in "{}[],:" and (wanted == "value" or (wanted == "first" and not self._in_object())):
            form = self._nodes.forms.number(token)
            self._add(form)
            self._ended(form)
        else:
            raise InvalidJson(f"{token[:20]!r} is unexpected here")

    def finished(self) -> Nodes:
        """The nodes of the whole text.

        Raises:
            InvalidJson: the text is not at its end.
        """
        if self._wanted != "end":
            raise InvalidJson("unexpected end of the text")
        return self._nodes

    def _in_object(self) -> bool:
        return bool(self._inside) and self._inside[-1][0] == _IN_OBJECT

    def _add(self, form: int) -> int:
        nodes = self._nodes
        node = len(nodes.names)
        nodes.names.append(self._name)
        nodes.values.append(form)
        nodes.ends.append(node + 1)
        inside = self._inside[-1] if self._inside else []
        per_entry = 2 if self._in_object() else 1
        nodes.places.append((len(inside) - 1) // per_entry if inside else 0)
        nodes.parents.append(self._open[-1] if self._open else -1)
        nodes.depths.append(len(self._open))
        if inside and self._name != _NO_NAME:
            inside.append(self._name)
        self._name = _NO_NAME
        return node

    def _close(self) -> None:
        node, inside = self._open.pop(), self._inside.pop()
        if inside[0] == _IN_OBJECT:
            members = sorted(zip(inside[1::2], inside[2::2], strict=True), key=lambda member: member[0])
            inside = [_IN_OBJECT, *(number for member in members for number in member)]
        form = self._nodes.forms.number(tuple(inside))
        self._nodes.values[node] = form
        self._nodes.ends[node] = len(self._nodes.names)
        self._ended(form)

    def _ended(self, form: int) -> None:
        if self._inside:
            self._inside[-1].append(form)
        self._wanted = "next" if self._open else "end"


def _one_spelling(name: str) -> str:
    """A member's name as JSON text, with escapes only where they are needed: it is the same name however it is written."""
    if "\\" not in name:
        return name
    plain = json.loads(name)
    # Halves of surrogate pairs stay escapes: they would look like bytes that are no UTF-8.
    return name if any("\ud800" <= letter <= "\udfff" for letter in plain) else json.dumps(plain, ensure_ascii=False)
