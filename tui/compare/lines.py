"""The comparison line by line, in two columns side by side: changes with their ancestors, or everything; secrets redacted.

Every difference has a sign before it, so that nothing is shown by colour alone: `+` added, `-` removed, `~` changed, `↕` moved.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from registry.calling.receiving import MASKED, is_sensitive, mask
from registry.json_text import dumps
from registry.results.comparison import ChangeKind, ComparedRow, Comparison, Node, values_in
from registry.text.shown import reading, visible, visible_json, visible_line
from tui.json_view.document import spelled
from tui.json_view.view import fitted
from tui.keyboard.commands import bindings
from tui.widgets.line_list import LineList, component_css

_LONG = 12


class Entry(NamedTuple):
    """A line: a row; or, from that row on, a number of `equal` neighbouring properties or items, the same on both sides."""

    row: ComparedRow
    equal: int = 0


class VisibleRows:
    """The visible lines. Positions count them from 0.

    Equal branches, long added or removed ones, and moved ones are folded at first, and equal neighbours are one line: they
    would hide the changes.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._root = comparison.root
        self._folded: dict[ComparedRow, bool] = {}  # what the user chose
        self._all_unfolded = False
        self._opened: set[ComparedRow] = set()  # equal neighbours, by the first of them
        self._refresh()

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, place: int) -> Entry:
        return self._lines[place]

    def place(self, row: ComparedRow) -> int:
        """The position of a row, or of the line that it is hidden in."""
        one: ComparedRow | None = row
        while one is not None and one not in self._places:
            one = one.above
        return self._places[one] if one is not None else 0

    def is_folded(self, row: ComparedRow) -> bool:
        if not row.children:
            return False
        folded = self._folded.get(row)
        return folded if folded is not None else not self._all_unfolded and self._starts_folded(row)

    def toggle(self, place: int) -> None:
        """Fold or unfold the branch at a position, or show the equal lines there."""
        row, equal = self[place]
        if equal:
            self._opened.add(row)
        else:
            self._folded[row] = not self.is_folded(row)
        self._refresh()

    def reveal(self, row: ComparedRow) -> None:
        above = row.above
        while above is not None:
            self._folded[above] = False
            above = above.above
        self._refresh()

    def unfold_all(self) -> None:
        self._folded.clear()
        self._all_unfolded = True
        self._refresh()

    def fold_all(self) -> None:
        """Fold everything but the outermost level; if a list is nearly everything, its items stay visible."""
        for row in self._root.children:
            nearly_all = 2 * values_in(row.node.value) > values_in(self._root.node.value)
            self._folded[row] = not nearly_all
            self._folded.update(dict.fromkeys(row.children if nearly_all else (), True))
        self._refresh()

    def _starts_folded(self, row: ComparedRow) -> bool:
        if row.kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
            return values_in(row.node.value) > _LONG
        return row is not self._root and row.kind != ChangeKind.CHANGED and not row.holds

    def _refresh(self) -> None:
        self._lines: list[Entry] = []
        self._places: dict[ComparedRow, int] = {}
        for entry, rows in self._visible([self._root], equal=True):
            self._places.update(dict.fromkeys(rows, len(self._lines)))
            self._lines.append(entry)

    def _visible(self, rows: Sequence[ComparedRow], *, equal: bool) -> Iterator[tuple[Entry, Sequence[ComparedRow]]]:
        """The lines of some neighbours, each with its rows; `equal`: each equal one as well."""
        for differs, group in groupby(rows, key=lambda row: equal or row.differs):
            some = list(group)
            if not differs and some[0] not in self._opened:
                yield Entry(some[0], len(some) if len(some) > 1 or some[0].children else 0), some
                continue
            for row in some:
                yield Entry(row), [row]
                if not self.is_folded(row):
                    yield from self._visible(row.children, equal=self._all_unfolded or not differs)


_LONGEST = 2_000
_TELLING = ("id", "name", "email", "type", "summary")


class Cell(NamedTuple):
    """One side of a line.

    Attributes:
        name: the property's name, or the item's index in brackets.
        value: a scalar, or the brackets of a branch; safe, and cut if it is very long.
        note: a label for a branch; empty for scalars.
        means: the meaning of a scalar, such as a date or an amount with its currency; empty if there is nothing to add.
        marked: where the part of the value that differs from the other side starts and ends.
    """

    name: str
    value: str
    note: str = ""
    means: str = ""
    marked: tuple[int, int] = (0, 0)


