"""A JSON text of any size as rows, one for each line of the text laid out.

The text is laid out from bytes to bytes and never turned into values: numbers of any size and form, duplicate properties and
escapes stay as they came. Beside the text a row costs six bytes. Making the rows of a large text belongs into a thread; asking
for a row afterwards costs the same at any size.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from registry.calling.json_layout import indentation_size, pretty
from registry.calling.json_text import InvalidJson
from tui.json_view.pieces import laid_out

SCALAR, OPENS, CLOSES = 0, 1, 2

_CHUNK = 4 << 20
_BLOCK = 1 << 19
_MOST_BLANKS = 8
_MOST_BY_HAND = 8_000_000
_KEY = re.compile(rb'"(?:[^"\\]|\\.)*+"(?=: )', re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:u([dDeE])|.)", re.DOTALL)
_COMMA, _NEWLINE = ord(","), ord("\n")

Text = bytes | bytearray
Indexes = NDArray[np.uint32]
Depths = NDArray[np.uint8] | NDArray[np.uint32]
Starts = NDArray[np.uint32] | NDArray[np.uint64]


class JsonRow(NamedTuple):
    """A row as it stands in the text.

    Attributes:
        key: the property's name with its quotes; None for elements, ends and the root value.
        value: a scalar, ``{}`` or ``[]``, or the bracket that opens or closes; cut where it is very long.
        cut: how many bytes of the value are missing here.
    """

    key: str | None
    value: str
    cut: int


class JsonRows:
    """The rows of one JSON text.

    Attributes:
        text: the text laid out, a row a line, each indented by as many blanks for each level as `indent` says.
        depths: of each row, how deep it lies.
        kinds: of each row, `SCALAR`, `OPENS` (with something inside) or `CLOSES`.
        openers: the rows that open, in order.
        closers: of each of these, the row that closes.
    """

    def __init__(self, text: Text, indent: int) -> None:
        self.text = text
        self._indent = indent
        self._starts = _line_starts(text)
        self.kinds = _kinds(text, self._starts)
        self.depths = _depths(self.kinds)
        self.openers: Indexes = np.flatnonzero(self.kinds == OPENS).astype(np.uint32)
        levels = self.depths[self.openers]
        order = _order(levels)
        self.closers = _partners(order, self.kinds, self.depths)
        self._openers_by_level: Indexes = self.openers[order]
        deepest = np.arange(int(self.depths.max(initial=0)) + 1, dtype=levels.dtype)
        self._level_ends = np.searchsorted(levels[order], deepest, side="right")

    @classmethod
    def of(cls, body: bytes) -> JsonRows:
        """The rows of a JSON text.

        Raises:
            InvalidJson: the text is not JSON; the message says where.
        """
        body = body.removeprefix(b"\xef\xbb\xbf")
        if indentation_size(body) > _MOST_BLANKS * len(body) + _CHUNK:
            return cls._by_hand(body, "it is nested too deeply to be shown")
        try:
            return cls(laid_out(body), 1)
        except msgspec.DecodeError:
            pass  # perhaps for halves of surrogate pairs, which are JSON all the same
        except RecursionError:
            pass  # thousands of levels are JSON as well
        try:
            return cls(_formatted_without_surrogates(body), 1)
        except (msgspec.DecodeError, RecursionError) as error:
            return cls._by_hand(body, str(error))

    @classmethod
    def _by_hand(cls, body: bytes, problem: str) -> JsonRows:
        """Laid out without blanks: a thousand levels would make a thousand of them for every row."""
        if len(body) > _MOST_BY_HAND:
            raise InvalidJson(problem)
        text = pretty(body.decode("utf-8", errors="surrogateescape"), 0, constants=True)
        return cls(text.encode("utf-8", errors="surrogateescape"), 0)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.kinds)

    def row(self, number: int, most: int = 4_000) -> JsonRow:
        """A row, with at most so many bytes of its value."""
        start, stop = self._span(number)
        line = self.text[start : min(stop, start + most + 1_000)]
        key = _KEY.match(line)
        start += key.end() + 2 if key else 0
        stop -= int(stop > start and self.text[stop - 1] == _COMMA)
        value = self.text[start : min(stop, start + most)]
        return JsonRow(_decoded(key.group()) if key else None, _decoded(value), max(stop - start - most, 0))

    def value(self, number: int) -> bytes:
        """The JSON text of a row's value, a branch with everything in it, laid out as here."""
        number = self.opener(number)
        return bytes(self.text[self.value_span(number)[0] : self.value_span(self.closer(number))[1]])

    def closer(self, number: int) -> int:
        """Of a row that opens, the row that closes; of every other row, the row itself."""
        if self.kinds[number] != OPENS:
            return number
        return int(self.closers[np.searchsorted(self.openers, np.uint32(number))])

    def opener(self, number: int) -> int:
        """Of a row that closes, the row that opens; of every other row, the row itself."""
        return self._above(number, int(self.depths[number])) if self.kinds[number] == CLOSES else number

    def parent(self, number: int) -> int | None:
        """The row that opens what holds this one; None for the root value."""
        depth = int(self.depths[number])
        return self._above(number, depth - 1) if depth else None

    def items(self, number: int) -> int:
        """How many properties or items a row that opens has."""
        inside = slice(number + 1, self.closer(number))
        direct = self.depths[inside] == self.depths[number] + 1
        return int(np.count_nonzero(direct & (self.kinds[inside] != CLOSES)))

    def place(self, number: int) -> int:
        """Which property or item of its parent a row is, from 0."""
        above = self.parent(number)
        if above is None:
            return 0
        before = slice(above + 1, number)
        direct = self.depths[before] == self.depths[number]
        return int(np.count_nonzero(direct & (self.kinds[before] != CLOSES)))

    def at(self, position: int) -> int:
        """The row that a position of the text lies in."""
        # A plain number would be compared as a wider one, and all starts copied for that.
        return int(np.searchsorted(self._starts, self._starts.dtype.type(position), side="right")) - 1

    def all_at(self, positions: NDArray[np.uint64]) -> Indexes:
        """The rows that positions of the text lie in; as many, in the same order."""
        return (np.searchsorted(self._starts, positions.astype(self._starts.dtype), side="right") - 1).astype(np.uint32)

    def key_span(self, number: int) -> tuple[int, int]:
        """Where a row's key starts and ends in the text, quotes included; both the same where it has none."""
        start, stop = self._span(number)
        key = _KEY.match(self.text, start, stop)
        return (start, key.end()) if key else (start, start)

    def value_span(self, number: int) -> tuple[int, int]:
        """Where a row's value starts and ends in the text: of a branch, the bracket in this row."""
        stop = self._span(number)[1]
        start, behind = self.key_span(number)
        start = behind + 2 if behind > start else start
        return start, stop - (stop > start and self.text[stop - 1] == _COMMA)

    def _span(self, number: int) -> tuple[int, int]:
        start, stop = int(self._starts[number]), int(self._starts[number + 1]) - 1
        return start + self._indent * int(self.depths[number]), stop

    def _above(self, number: int, depth: int) -> int:
        """The nearest row above that opens at this depth."""
        first = int(self._level_ends[depth - 1]) if depth else 0
        level = self._openers_by_level[first : int(self._level_ends[depth])]
        return int(level[np.searchsorted(level, np.uint32(number)) - 1])


