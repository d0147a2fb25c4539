"""A JSON text of any size as rows, one for each line of the text laid out.

The text is laid out from bytes to bytes and never turned into values: numbers of any size and form, duplicate properties and
escapes stay as received. Make the rows of a large text in a thread.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from registry.json_text.layout import lay_out
from tui.json_view.row_index import CLOSES, OPENS, RowIndex, Text

INDENT = 1
"""Spaces for each level: every row is found behind them."""


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
        index: what each row is, and where.
    """

    def __init__(self, text: Text) -> None:
        self.text = text
        self.index = RowIndex(text)

    @classmethod
    def of(cls, body: bytes) -> JsonRows:
        """The rows of a JSON text.

        Raises:
            NotJson: it is not JSON, or nested too deeply; the message says where or why.
        """
        return cls(lay_out(body, INDENT))

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.index.kinds)

    def kind(self, number: int) -> int:
        """What kind of row it is."""
        return self.index.kinds[number]

    def depth(self, number: int) -> int:
        """The depth of a row."""
        return self.index.depths[number]

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
        return bytes(self.text[self.value_span(number)[0] : self.value_span(self.closer(number))[1]])

    def closer(self, number: int) -> int:
        """For a row that opens, the row that closes it; for every other row, the row itself."""
        return self.index.closer(number) if self.index.kinds[number] == OPENS else number

    def opener(self, number: int) -> int:
        """For a row that closes, the row that opens it; for every other row, the row itself."""
        return self.index.above(number, self.depth(number)) if self.index.kinds[number] == CLOSES else number

    def parent(self, number: int) -> int | None:
        """The row that opens the branch around this one; None for the root value."""
        depth = self.depth(number)
        return self.index.above(number, depth - 1) if depth else None

    def items(self, number: int) -> int:
        """How many properties or items a row that opens has."""
        return self.index.direct(number, self.closer(number))

    def place(self, number: int) -> int:
        """The index of a row among its parent's properties or items, from 0."""
        above = self.parent(number)
        return self.index.direct(above, number) if above is not None else 0

    def key_span(self, number: int) -> tuple[int, int]:
        """Where a row's key starts and ends in the text, quotes included; both the same if it has none."""
        start, stop = self._span(number)
        key = _KEY.match(self.text, start, stop)
        return (start, key.end()) if key else (start, start)

    def value_span(self, number: int) -> tuple[int, int]:
        """Where a row's value starts and ends in the text; for a branch, only the bracket in this row."""
        stop = self._span(number)[1]
        start, key_end = self.key_span(number)
        start = key_end + 2 if key_end > start else start
        return start, stop - (stop > start and self.text[stop - 1] == _COMMA)

    def _span(self, number: int) -> tuple[int, int]:
        start, stop = self.index.starts[number], self.index.starts[number + 1] - 1
        return start + INDENT * self.depth(number), stop


def _decoded(token: Text) -> str:
    return token.decode("utf-8", errors="surrogateescape")