def cells_of(row: ComparedRow, *, folded: bool) -> tuple[Cell | None, Cell | None]:
    """Both sides of a row; None for a side that does not have it."""
    one, other = (_cell(node, folded) if node is not None else None for node in (row.left, row.right))
    if one is None or other is None or row.kind != ChangeKind.CHANGED or one.note or other.note:
        return one, other
    start = _common(one.value, other.value)
    ends = _common(one.value[start:][::-1], other.value[start:][::-1])
    return one._replace(marked=(start, len(one.value) - ends)), other._replace(marked=(start, len(other.value) - ends))


def path_of(row: ComparedRow) -> str:
    """The path to a row, safe to show and to copy; that of the left side if it has the row."""
    steps = [step if isinstance(step, int) else dumps(step) for step in row.node.steps]
    return visible_line(spelled(steps)) or "the full result"


def whole(node: Node, *, masked: bool) -> str:
    """A value as text in several lines, strings without their quotes."""
    if node.opening:
        text = node.text(laid_out=True)
        return visible_json(mask(text.encode("utf-8", "surrogatepass"))[0].decode("utf-8", "replace") if masked else text)
    if masked and is_sensitive(_quoted_name(node), node.text()):
        return MASKED
    return visible(node.value) if node.text().startswith('"') else visible_json(node.text())


def detail(node: Node | None) -> str:
    """A value and its meaning, in one line; empty without one."""
    if node is None:
        return ""
    cell = _cell(node, True)
    return " ".join(part for part in (cell.value, cell.note, f" ‹ {cell.means}" if cell.means else "") if part)


def _common(one: str, other: str) -> int:
    """How many letters two texts have in common at their beginnings."""
    differing = (place for place, (letter, beside) in enumerate(zip(one, other, strict=False)) if letter != beside)
    return next(differing, min(len(one), len(other)))


def _quoted_name(node: Node) -> str | None:
    return dumps(node.name) if node.name is not None else None


def _cell(node: Node, folded: bool) -> Cell:
    shown = visible_line(node.name) if node.name is not None else f"[{node.place}]" if node.above is not None else ""
    if not node.opening:
        name, text = _quoted_name(node), node.text()
        value = MASKED if is_sensitive(name, text) else visible_json(text[:_LONGEST])
        means = reading(name, text, partial(_beside, node), time.time())
        return Cell(shown, value + ("…" if len(text) > _LONGEST else ""), means=visible_line(means))
    closing = {"{": "}", "[": "]"}[node.opening]
    count = len(node.children)
    # Its id, or the first property that names it.
    values = (node.value.get(name) for name in _TELLING) if isinstance(node.value, dict) else ()
    about = next((visible_line(one[:60]) for one in values if one and type(one) is str), "")
    if not count:
        return Cell(shown, node.opening + closing)
    if not folded:
        return Cell(shown, node.opening, about)
    nouns = ("property", "properties") if node.opening == "{" else ("item", "items")
    note = f"{count:,} {nouns[count != 1]}" + (f" · {about}" if about else "")
    return Cell(shown, f"{node.opening}…{closing}", note)


def _beside(node: Node, name: str) -> object:
    return node.above.value.get(name) if node.above is not None and node.name is not None else None


SIGNS = {
    ChangeKind.SAME: " ",
    ChangeKind.ADDED: "+",
    ChangeKind.REMOVED: "-",
    ChangeKind.CHANGED: "~",
    ChangeKind.MOVED: "↕",
}

_STYLES = {
    "name": "color: $foreground",
    "same": "color: $foreground-muted",
    "mark": "color: $foreground-muted",
    "added": "color: $text-success",
    "removed": "color: $text-error",
    "changed": "color: $text-warning",
    "moved": "color: $text-secondary",
    "added-part": "color: $text-success; text-style: bold underline",
    "removed-part": "color: $text-error; text-style: bold underline",
}
_INDENT, _DEEPEST = 2, 8
_BEFORE_CHANGE = 12  # letters shown before the first difference of a cut value


