"""A JSON text of any size as rows, one for each line of the text laid out; and which are visible, as far as unfolded.

The text is laid out from bytes to bytes and never turned into values: numbers of any size and form, duplicate properties and
escapes stay as received. Of a large text only pieces are looked at: where each begins, and which branches are open there. Make
the rows of one in a thread. The rows of a piece are found when one of them is needed.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from heapq import merge
from itertools import accumulate, chain
from operator import add, attrgetter, itemgetter
from typing import NamedTuple
from weakref import proxy

from registry.json_text import lay_out

INDENT = 1
"""Spaces for each level: every row is found behind them."""

SCALAR, OPENS, CLOSES = 0, 1, 2
"""The kinds of rows; what opens has something inside."""

_KINDS = bytes(OPENS if letter in b"[{" else CLOSES if letter in b"]}" else SCALAR for letter in range(256))
_LAST, _START, _FIRST_ROW = itemgetter(-1), attrgetter("start"), attrgetter("first")
_PIECE = 1 << 16  # bytes: the rows of a piece are found within a frame
_STEPS, _MARKS = (0, 4, -4), (SCALAR, OPENS, CLOSES - 4)  # four marks for each depth: those of its kinds, and one that is free
_KEY = re.compile(rb'"(?:[^"\\]|\\.)*+"(?=: )', re.DOTALL)
_SPACES = re.compile(rb" *")
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


class _Branch(NamedTuple):
    """A branch that is open where a piece begins: the row that opens it, and how many of its own rows are before the piece."""

    opener: int
    is_object: bool
    before: int


class _Piece(NamedTuple):
    """Whole lines of the text: where they begin, the number of the first row, and the branches open there, outermost first."""

    start: int
    first: int
    around: tuple[_Branch, ...]


class _Lines(NamedTuple):
    """The rows of a piece: where each line begins and the last one ends, and one letter for the depth and kind of each."""

    first: int
    starts: "array[int]"
    marks: str


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
        self._pieces = list(_pieces(self.text))
        last = self._pieces[-1]
        self._count = last.first + self.text.count(b"\n", last.start) + 1
        # Without a proxy, the cache and this would hold each other, and a large text would stay until the next collection.
        self._lines = lru_cache(maxsize=200)(partial(JsonRows._read, proxy(self)))

    def __len__(self) -> int:
        return self._count

    def kind(self, number: int) -> int:
        return self._mark(number) & 3

    def depth(self, number: int) -> int:
        return self._mark(number) >> 2

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
        start, end = self._span(number)
        key = _KEY.match(self.text, start, end)
        _, stop = self._span(self.closer(number))
        return self.text[key.end() + 2 if key else start : stop].removesuffix(b",")

    def closer(self, number: int) -> int:
        """For a row that opens, the row that closes it; for every other row, the row itself."""
        if self.kind(number) != OPENS:
            return number
        depth, place = self.depth(number), self._place(number)

        def is_closed(piece: _Piece) -> bool:
            return len(piece.around) <= depth or piece.around[depth].opener != number

        last = bisect_left(self._pieces, True, lo=place + 1, key=is_closed) - 1
        lines = self._lines(last)
        return lines.first + lines.marks.index(_mark(depth, CLOSES), max(number - lines.first, 0))

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

    def branches(self, depth: int, opener: int = 0) -> Iterator[tuple[int, int]]:
        """The branches at a depth, in all of the text or inside one: the rows that open and close each, in order."""
        if not depth:
            yield from [(0, self._count - 1)] if self.kind(0) == OPENS else ()
            return
        row, (at, _), (end, _) = opener, self._span(opener), self._span(self.closer(opener))
        edges = _edges(depth).finditer(self.text, at, end)
        for opening, closing in zip(edges, edges, strict=True):
            row += self.text.count(b"\n", at, opening.start() + 1)
            last = row + self.text.count(b"\n", opening.start() + 1, closing.start() + 1)
            yield row, last
            row, at = last, closing.start() + 1

    def items(self, number: int) -> int:
        """How many properties or items a row that opens has."""
        return self._direct(number, self.closer(number))

    def place(self, number: int) -> int:
        """The index of a row among its parent's properties or items, from 0."""
        above = self.parent(number)
        return self._direct(above, number) if above is not None else 0

    def row_at(self, position: int) -> int:
        """The row at a position in the text."""
        piece = self._pieces[bisect_right(self._pieces, position, key=_START) - 1]
        return piece.first + self.text.count(b"\n", piece.start, position)

    def _place(self, number: int) -> int:
        """The index of the piece with a row."""
        return bisect_right(self._pieces, number, key=_FIRST_ROW) - 1

    def _mark(self, number: int) -> int:
        lines = self._lines(self._place(number))
        return ord(lines.marks[number - lines.first])

    def _above(self, number: int, depth: int) -> int:
        """The nearest row above that opens at this depth."""
        place = self._place(number)
        lines = self._lines(place)
        found = lines.marks.rfind(_mark(depth, OPENS), 0, number - lines.first)
        return lines.first + found if found >= 0 else self._pieces[place].around[depth].opener

    def _direct(self, opener: int, end: int) -> int:
        """How many properties or items of a branch are before a row of it."""
        place, depth = self._place(end), self.depth(opener)
        lines, piece = self._lines(place), self._pieces[place]
        before = piece.around[depth].before if opener < lines.first else 0
        inside = max(opener + 1 - lines.first, 0), end - lines.first
        return before + sum(lines.marks.count(_mark(depth + 1, kind), *inside) for kind in (SCALAR, OPENS))

    def _span(self, number: int) -> tuple[int, int]:
        """Where a row's text begins and ends, without the spaces before it."""
        lines = self._lines(self._place(number))
        number -= lines.first
        return lines.starts[number] + INDENT * (ord(lines.marks[number]) >> 2), lines.starts[number + 1] - 1

    def _read(self, place: int) -> _Lines:
        start, first, around = self._pieces[place]
        stop = self._pieces[place + 1].start if place + 1 < len(self._pieces) else len(self.text)
        lines = self.text[start:stop]
        if not lines.endswith(b"\n"):
            lines += b"\n"
        starts = array("Q", accumulate(map(len, lines.splitlines(keepends=True)), initial=start))
        # The last letter of each row tells its kind; commas, and brackets that close at once, do not.
        for ending, short in ((b",\n", b"\n"), (b"{}\n", b"0\n"), (b"[]\n", b"0\n")):
            lines = lines.replace(ending, short)
        kinds = bytes(map(_LAST, lines.splitlines())).translate(_KINDS)
        levels = accumulate(map(_STEPS.__getitem__, kinds), initial=len(around) << 2)
        return _Lines(first, starts, "".join(map(chr, map(add, levels, map(_MARKS.__getitem__, kinds)))))


