"""The log of all incidents, newest first."""

from __future__ import annotations

from collections.abc import Sequence

from registry.oncall.clocks import second
from registry.oncall.feed import LOUD
from registry.oncall.model import Event
from registry.oncall.words import Piece, Tone, nothing
from registry.text.safe_text import visible_line
from tui.oncall.pieces import PieceList, cell
from tui.oncall.watching import Watching

_WORDS = {
    "trigger": "TRIGGER",
    "acknowledge": "ack",
    "unacknowledge": "UNACK",
    "escalate": "ESCALATE",
    "repeat_escalation_path": "AGAIN",
    "exhaust_escalation_path": "EXHAUST",
    "resolve": "resolve",
    "notify": "page",
    "annotate": "note",
    "custom_field_value_change": "field",
    "field_value_change": "change",
    "urgency_change": "urgency",
    "reach_trigger_limit": "limit",
    "reach_ack_limit": "limit",
}


class FeedList(PieceList):
    """The log."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(id="feed-list")
        self._watching = watching
        self._at = ""

    def watch_over(self, watching: Watching) -> None:
        """Show another watch."""
        self._watching, self._at = watching, ""

    @property
    def line_count(self) -> int:
        """A line for each entry."""
        return max(len(self._watching.board.events), 1)

    @property
    def event(self) -> Event | None:
        """The entry at the cursor."""
        events = self._watching.board.events
        return events[self.cursor] if self.cursor < len(events) else None

    def show(self) -> None:
        """Show new entries: the cursor stays on its entry while the focus is here, otherwise it goes to the newest."""
        ids = [event.id for event in self._watching.board.events] if self.has_focus else []
        self.lines_changed(cursor=ids.index(self._at) if self._at in ids else self.cursor if self.has_focus else 0)
        if not self.has_focus:
            self.scroll_to(y=0, animate=False, force=True)

    def cursor_moved(self) -> None:
        """Remember the entry at the cursor."""
        self._at = self.event.id if self.event is not None else ""

    def line(self, number: int, width: int) -> Sequence[Piece]:
        """Time, kind of entry, service, and the service's own summary."""
        board = self._watching.board
        if number >= len(board.events):
            return [Piece(" "), nothing(board, "log", len(board.facts.events), "log entries")]
        event = board.events[number]
        tone: Tone = "warn" if event.kind in LOUD else "good" if event.kind == "resolve" else "quiet"
        word = _WORDS.get(event.kind, visible_line(event.kind.replace("_", " ")))
        line = [Piece(f" {second(event.at, self._watching.zone)} ", "quiet"), cell(word, 9, tone)]
        failed = event.outcome and event.outcome not in ("success", "delivered", "sent")
        said = visible_line(event.summary) + (" FAILED" if failed else "")
        service = 15 if width > 60 else 12
        line += [cell(visible_line(event.service.name), service, "plain"), Piece(" ")]
        room = max(width - 20 - service, 10)
        return [*line, cell(f"{said} · {visible_line(event.incident.name)}" if width > 80 else said, room, "plain")]
