"""Chooses calls of the history to record as one saved call."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from registry.journal.schema import Entry
from registry.text.local_time import local_moment
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.rows_below import RowsBelow, RowsDialog, lines_left
from tui.widgets.text_line import Line

_USUAL = 3


class CallRows(RowsBelow):
    """Calls that can be marked."""

    BINDINGS = [Binding("space", "wanted('mark')", show=False)]


class RecordDialog(RowsDialog["tuple[str, list[Entry]] | None"]):
    """Returns a name and the calls to record; the last few successful ones are marked.

    Args:
        entries: calls from the history, newest first.
    """

    DEFAULT_CSS = """
    RecordDialog {
        #box { width: 96; }
        Line { margin: 0 0 1 0; padding: 0 1; background: $background; }
        Line:focus { background: $panel; }
        CallRows { height: auto; min-height: 1; }
    }
    """

    widest = 96

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._entries = [one for one in entries if one.outcome == "ok"]
        self._marked = {one.id for one in self._entries[:_USUAL]}

    def compose(self) -> ComposeResult:
        """A line for the name, the calls, a message, and the keys."""
        with Vertical(id="box"):
            yield Static(Content.styled("Record calls as one saved call", "bold"), id="title")
            yield Line(compact=True, placeholder="Name; ↓ to choose its calls")
            yield CallRows(compact=True)
            yield Static(id="about")
            yield self.keys_line(("Enter", "Record"), ("↓", "Calls"), ("Space", "Mark"), ("Esc", "Close"))

    def on_mount(self) -> None:
        """Focus the line for the name."""
        self.query_one(Line).focus()

    def on_resize(self) -> None:
        """Give the list the height that the rest of the box leaves."""
        self._list.styles.max_height = lines_left(self.app.size.height)
        self._show()

    def action_enter_list(self) -> None:
        """Go from the line into the list."""
        self._list.focus()

    @on(RowsBelow.ActionRequested)
    def _action_requested(self, event: RowsBelow.ActionRequested) -> None:
        event.stop()
        one = self._at_cursor(self._entries)
        if event.what == "type":
            self.query_one(Line).focus()
        elif one is not None:
            self._marked ^= {one.id}
            self._show()

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _record(self, event: Input.Submitted | OptionList.OptionSelected) -> None:
        event.stop()
        name = self.query_one(Line).value.strip()
        chosen = [one for one in self._entries if one.id in self._marked]
        if not name:
            self.query_one(Line).focus()
            self._say("Type a name first.", "$text-warning")
        elif not chosen:
            self._say("Mark at least one call with Space.", "$text-warning")
        else:
            self.dismiss((name, chosen))

    def _show(self) -> None:
        place = self._list.highlighted or 0
        self._list.clear_options()
        self._list.add_options([Option(self._row(one)) for one in self._entries])
        self._list.highlighted = min(place, len(self._entries) - 1) if self._entries else None
        count = len(self._marked)
        words = (
            f"{count} {'call' if count == 1 else 'calls'} marked, recorded oldest first. Ids that one gave become references."
        )
        self._say(words if self._entries else "No calls yet. Run the calls first.")

    def _row(self, one: Entry) -> Content:
        sign = Content.styled("• " if one.id in self._marked else "  ", "$text-accent")
        subject = visible_line(one.subject)
        words = f"{local_moment(one.at)}  {one.tool}  {subject}"
        return Content.assemble(sign, Content(shortened(words, self._room - 2)))