def _pieces(text: bytes) -> Iterator[_Piece]:
    """A text in pieces. Every search ends within a piece, so that other threads go on in between."""
    yield _Piece(0, 0, ())
    start = row = 0
    around = [_Branch(0, text.startswith(b"{"), 0)]
    while stop := text.find(b"\n", start + _PIECE) + 1:
        at = max(start - 1, 0)
        while (found := text.find(_line(len(around) - 1, b"}" if around[-1].is_object else b"]"), at, stop)) >= 0:
            around.pop()
            at = found
        spaces = _SPACES.match(text, stop)
        assert spaces is not None
        for depth in range(len(around), len(spaces[0]) // INDENT + (text[spaces.end()] in b"]}")):
            around[-1] = _counted(around[-1], text, depth, at, stop)
            # The last row at this depth is the branch that is open at the end.
            for letter in (b'"',) if around[-1].is_object else (b"{", b"["):
                at = max(at, text.rfind(_line(depth, letter), at, stop))
            is_object = text[text.find(b"\n", at + 1) - 1] == ord("{")
            around.append(_Branch(row + text.count(b"\n", start, at + 1), is_object, 0))
        around[-1] = _counted(around[-1], text, len(around), at, stop)
        row += text.count(b"\n", start, stop)
        start = stop
        yield _Piece(start, row, tuple(around))


def _counted(branch: _Branch, text: bytes, depth: int, start: int, stop: int) -> _Branch:
    """A branch with its own rows, which are at this depth, of a part of the text."""
    return branch._replace(before=branch.before + len(_rows(depth).findall(text, start, stop)))


def _line(depth: int, letter: bytes) -> bytes:
    """How a row at a depth begins."""
    return b"\n" + b" " * INDENT * depth + letter


@cache
def _rows(depth: int) -> re.Pattern[bytes]:
    """The rows at a depth that do not close anything."""
    return re.compile(_line(depth, rb"[^ \]}]"))


@cache
def _edges(depth: int) -> re.Pattern[bytes]:
    """The rows at a depth that open or close something; they take turns."""
    return re.compile(_line(depth, rb"(?! )(?:(?:" + _KEY.pattern + rb": )?[\[{](?=\n)|[\]}])"), re.DOTALL)


def _mark(depth: int, kind: int) -> str:
    return chr(depth << 2 | kind)


def _decoded(token: bytes) -> str:
    return token.decode("utf-8", errors="surrogateescape")


UNFOLDED = 1 << 20
"""A depth at which there is nothing: folding to it unfolds everything."""


class Folds:
    """The visible rows of a document, at first all of them. Positions count visible rows from 0."""

    def __init__(self, rows: JsonRows) -> None:
        self._rows = rows
        self._shown: Sequence[int] = range(len(rows))
        self._depth = UNFOLDED
        self._edges = lru_cache(maxsize=9)(lambda *where: array("I", chain.from_iterable(rows.branches(*where))))
        self._toggled = set[int]()  # branches less deep that are folded, and those as deep or deeper that are not

    def __len__(self) -> int:
        return len(self._shown)

    def row(self, place: int) -> int:
        return self._shown[place]

    def place(self, row: int) -> int:
        """The position of a row, or of the branch that it is folded into."""
        return max(bisect_right(self._shown, row) - 1, 0)

    def is_folded(self, row: int) -> bool:
        return self._rows.kind(row) == OPENS and (self._rows.depth(row) >= self._depth) != (row in self._toggled)

    def toggle(self, row: int) -> None:
        """Fold or unfold a branch; folded branches inside stay folded."""
        if self._rows.kind(row) == OPENS:
            self._toggled ^= {row}
            self._refresh()

    def reveal(self, row: int) -> None:
        """Unfold everything that hides a row."""
        opener = self._rows.opener(row)
        above = opener if opener != row else self._rows.parent(row)
        while above is not None:
            if self.is_folded(above):
                self._toggled ^= {above}
            above = self._rows.parent(above)
        self._refresh()

    def fold_to(self, depth: int) -> None:
        """Fold every branch at this depth or deeper, unfold all others."""
        self._depth = depth
        self._toggled = set()
        self._refresh()

    def _refresh(self) -> None:
        """Find the rows that no fold hides."""
        less_deep = ((one, self._rows.closer(one)) for one in sorted(self._toggled) if self._rows.depth(one) < self._depth)
        shown, row = array("I"), 0
        for branch, closer in merge(less_deep, self._folded(self._depth)):
            if branch >= row:
                shown.extend(range(row, branch + 1))
                row = closer + 1
        rest = range(row, len(self._rows))
        shown.extend(rest if row else ())
        self._shown = shown or rest

    def _folded(self, depth: int, around: int = 0) -> Iterator[tuple[int, int]]:
        """The folded branches inside one whose own are at a depth where all are folded but those that were toggled."""
        edges = iter(self._edges(depth, around) if depth < UNFOLDED else ())
        for branch, closer in zip(edges, edges, strict=True):
            if branch in self._toggled:
                yield from self._folded(depth + 1, branch)
            else:
                yield branch, closer
