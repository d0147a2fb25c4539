"""Chooses calls of the history to record as one saved call."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from registry.journal.schema import Entry
from registry.text.readings import local_moment
from registry.text.safe_text import shortened, visible_line
from tui.dialogs.choose import MarkingDialog
from tui.dialogs.dialog import Keys

_USUAL = 3


class RecordDialog(MarkingDialog):
    """Returns the ids of the calls to record; the last few are marked.

    Args:
        entries: calls from the history that worked, newest first.
    """

    keys: Keys = (("Space", "Mark"), ("Enter", "Record"), ("Esc", "Close"))

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        ids = [str(one.id) for one in entries]
        super().__init__("Record calls as one saved call", ids, ids[:_USUAL])

    def _words(self, place: int) -> Content:
        one = self._entries[place]
        return Content(shortened(f"{local_moment(one.at)}  {one.tool}  {visible_line(one.subject)}", 74))

    def _note(self) -> str:
        count = len(self._marked)
        calls = f"{count} {'call' if count == 1 else 'calls'}"
        words = f"{calls} marked, recorded oldest first. Ids that one gave become references."
        return words if self._entries else "No calls yet. Run the calls first."

    def action_take(self) -> None:
        """Return the marked calls, if there are any."""
        if self._marked:
            super().action_take()
