"""A JSON text of any size as rows, one for each line of the text laid out.

The text is laid out from bytes to bytes and never turned into values: numbers of any size and form, duplicate properties and
escapes stay as received. Make the rows of a large text in a thread; finding a row afterwards needs no look at the text.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, islice
from operator import add, itemgetter
from typing import NamedTuple

from registry.json_text.reading import lay_out

INDENT = 1
"""Spaces for each level: every row is found behind them."""

SCALAR, OPENS, CLOSES = 0, 1, 2
"""The kinds of rows; what opens has something inside."""

Text = bytes | bytearray

_KINDS = bytes(OPENS if letter in b"[{" else CLOSES if letter in b"]}" else SCALAR for letter in range(256))
_LAST = itemgetter(-1)
_PIECE = 1 << 18  # bytes: the screen goes on between two pieces, and what one needs meanwhile is little
_STEPS, _MARKS = (0, 4, -4), (SCALAR, OPENS, CLOSES - 4)  # four marks for each depth: those of its kinds, and one that is free
_KEY = re.compile(rb'"(?:[^"\\]|\\.)*+"(?=: )', re.DOTALL)
_COMMA = ord(",")


class JsonRow(NamedTuple):
    """A row as in the text.

    Attributes:
        key: the property's name with its quotes; None for items, closing rows and the root value.
        value: a scalar, ``{}`` or ``[]``, or the bracket that opens or closes; cut if it is very long.
        cut: how many bytes of the value are missing here.
    """

    key: str | None
    value: str
    cut: int


class JsonRows:
    """The rows of one JSON text.

    Attributes:
        text: the text laid out, one line for each row.
    """

    def __init__(self, body: bytes) -> None:
        """Lay a JSON text out.

        Raises:
            NotJson: it is not JSON, or nested too deeply; the message says where or why.
        """
        self.text = lay_out(body, INDENT)
        starts, marks, level = array("I", [0]), [], 0
        for piece in _pieces(self.text):
            starts.extend(islice(accumulate(map(len, piece.splitlines(keepends=True)), initial=starts[-1]), 1, None))
            # The last letter of each row tells its kind; commas, and brackets that close at once, do not.
            for ending, short in ((b",\n", b"\n"), (b"{}\n", b"0\n"), (b"[]\n", b"0\n")):
                piece = piece.replace(ending, short)
            kinds = bytes(map(_LAST, piece.splitlines())).translate(_KINDS)
            levels = list(accumulate(map(_STEPS.__getitem__, kinds), initial=level))
            marks.append("".join(map(chr, map(add, levels, map(_MARKS.__getitem__, kinds)))))
            level = levels[-1]
        self._starts = starts
        # The depth and the kind of each row as one letter: searching and counting letters finds ends, parents and places.
        self._marks = "".join(marks)
        self._letters = frozenset(self._marks)

    def __len__(self) -> int:
        return len(self._marks)

    def kind(self, number: int) -> int:
        return ord(self._marks[number]) & 3

    def depth(self, number: int) -> int:
        return ord(self._marks[number]) >> 2

    def row(self, number: int, most: int = 4_000) -> JsonRow:
        """A row, with at most `most` bytes of its value."""
        start, stop = self._span(number)
        line = self.text[start : min(stop, start + most + 1_000)]
        key = _KEY.match(line)
        start += key.end() + 2 if key else 0
        stop -= int(stop > start and self.text[stop - 1] == _COMMA)
        value = self.text[start : min(stop, start + most)]
        return JsonRow(_decoded(key.group()) if key else None, _decoded(value), max(stop - start - most, 0))

    def value(self, number: int) -> bytes:
        """The JSON text of a row's value, laid out as here; of a branch, with everything inside."""
        number = self.opener(number)
        start, _ = self._span(number)
        key = _KEY.match(self.text, start, self._starts[number + 1])
        _, stop = self._span(self.closer(number))
        text = bytes(self.text[key.end() + 2 if key else start : stop])
        return text.removesuffix(b",")

    def closer(self, number: int) -> int:
        """For a row that opens, the row that closes it; for every other row, the row itself."""
        return self._marks.index(_mark(self.depth(number), CLOSES), number) if self.kind(number) == OPENS else number

    def opener(self, number: int) -> int:
        """For a row that closes, the row that opens it; for every other row, the row itself."""
        return self._above(number, self.depth(number)) if self.kind(number) == CLOSES else number

    def parent(self, number: int) -> int | None:
        """The row that opens the branch around this one; None for the root value."""
        depth = self.depth(number)
        return self._above(number, depth - 1) if depth else None

    def inside(self, opener: int) -> Iterator[int]:
        """The rows directly inside a branch, without those that close."""
        row = opener + 1
        while self.kind(row) != CLOSES:
            yield row
            row = self.closer(row) + 1

    def openers(self, depth: int = 0) -> Iterator[int]:
        """All rows that open at this depth or deeper, in order."""
        marks = "".join(one for one in self._letters if ord(one) & 3 == OPENS and ord(one) >> 2 >= depth)
        return (found.start() for found in re.finditer(f"[{re.escape(marks)}]", self._marks)) if marks else iter(())

    def items(self, number: int) -> int:
        """How many properties or items a row that opens has."""
        return self._direct(number, self.closer(number))

    def place(self, number: int) -> int:
        """The index of a row among its parent's properties or items, from 0."""
        above = self.parent(number)
        return self._direct(above, number) if above is not None else 0

    def row_at(self, position: int) -> int:
        """The row at a position in the text."""
        return bisect_right(self._starts, position) - 1

    def _above(self, number: int, depth: int) -> int:
        """The nearest row above that opens at this depth."""
        return self._marks.rindex(_mark(depth, OPENS), 0, number)

    def _direct(self, opener: int, end: int) -> int:
        """How many properties or items of a branch are before a row."""
        depth = self.depth(opener) + 1
        return sum(self._marks.count(_mark(depth, kind), opener + 1, end) for kind in (SCALAR, OPENS))

    def _span(self, number: int) -> tuple[int, int]:
        start, stop = self._starts[number], self._starts[number + 1] - 1
        return start + INDENT * self.depth(number), stop


def _pieces(text: bytes) -> Iterator[bytes]:
    """A text in pieces of whole lines, each with its end."""
    start = 0
    while stop := text.find(b"\n", start + _PIECE) + 1:
        yield text[start:stop]
        start = stop
    yield text[start:] + b"\n"


def _mark(depth: int, kind: int) -> str:
    return chr(depth << 2 | kind)


def _decoded(token: Text) -> str:
    return token.decode("utf-8", errors="surrogateescape")
