"""Chooses the columns of a table and their order."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from registry.results.columns import Column, Columns
from registry.text.safe_text import shortened
from tui.dialogs.dialog import Dialog
from tui.widgets.scrolling import Rows

_SHOWN = 60


class ColumnsDialog(Dialog["list[Column]"]):
    """Returns the columns to show, in order. The list has the shown columns first, then all others.

    Args:
        columns: all columns, and those that the data suggests.
        shown: the columns shown now.
    """

    DEFAULT_CSS = """
    ColumnsDialog {
        OptionList { height: auto; max-height: 60vh; }
    }
    """

    BINDINGS = [
        Binding("space", "show_or_hide", "Show or hide"),
        Binding("H,shift+up", "move(-1)", "Up"),
        Binding("L,shift+down", "move(1)", "Down"),
        Binding("r", "suggested", "As suggested"),
    ]

    def __init__(self, columns: Columns, shown: Sequence[Column]) -> None:
        super().__init__()
        self._suggested = columns.first
        self._left_out = columns.left_out
        self._order = [*shown, *(column for column in columns.all if column not in shown)]
        self._shown = set(shown)

    def compose(self) -> ComposeResult:
        """The columns, with a mark at the shown ones."""
        with VerticalScroll(id="box", can_focus=False):
            yield Static(id="title")
            yield Rows(compact=True)
            yield self.keys_line(
                ("Space", "Show or hide"), ("H L", "Move"), ("r", "Reset"), ("Enter", "Apply"), ("Esc", "Close")
            )

    def on_mount(self) -> None:
        """Focus the list."""
        self._fill(0)
        self.query_one(OptionList).focus()

    def action_show_or_hide(self) -> None:
        """Show the column at the cursor, or hide it."""
        place = self.query_one(OptionList).highlighted
        if place is not None:
            self._shown ^= {self._order[place]}
            self._fill(min(place + 1, len(self._order) - 1))

    def action_move(self, step: int) -> None:
        """Move the column at the cursor."""
        place = self.query_one(OptionList).highlighted
        if place is not None and 0 <= place + step < len(self._order):
            self._order.insert(place + step, self._order.pop(place))
            self._fill(place + step)

    def action_suggested(self) -> None:
        """Show the columns that the data suggests."""
        self._order = [*self._suggested, *(column for column in self._order if column not in self._suggested)]
        self._shown = set(self._suggested)
        self._fill(0)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the marked columns; do nothing if none are marked."""
        event.stop()
        chosen = [column for column in self._order if column in self._shown]
        if chosen:
            self.dismiss(chosen)

    def _fill(self, place: int) -> None:
        count = f"{len(self._shown)} of {len(self._order)} shown" if self._shown else "show at least one column"
        if self._left_out:
            count += f" · {self._left_out:,} more do not fit into a table"
        title = Content.assemble(Content.styled("Columns", "bold"), Content.styled(f"  {count}\n", "$foreground-muted"))
        self.query_one("#title", Static).update(title)
        options = self.query_one(OptionList)
        options.set_options(self._option(column) for column in self._order)
        options.highlighted = place if self._order else None

    def _option(self, column: Column) -> Option:
        title = shortened(column.title, _SHOWN)
        if column in self._shown:
            return Option(Content.assemble(Content.styled("✓ ", "$text-accent"), Content(title)))
        return Option(Content.styled(f"  {title}", "$foreground-muted"))
