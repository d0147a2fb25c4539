"""Finds the reasons for an alarm between two boards, each once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from registry.oncall.board import Board, IncidentRow
from registry.oncall.clocks import MINUTE
from registry.oncall.model import TRIGGERED
from registry.oncall.scope import Scope
from registry.text.safe_text import shortened, visible_line

STALE_FOR = 3 * MINUTE
_ALL_TEAMS = Scope()
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Alarm:
    """A reason for an alarm: its key, and words that are safe to show."""

    key: str
    words: str

    @property
    def kind(self) -> str:
        """Its kind: the first part of its key."""
        return self.key.partition(" ")[0]


class Alarms:
    """Finds what is new between two boards. Reasons that were reported, or were there at first, are not reported again."""

    def __init__(self) -> None:
        self._announced: set[str] = set()
        self._last: Board | None = None
        self._begun = False
        self._stale = False

    def look(self, board: Board, now: float, scope: Scope = _ALL_TEAMS) -> list[Alarm]:
        """The alarms that are new on this board.

        Args:
            board: all open incidents, also those that a filter hides on screen.
            now: the time.
            scope: its teams; incidents of other teams give an alarm only if they are mine.
        """
        loaded = board.facts.panel("incidents").at is not None
        news: list[Alarm] = []
        # The same board is checked again each second, and may have thousands of rows: it has nothing new.
        if loaded and board is not self._last:
            self._last = board
            found = {key: (lead, row) for key, lead, row in _of(board) if key not in self._announced}
            self._announced |= found.keys()
            if self._begun:
                news = [
                    Alarm(key, f"{lead}: {_titled(row)}")
                    for key, (lead, row) in found.items()
                    if row.mine or scope.of_teams(row.incident.teams)
                ]
            self._begun = True
        read = board.facts.panel("incidents").at
        stale = read is not None and now - read >= STALE_FOR
        if stale and not self._stale:
            news.append(Alarm("stale", f"Callboard: incidents not updated for {int((now - (read or now)) // MINUTE)} min"))
        self._stale = stale
        return news


def _of(board: Board) -> Iterator[tuple[str, str, IncidentRow]]:
    """All reasons on a board: key, first words and row. Keys contain the time, so that a repeated event rings again."""
    me = board.mine.me.id if board.mine.me else ""
    for row in board.rows:
        one = row.incident
        if one.high and one.status == TRIGGERED:
            if one.changed > one.created + 1:
                yield f"back {one.id} {one.changed}", "Triggered again", row
            else:
                yield f"new {one.id}", "New", row
        if row.mine and one.status == TRIGGERED:
            since = max((at for ref, at in one.assigned if ref.id == me), default=0.0)
            if since > one.created + 1:
                yield f"mine {one.id} {since}", "Escalated to you", row
        if row.next.kind == "exhausted":
            yield f"exhausted {one.id} {one.since}", "Escalation exhausted, nobody left to page", row


def _titled(row: IncidentRow) -> str:
    return shortened(visible_line(f"{row.incident.service.name}: {row.incident.title}"), _LONGEST)
