"""Chooses calls of the history to record as one saved call."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from registry.journal.schema import Entry
from registry.text.local_time import local_moment
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.dialog import Keys
from tui.dialogs.rows_below import RowsBelow, RowsDialog
from tui.widgets.text_line import Line

_USUAL = 3


class RecordDialog(RowsDialog["tuple[str, list[Entry]] | None"]):
    """Returns a name and the calls to record; the last few successful ones are marked.

    Args:
        entries: calls from the history, newest first.
    """

    DEFAULT_CSS = """
    RecordDialog { #box { width: 96; } }
    """

    BINDINGS = [Binding("space", "mark", show=False)]
    AUTO_FOCUS = "Line"

    heading = "Record calls as one saved call"
    keys: Keys = (("Enter", "Record"), ("↓", "Calls"), ("Space", "Mark"), ("Esc", "Close"))
    widest = 96

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self._entries = [one for one in entries if one.outcome == "ok"]
        self._marked = {one.id for one in self._entries[:_USUAL]}

    def _body(self) -> ComposeResult:
        yield Line(compact=True, placeholder="Name; ↓ to choose its calls")
        yield RowsBelow(compact=True)
        yield Static(id="said")

    def action_mark(self) -> None:
        """Mark or unmark the call at the cursor."""
        if (one := self.at_cursor(self._entries)) is not None:
            self._marked ^= {one.id}
            self._refill()

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _record(self, event: Input.Submitted | OptionList.OptionSelected) -> None:
        event.stop()
        name = self.query_one(Line).value.strip()
        chosen = [one for one in self._entries if one.id in self._marked]
        if not name:
            self.action_type()
            self.say("Type a name first.", "$text-warning")
        elif not chosen:
            self.say("Mark at least one call with Space.", "$text-warning")
        else:
            self.dismiss((name, chosen))

    def _refill(self) -> None:
        self.fill(self._row(one) for one in self._entries)
        count = len(self._marked)
        calls = f"{count} {'call' if count == 1 else 'calls'}"
        words = f"{calls} marked, recorded oldest first. Ids that one gave become references."
        self.say(words if self._entries else "No calls yet. Run the calls first.")

    def _row(self, one: Entry) -> Content:
        sign = Content.styled("• " if one.id in self._marked else "  ", "$text-accent")
        words = f"{local_moment(one.at)}  {one.tool}  {visible_line(one.subject)}"
        return Content.assemble(sign, Content(shortened(words, self.room - 2)))
