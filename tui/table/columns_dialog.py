"""Chooses the columns of a table and their order."""

from collections.abc import Sequence

from textual.binding import Binding
from textual.content import Content

from registry.results.column import Column
from registry.results.columns import Columns
from registry.text.safe_text import shortened
from tui.dialogs.dialog import Keys, RowsDialog

_SHOWN = 60


class ColumnsDialog(RowsDialog["list[Column]"]):
    """Returns the columns to show, in order. The list has the shown columns first, then all others.

    Args:
        columns: all columns, and those that the data suggests.
        shown: the columns shown now.
    """

    BINDINGS = [
        Binding("space", "show_or_hide", "Show or hide"),
        Binding("shift+up", "move(-1)", "Up"),
        Binding("shift+down", "move(1)", "Down"),
        Binding("r", "suggested", "As suggested"),
    ]

    heading = "Columns"
    keys: Keys = (("Space", "Show or hide"), ("Shift+↑ ↓", "Move"), ("r", "Reset"), ("Enter", "Apply"), ("Esc", "Close"))
    widest = 84

    def __init__(self, columns: Columns, shown: Sequence[Column]) -> None:
        super().__init__()
        self._suggested, self._left_out = columns.first, columns.left_out
        self._order = [*shown, *(column for column in columns.all if column not in shown)]
        self._shown = set(shown)

    def action_show_or_hide(self) -> None:
        if (column := self.at_cursor(self._order)) is not None:
            self._shown ^= {column}
            self._refill(self._order.index(column) + 1)

    def action_move(self, step: int) -> None:
        place = self.rows.highlighted
        if place is not None and 0 <= place + step < len(self._order):
            self._order.insert(place + step, self._order.pop(place))
            self._refill(place + step)

    def action_suggested(self) -> None:
        self._order = [*self._suggested, *(column for column in self._order if column not in self._suggested)]
        self._shown = set(self._suggested)
        self._refill(0)

    def _take(self) -> None:
        if chosen := [column for column in self._order if column in self._shown]:
            self.dismiss(chosen)

    def _refill(self, at: int | None = None) -> None:
        count = f"{len(self._shown)} of {len(self._order)} shown" if self._shown else "Show at least one column."
        self.say(count + (f" · {self._left_out:,} more do not fit into a table" if self._left_out else ""))
        self.fill(map(self._row, self._order), at)

    def _row(self, column: Column) -> Content:
        title = shortened(column.title, _SHOWN)
        if column in self._shown:
            return Content.assemble(Content.styled("✓ ", "$text-accent"), title)
        return Content.styled(f"  {title}", "$foreground-muted")
