"""A JSON text of any size as rows, one for each line of the text laid out.

The text is laid out from bytes to bytes and never turned into values: numbers of any size and form, members that occur twice
and escapes stay as they came. Beside the text a row costs six bytes. Making the rows of a large text belongs into a thread;
asking for a row afterwards costs the same at any size.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from registry.calling.json_text import NotJson
from tui.json_view.layout import lay_out

SCALAR, OPENS, CLOSES = 0, 1, 2

_CHUNK = 4 << 20
_BLOCK = 1 << 19
_MOST_BY_HAND = 8_000_000
_KEY = re.compile(rb'"(?:[^"\\]|\\.)*+"(?=: )', re.DOTALL)
_COMMA, _NEWLINE = ord(","), ord("\n")

Indexes = NDArray[np.uint32]


class Row(NamedTuple):
    """A row as it stands in the text.

    Attributes:
        key: the member's name with its quotes; None for elements, ends and the outermost value.
        value: a scalar, ``{}`` or ``[]``, or the bracket that opens or closes; cut where it is very long.
        cut: how many bytes of the value are missing here.
        comma: whether a comma follows.
    """

    key: str | None
    value: str
    cut: int
    comma: bool


class Rows:
    """The rows of one JSON text.

    Attributes:
        text: the text laid out, a row a line, indented by a blank for each level.
        depths: of each row, how deep it lies.
        kinds: of each row, `SCALAR`, `OPENS` (with something inside) or `CLOSES`.
        openers: the rows that open, in order.
        closers: of each of these, the row that closes.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._starts = _line_starts(text)
        self.kinds = _kinds(text, self._starts)
        self.depths = _depths(self.kinds)
        self.openers: Indexes = np.flatnonzero(self.kinds == OPENS).astype(np.uint32)
        self.closers = _partners(self.openers, self.kinds, self.depths)

    @classmethod
    def of(cls, body: bytes) -> Rows:
        """The rows of a JSON text.

        Raises:
            NotJson: the text is not JSON; the message says where.
        """
        body = body.removeprefix(b"\xef\xbb\xbf")
        try:
            return cls(bytes(msgspec.json.format(body, indent=1)))
        except (msgspec.DecodeError, RecursionError) as error:
            # Halves of surrogate pairs and thousands of levels are JSON all the same.
            if len(body) > _MOST_BY_HAND:
                raise NotJson(str(error)) from None
            return cls(lay_out(body))

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.kinds)

    def row(self, number: int, most: int = 4_000) -> Row:
        """A row, with at most so many bytes of its value."""
        start, stop = self._span(number)
        line = self.text[start : min(stop, start + most + 1_000)]
        key = _KEY.match(line)
        start += key.end() + 2 if key else 0
        comma = stop > start and self.text[stop - 1] == _COMMA
        stop -= comma
        value = self.text[start : min(stop, start + most)]
        return Row(_decoded(key.group()) if key else None, _decoded(value), max(stop - start - most, 0), bool(comma))

    def value(self, number: int) -> bytes:
        """The JSON text of a row's value, a branch with everything in it, laid out as here."""
        number = self.opener(number)
        start, stop = self.value_start(number), self._span(number)[1]
        if self.kinds[number] == OPENS:
            stop = self._span(self.closer(number))[1]
        return self.text[start : stop - (self.text[stop - 1] == _COMMA)]

    def insides(self, number: int) -> list[tuple[int, int]]:
        """Where in the text a row's key (if it has one) and its value start and stop, without quotes around them."""
        start, stop = self._span(number)
        key = _KEY.match(self.text, start, stop)
        found = [(start + 1, key.end() - 1)] if key else []
        start = key.end() + 2 if key else start
        stop -= stop > start and self.text[stop - 1] == _COMMA
        quoted = self.text[start : start + 1] == b'"'
        return [*found, (start + quoted, stop - quoted)]

    def closer(self, number: int) -> int:
        """Of a row that opens, the row that closes; of every other row, the row itself."""
        if self.kinds[number] != OPENS:
            return number
        return int(self.closers[np.searchsorted(self.openers, np.uint32(number))])

    def opener(self, number: int) -> int:
        """Of a row that closes, the row that opens; of every other row, the row itself."""
        return self._above(number, int(self.depths[number])) if self.kinds[number] == CLOSES else number

    def parent(self, number: int) -> int | None:
        """The row that opens what holds this one; None for the outermost value."""
        depth = int(self.depths[number])
        return self._above(number, depth - 1) if depth else None

    def items(self, number: int) -> int:
        """How many members or elements a row that opens has."""
        inside = slice(number + 1, self.closer(number))
        direct = self.depths[inside] == self.depths[number] + 1
        return int(np.count_nonzero(direct & (self.kinds[inside] != CLOSES)))

    def place(self, number: int) -> int:
        """Which member or element of its parent a row is, from 0."""
        above = self.parent(number)
        if above is None:
            return 0
        before = slice(above + 1, number)
        direct = self.depths[before] == self.depths[number]
        return int(np.count_nonzero(direct & (self.kinds[before] != CLOSES)))

    def at(self, position: int) -> int:
        """The row that a position of the text lies in."""
        # A number of another width would have the whole array turned into that width first.
        return int(np.searchsorted(self._starts, self._starts.dtype.type(position), side="right")) - 1

    def line_start(self, number: int) -> int:
        """The position of the text at which a row's line starts, with its indentation."""
        return int(self._starts[number])

    def value_start(self, number: int) -> int:
        """The position of the text at which a row's value starts, behind its key."""
        start, stop = self._span(number)
        key = _KEY.match(self.text, start, stop)
        return key.end() + 2 if key else start

    def _span(self, number: int) -> tuple[int, int]:
        return int(self._starts[number]) + int(self.depths[number]), int(self._starts[number + 1]) - 1

    def _above(self, number: int, depth: int) -> int:
        """The nearest row above that is no deeper than this."""
        width, stop = 64, number
        while True:
            start = max(stop - width, 0)
            found = np.flatnonzero(self.depths[start:stop] <= depth)
            if len(found):
                return start + int(found[-1])
            if start == 0:
                return 0
            width, stop = width * 8, start