def _formatted_without_surrogates(body: bytes) -> bytes:
    """A text laid out whose escapes of surrogates are hidden from the library: while it works they are private characters."""
    letters: list[bytes] = []

    def hide(found: re.Match[bytes]) -> bytes:
        if not found[1]:
            return found[0]
        letters.append(found[1])
        return b"\\ue"

    text = msgspec.json.format(_ESCAPE.sub(hide, body), indent=1)
    hidden = iter(letters)
    return _ESCAPE.sub(lambda found: b"\\u" + next(hidden) if found[1] else found[0], text)


def _line_starts(text: Text) -> Starts:
    """Where each line starts, and one more behind the last."""
    letters = np.frombuffer(text, np.uint8)
    count = sum(text.count(b"\n", start, start + _CHUNK) for start in range(0, len(text), _CHUNK)) + 2
    starts: Starts = np.empty(count, np.uint64) if len(text) >= 1 << 32 else np.empty(count, np.uint32)
    starts[0], starts[-1] = 0, len(text) + 1
    filled = 1
    for start in range(0, len(letters), _CHUNK):
        found = np.flatnonzero(letters[start : start + _CHUNK] == _NEWLINE)
        starts[filled : filled + len(found)] = found + (start + 1)
        filled += len(found)
    return starts


def _kinds(text: Text, starts: Starts) -> NDArray[np.uint8]:
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


def _depths(kinds: NDArray[np.uint8]) -> Depths:
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


def _order(levels: Depths) -> Indexes:
    """Places sorted by level and, on each level, in order. One number a place is sorted where it is, for the memory's sake."""
    keys = levels.astype(np.uint64)
    keys <<= np.uint64(32)
    keys |= np.arange(len(levels), dtype=np.uint32)
    keys.sort()
    return keys.astype(np.uint32)


def _partners(order: Indexes, kinds: NDArray[np.uint8], depths: Depths) -> Indexes:
    """The closing row of each opening one: on every level, the first that closes belongs to the first that opens."""
    closing = np.flatnonzero(kinds == CLOSES).astype(np.uint32)
    partners = np.empty_like(order)
    partners[order] = closing[_order(depths[closing])]
    return partners


def _decoded(token: Text) -> str:
    return token.decode("utf-8", errors="surrogateescape")