class CompareLines(LineList):
    """Shows one comparison."""

    BINDINGS = bindings("compare")
    COMPONENT_CLASSES = {f"compare--{name}" for name in _STYLES}
    DEFAULT_CSS = component_css("CompareLines", "compare", _STYLES)

    double_click = "toggle_fold"

    class Moved(Message):
        """The cursor moved to another line."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._shown: VisibleRows | None = None

    @property
    def line_count(self) -> int:
        return len(self._shown) if self._shown is not None else 0

    @property
    def row(self) -> ComparedRow | None:
        """The row at the cursor, or the first row of the equal lines there."""
        return self._shown[self.cursor].row if self._shown is not None and self.line_count else None

    @property
    def equal(self) -> int:
        """How many equal lines the line at the cursor replaces; 0 for a row."""
        return self._shown[self.cursor].equal if self._shown is not None and self.line_count else 0

    def show(self, made: Comparison, shown: VisibleRows, row: ComparedRow | None = None) -> None:
        """Show a comparison, with the cursor on a row or on the first difference."""
        self.lines_replaced()
        self._shown = shown
        self.lines_changed(cursor=0)
        self.go_to(row or next(iter(made.changes), made.root))

    def place_of(self, row: ComparedRow) -> int:
        """The line of a row, or the one that it is hidden in."""
        return self._shown.place(row) if self._shown is not None else 0

    def go_to(self, row: ComparedRow) -> None:
        """Unfold what hides a row, and move the cursor to it."""
        if self._shown is not None:
            self._shown.reveal(row)
            self.lines_changed(cursor=self._shown.place(row))
            self.cursor_moved()

    def draw(self, line: int, width: int) -> list[Segment]:
        assert self._shown is not None
        row, equal = self._shown[line]
        indent = " " * (_INDENT * min(row.depth, _DEEPEST))
        half = (width - 5) // 2
        divider = Segment(" │ ", self.style("compare--mark"))
        if equal:
            words = set_cell_size(f"  {indent}  … {equal:,} equal {'line' if equal == 1 else 'lines'} …", half + 2)
            return [Segment(words, self.style("compare--same")), divider]
        folded = self._shown.is_folded(row)
        mark = "▸ " if folded else "▾ " if row.children else "  "
        name = "mark" if row.kind == ChangeKind.SAME else row.kind.name.lower()
        parts = [Segment(f"{SIGNS[row.kind]} ", self.style(f"compare--{name}") + Style(bold=True))]
        left, right = cells_of(row, folded=folded)
        for cell, room, kind in ((left, half, ChangeKind.REMOVED), (right, width - 5 - half, ChangeKind.ADDED)):
            if parts[1:]:
                parts.append(divider)
            text = [Segment(indent + mark, self.style("compare--mark")), *self._cell(cell, row, kind, room)] if cell else []
            parts += Segment.adjust_line_length(fitted(text, room), room)
        return parts

    def cursor_moved(self) -> None:
        self.post_message(self.Moved())

    def action_toggle_fold(self) -> None:
        if self._shown is not None and self.line_count:
            self._shown.toggle(self.cursor)
            self.lines_changed()
            self.cursor_moved()

    def action_fold(self) -> None:
        row = self.row
        if self._shown is None or row is None:
            return
        if row.children and not self.equal and not self._shown.is_folded(row):
            self.action_toggle_fold()
        elif row.above is not None:
            self.cursor = self._shown.place(row.above)

    def action_unfold(self) -> None:
        row = self.row
        if self._shown is not None and row is not None and (self.equal or self._shown.is_folded(row)):
            self.action_toggle_fold()
        else:
            self.action_move(1)

    def action_fold_all(self) -> None:
        self._change(VisibleRows.fold_all)

    def action_unfold_all(self) -> None:
        self._change(VisibleRows.unfold_all)

    def _change(self, how: Callable[[VisibleRows], None]) -> None:
        if self._shown is not None and (row := self.row) is not None:
            how(self._shown)
            self.lines_changed(cursor=self._shown.place(row))
            self.cursor_moved()

    def _cell(self, cell: Cell, row: ComparedRow, side: ChangeKind, room: int) -> list[Segment]:
        """A name and a value; differences in the colour of the side."""
        kind = row.kind
        differs = kind in (side, ChangeKind.CHANGED)
        colour = "added" if side == ChangeKind.ADDED else "removed"
        value = self.style(
            f"compare--{colour}" if differs else "compare--moved" if kind == ChangeKind.MOVED else "compare--same"
        )
        quiet = kind == ChangeKind.SAME and not row.holds
        name = self.style("compare--moved" if kind == ChangeKind.MOVED else "compare--same" if quiet else "compare--name")
        parts = [Segment(cell.name, name), Segment(": " if cell.name else "", self.style("compare--mark"))]
        part = self.style(f"compare--{colour}-part")
        room -= cell_len(cell.name) + 8
        # The start is cut if the differing part would not be visible.
        begin, end = cell.marked
        start = max(begin - min(_BEFORE_CHANGE, room // 4), 0) if end > begin > room - _BEFORE_CHANGE else 0
        pieces = [("…" if start else "", value), (cell.value[start:begin], value), (cell.value[begin:end], part)]
        parts += [Segment(text, style) for text, style in [*pieces, (cell.value[end:], value)] if text]
        if cell.note:
            parts.append(Segment(f" {cell.note}", self.style("compare--mark") + Style(italic=True)))
        if cell.means:
            parts.append(Segment(f" ‹ {cell.means}", self.style("compare--mark")))
        return parts
