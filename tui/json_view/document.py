"""A JSON text as rows: flat lists that say, for each row, how deep it is, what it shows and where its value ends.

The text itself is kept, token by token; nothing is turned into numbers and back. Making the rows of a large text takes a while
and belongs into a thread; folding and moving are then cheap.
"""

from __future__ import annotations

from bisect import bisect_left

from registry.calling.json_text import NotJson, tokens

_OPENING, _CLOSING = {"{": "}", "[": "]"}, {"}", "]"}


class Document:
    """The rows of one JSON text, and which of them are visible.

    Attributes:
        keys: of each row, its member's name as it stands in the text, quotes included; None for elements and ends.
        values: of each row, its scalar, or the bracket that opens or closes.
        depths: of each row, how deep it lies.
        ends: of a row that opens, the row that closes; of every other row, the row itself.
        sizes: of a row that opens, how many members or elements it has; 0 otherwise.
        commas: whether a comma follows.
        visible: the rows that are to be seen, in order.
    """

    def __init__(self) -> None:
        self.keys: list[str | None] = []
        self.values: list[str] = []
        self.depths: list[int] = []
        self.ends: list[int] = []
        self.sizes: list[int] = []
        self.commas: list[bool] = []
        self.visible: list[int] = []
        self.folded: set[int] = set()

    @classmethod
    def parse(cls, text: str) -> Document:
        """Make the rows of a JSON text.

        Raises:
            NotJson: the text is not JSON.
        """
        document = cls()
        document._read(text)
        document.visible = list(range(len(document.values)))
        return document

    @property
    def empty_rows(self) -> bool:
        """Whether there is nothing to show."""
        return not self.values

    def is_branch(self, row: int) -> bool:
        """Whether a row opens an object or a list that has something in it."""
        return self.ends[row] > row

    def toggle(self, place: int) -> None:
        """Fold or unfold the row at a place among the visible ones."""
        row = self.visible[place]
        if row in self.folded:
            self.folded.discard(row)
            inside = self._shown_between(row + 1, self.ends[row] + 1)
            self.visible[place + 1 : place + 1] = inside
        elif self.is_branch(row):
            last = bisect_left(self.visible, self.ends[row] + 1)
            del self.visible[place + 1 : last]
            self.folded.add(row)

    def fold_all(self) -> None:
        """Fold everything but the outermost level; of a page, its items stay in sight, folded."""
        branches = [row for row in range(len(self.values)) if self.is_branch(row) and self.depths[row] >= 1]
        widest = max(branches, key=lambda row: self.ends[row] - row, default=None)
        if widest is not None and self.values[widest] == "[" and 2 * (self.ends[widest] - widest) > len(self.values):
            branches.remove(widest)
        self.folded = set(branches)
        self.visible = self._shown_between(0, len(self.values))

    def unfold_all(self) -> None:
        """Unfold everything."""
        self.folded.clear()
        self.visible = list(range(len(self.values)))

    def parent(self, place: int) -> int | None:
        """The place of the row that holds the row at a place."""
        depth = self.depths[self.visible[place]]
        row = self.visible[place]
        if self.values[row] in _CLOSING and self.ends[row] == row:
            depth += 1
        for above in range(place - 1, -1, -1):
            if self.depths[self.visible[above]] < depth and self.is_branch(self.visible[above]):
                return above
        return None

    def opening(self, row: int) -> int:
        """Of a row that closes, the row that opens; of every other row, the row itself."""
        if self.values[row] not in _CLOSING:
            return row
        return next(above for above in range(row - 1, -1, -1) if self.ends[above] == row)

    def text(self, row: int) -> str:
        """The JSON text of a row's value, a branch with everything in it, on one line."""
        if not self.is_branch(row):
            return self.values[row]
        parts = []
        for one in range(row, self.ends[row] + 1):
            key = self.keys[one]
            parts.append((f"{key}: " if key is not None and one > row else "") + self.values[one])
            parts.append(", " if self.commas[one] and one < self.ends[row] else "")
        return "".join(parts)

    def _shown_between(self, start: int, stop: int) -> list[int]:
        shown = []
        row = start
        while row < stop:
            shown.append(row)
            row = self.ends[row] + 1 if row in self.folded else row + 1
        return shown

    def _read(self, text: str) -> None:
        open_rows: list[int] = []
        key: str | None = None
        before = ""
        for token in tokens(text):
            if token == ":":
                key = self.values.pop()
                self._forget_last()
            elif token == ",":
                self.commas[-1] = True
            elif token in _CLOSING:
                if not open_rows or _OPENING[self.values[open_rows[-1]]] != token:
                    raise NotJson(f"{token} closes nothing")
                opened = open_rows.pop()
                if before in _OPENING:
                    self.values[opened] += token
                else:
                    self._row(None, token, len(open_rows))
                    self.ends[opened] = len(self.values) - 1
            else:
                if open_rows and before != ":":
                    self.sizes[open_rows[-1]] += 1
                self._row(key, token, len(open_rows))
                key = None
                if token in _OPENING:
                    open_rows.append(len(self.values) - 1)
            before = token
        if open_rows:
            raise NotJson("the text ends too early")

    def _row(self, key: str | None, value: str, depth: int) -> None:
        self.keys.append(key)
        self.values.append(value)
        self.depths.append(depth)
        self.ends.append(len(self.values) - 1)
        self.sizes.append(0)
        self.commas.append(False)

    def _forget_last(self) -> None:
        for column in (self.keys, self.depths, self.ends, self.sizes, self.commas):
            column.pop()
