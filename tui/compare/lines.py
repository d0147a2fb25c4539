"""The comparison line by line, in two columns side by side.

Every difference has a sign before it, so that nothing is shown by colour alone: `+` added, `-` removed, `~` changed, `↕` moved.
"""

from collections.abc import Callable

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from registry.results.comparison import ChangeKind, ComparedRow, Comparison
from tui.compare.cells import Cell, cells_of
from tui.compare.visible_rows import VisibleRows
from tui.json_view.drawing import fitted
from tui.keyboard.commands import bindings
from tui.widgets.line_list import LineList, component_css

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

    def clicked(self, line: int, times: int) -> None:
        if times > 1:
            self.action_toggle_fold()

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
        parts += self._value(cell, value, self.style(f"compare--{colour}-part"), room - cell_len(cell.name) - 8)
        if cell.note:
            parts.append(Segment(f" {cell.note}", self.style("compare--mark") + Style(italic=True)))
        if cell.means:
            parts.append(Segment(f" ‹ {cell.means}", self.style("compare--mark")))
        return parts

    def _value(self, cell: Cell, plain: Style, part: Style, room: int) -> list[Segment]:
        """A value with its differing part marked; cut at the start if this part would not be visible."""
        begin, end = cell.marked
        start = max(begin - min(_BEFORE_CHANGE, room // 4), 0) if end > begin > room - _BEFORE_CHANGE else 0
        pieces = [("…" if start else "", plain), (cell.value[start:begin], plain), (cell.value[begin:end], part)]
        return [Segment(text, style) for text, style in [*pieces, (cell.value[end:], plain)] if text]