def _line_starts(text: bytes) -> NDArray[np.uint32] | NDArray[np.uint64]:
    """Where each line starts, and one more behind the last."""
    letters = np.frombuffer(text, np.uint8)
    wide = np.uint64 if len(text) >= 1 << 32 else np.uint32
    pieces = [np.zeros(1, wide)]
    for start in range(0, len(letters), _CHUNK):
        found = np.flatnonzero(letters[start : start + _CHUNK] == _NEWLINE)
        pieces.append((found + (start + 1)).astype(wide))
    pieces.append(np.array([len(text) + 1], wide))
    return np.concatenate(pieces)


def _kinds(text: bytes, starts: NDArray[np.uint32] | NDArray[np.uint64]) -> NDArray[np.uint8]:
    """What each line is, by its last letters."""
    letters = np.frombuffer(text, np.uint8)
    kinds = np.zeros(len(starts) - 1, np.uint8)
    for start in range(0, len(kinds), _BLOCK):
        # Behind a line lies its end, before that perhaps a comma.
        last = starts[start + 1 : start + _BLOCK + 1].astype(np.int64) - 2
        last -= letters[last] == _COMMA
        letter = letters[last]
        before = letters[np.maximum(last - 1, 0)]
        opens = (letter == ord("{")) | (letter == ord("["))
        closes = (letter == ord("}")) | (letter == ord("]"))
        closes &= ~((before == ord("{")) | (before == ord("[")))
        block = kinds[start : start + _BLOCK]
        block[opens], block[closes] = OPENS, CLOSES
    return kinds


def _depths(kinds: NDArray[np.uint8]) -> NDArray[np.uint8] | NDArray[np.uint32]:
    """How deep each row lies."""
    depths = np.zeros(len(kinds), np.uint8)
    deep = 0
    for start in range(0, len(kinds), _BLOCK):
        block = kinds[start : start + _BLOCK]
        steps = (block == OPENS).astype(np.int32) - (block == CLOSES)
        after = deep + np.cumsum(steps, dtype=np.int32)
        here = after - (block == OPENS)
        if depths.dtype == np.uint8 and here.max(initial=0) > 255:
            depths = depths.astype(np.uint32)
        depths[start : start + _BLOCK] = here
        deep = int(after[-1])
    return depths


def _partners(openers: Indexes, kinds: NDArray[np.uint8], depths: NDArray[np.uint8] | NDArray[np.uint32]) -> Indexes:
    """The closing row of each opening one: on every level, the first that closes belongs to the first that opens."""
    closing = np.flatnonzero(kinds == CLOSES).astype(np.uint32)
    partners = np.empty_like(openers)
    partners[np.argsort(depths[openers], kind="stable")] = closing[np.argsort(depths[closing], kind="stable")]
    return partners


def _decoded(token: bytes) -> str:
    return token.decode("utf-8", errors="surrogateescape")
