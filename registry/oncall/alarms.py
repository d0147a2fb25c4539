"""What is worth waking somebody for, once each: told from one board to the next."""

from __future__ import annotations

from dataclasses import dataclass

from registry.display.safe_text import shortened, visible_line
from registry.oncall.board import Board
from registry.oncall.clocks import MINUTE
from registry.oncall.model import TRIGGERED

STALE_FOR = 3 * MINUTE
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Alarm:
    """One reason to ring: a key that it goes by, and words that are safe to show."""

    key: str
    words: str

    @property
    def kind(self) -> str:
        """What it is, in one word: the first of its key."""
        return self.key.partition(" ")[0]


class Alarms:
    """Finds what is new between two boards; whatever was told, or was there at the beginning, is not told again."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._begun = False
        self._stale = False

    def look(self, board: Board, now: float) -> list[Alarm]:
        """The alarms that this board brings."""
        found = [alarm for alarm in _of(board) if alarm.key not in self._told]
        loaded = board.facts.panel("incidents").at is not None
        if loaded:
            self._told |= {alarm.key for alarm in found}
        news = found if self._begun else []
        self._begun = self._begun or loaded
        read = board.facts.panel("incidents").at
        stale = read is not None and now - read >= STALE_FOR
        if stale and not self._stale:
            news.append(Alarm("stale", f"Callboard: incidents not updated for {int((now - (read or now)) // MINUTE)} min"))
        self._stale = stale
        return news


def _of(board: Board) -> list[Alarm]:
    """Everything on a board that may ring. Keys hold the moment: what happens again may ring again."""
    found = []
    me = board.mine.me.id if board.mine.me else ""
    for row in board.rows:
        one = row.incident
        title = shortened(visible_line(f"{one.service.name}: {one.title}"), _LONGEST)
        if one.urgency == "high" and one.status == TRIGGERED:
            if one.changed > one.created + 1:
                found.append(Alarm(f"back {one.id} {one.changed}", f"Triggered again: {title}"))
            else:
                found.append(Alarm(f"new {one.id}", f"New: {title}"))
        if row.mine and one.status == TRIGGERED:
            since = max((at for ref, at in one.assigned if ref.id == me), default=0.0)
            if since > one.created + 1:
                found.append(Alarm(f"mine {one.id} {since}", f"Escalated to you: {title}"))
        if row.next.kind == "exhausted":
            found.append(Alarm(f"exhausted {one.id} {one.since}", f"Escalation exhausted, nobody left to page: {title}"))
    return found
