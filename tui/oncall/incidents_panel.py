"""The open incidents, one line each, and all that is known of the one at the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message
from textual.widgets import Static

from registry.display.safe_text import visible_line
from registry.oncall.board import IncidentRow
from registry.oncall.clocks import age, when
from registry.oncall.model import ACKNOWLEDGED
from registry.oncall.words import (
    Line,
    Piece,
    Tone,
    called,
    following,
    level,
    name_of,
    names,
    next_clock,
    next_tone,
    next_words,
    nothing,
    state,
)
from tui.oncall.past import past_words
from tui.oncall.pieces import PieceList, cell, content_of
from tui.oncall.watching import Watching
from tui.state.settings import key_of

_WIDE, _VERY_WIDE = 84, 128
"""Cells from which on services and next steps have more room, and from which on the assignee has a column."""
_FIXED = 38  # cells of the columns that are always as wide
_STATE_TONES: dict[str, Tone] = {"TRIG": "bad", "ACK": "warn", "SNZD": "quiet", "DONE": "good"}


class IncidentList(PieceList):
    """The rows. The cursor stays on its incident, whatever happens around it; until somebody moves it, on the worst one."""

    class Moved(Message):
        """The cursor stands on another incident."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(id="incident-list")
        self._watching = watching
        self._at = ""
        self._chosen = False

    def watch_over(self, watching: Watching) -> None:
        """Show another watch."""
        self.lines_replaced()
        self._watching, self._at, self._chosen = watching, "", False

    @property
    def line_count(self) -> int:
        """A line for each row; one that says why there is none."""
        return max(len(self._watching.rows), 1)

    @property
    def row(self) -> IncidentRow | None:
        """The incident at the cursor."""
        rows = self._watching.rows
        return self._watching.row(rows[self.cursor]) if self.cursor < len(rows) else None

    def show(self) -> None:
        """Rows have changed: stay on the incident, and where it stands on screen."""
        rows = self._watching.rows
        above = self.cursor - self.scroll_offset.y
        cursor = rows.index(self._at) if self._at in rows else min(self.cursor, max(len(rows) - 1, 0))
        self.lines_changed(cursor=cursor if self._chosen else 0)
        if self._chosen and self._at in rows:
            self.scroll_to(y=max(cursor - above, 0), animate=False, force=True)
        self.cursor_moved()

    def go_to(self, id_: str) -> None:
        """Put the cursor on an incident."""
        if id_ in self._watching.rows:
            self._chosen = True
            self.cursor = self._watching.rows.index(id_)

    def on_key(self) -> None:
        """Whoever presses a key here has an incident in mind."""
        self._chosen = True

    def clicked(self, line: int, times: int) -> None:
        """The same with the mouse."""
        self._chosen = True
        super().clicked(line, times)

    def cursor_moved(self) -> None:
        """Remember which incident that is."""
        row = self.row
        self._at = row.incident.id if row is not None else self._at
        self.post_message(self.Moved())

    def struck(self, number: int) -> bool:
        """What is over is struck through."""
        rows = self._watching.rows
        return number < len(rows) and self._watching.board.row(rows[number]) is None

    def line(self, number: int, width: int) -> Sequence[Piece]:
        """A row, with more columns where there is room."""
        watching, rows = self._watching, self._watching.rows
        if number >= len(rows):
            counts = watching.board.verdict
            why = [Piece(" "), *past_words(watching), nothing(watching.board, "incidents", counts.outside, "open incidents")]
            return [*why, Piece(f" {key_of(self.app, 'board_reset')} shows all.", "quiet")] if counts.outside else why
        row = watching.row(rows[number])
        return _line(row, watching, width) if row is not None else []


def _line(row: IncidentRow, watching: Watching, width: int) -> Line:
    one, now = row.incident, watching.clock()
    over = watching.board.row(one.id) is None
    mark = watching.marks.get(one.id, "")
    word = "DONE" if over and mark == "DONE" else state(row)
    loud = one.urgency == "high" and word == "TRIG"
    line = [
        cell(mark, 4, "mine"),
        Piece("◆" if row.mine else " ", "mine"),
        cell(word, 5, _STATE_TONES.get(word, "plain") if loud or word != "TRIG" else "warn"),
        cell(visible_line(one.urgency[:4]), 5, "strong" if one.urgency == "high" else "quiet"),
        cell(visible_line(one.priority[:4]), 3, "bad" if one.priority == "P1" else "strong"),
        cell(level(row), 5, "plain"),
        cell(age(now - one.created), 6, "warn" if row.neglected else "plain", right=True),
        Piece("! " if row.neglected else "  ", "warn"),
    ]
    service, coming, who = (12, 9, 0) if width < _WIDE else (15, 22, 0) if width < _VERY_WIDE else (16, 24, 17)
    title = max(width - _FIXED - service - coming - who, 8)
    line += [
        cell(visible_line(one.service.name), service - 1),
        Piece(" "),
        cell(visible_line(one.title), title - 1, "strong" if loud else "plain"),
        Piece(" "),
    ]
    if who:
        line += [cell(names((ref for ref, _ in one.assigned), watching.me), who - 1, "quiet"), Piece(" ")]
    if over:
        return line
    tone = next_tone(row, now)
    return [
        *line,
        cell(next_clock(row, now), 5, tone, right=True),
        Piece(" "),
        cell(next_words(row, watching.me), coming, tone),
    ]


class IncidentDetail(Static):
    """The incident at the cursor: its whole title, who has it, what comes next, and whether a page reached anybody."""

    DEFAULT_CSS = """
    IncidentDetail { height: 4; padding: 0 1; background: $surface; }
    """

    def show(self, row: IncidentRow | None, watching: Watching, *, dimmed: bool) -> None:
        """Tell of an incident; nothing without one."""
        told = [] if row is None else [*past_words(watching), *_told(row, watching, self.size.width)]
        self.update(content_of([Piece(piece.words, "quiet") for piece in told] if dimmed else told), layout=False)


def _told(row: IncidentRow, watching: Watching, width: int) -> Line:
    one, now, zone = row.incident, watching.clock(), watching.zone
    number = f"#{one.number} " if one.number is not None else ""
    facts = [name_of(one.service.name), name_of(one.policy.name)]
    facts.append(f"since {when(one.created, zone, now)}")
    facts.append(f"{one.alerts} alert{'' if one.alerts == 1 else 's'}")
    if row.neglected:
        facts.append("FORGOTTEN")
    who = names((ref for ref, _ in one.assigned), watching.me) or "nobody"
    state_words = state_sentence(row, watching)
    head = [cell(number + visible_line(one.title), max(width - 2, 20), "strong"), Piece("\n")]
    second = [Piece(f"{' · '.join(facts)}", "quiet"), Piece("\n")]
    third = [Piece("with "), Piece(who, "mine" if row.mine else "plain"), Piece(f" ({level(row)}), {state_words}; ")]
    coming = following(row, now, zone, watching.me)
    return [*head, *second, *third, coming, Piece("\n"), *called(row, zone, watching.me)]


def state_sentence(row: IncidentRow, watching: Watching) -> str:
    """For how long it has been in its state."""
    one, now = row.incident, watching.clock()
    if one.status == ACKNOWLEDGED:
        by = names((ref for ref, _ in one.acknowledged), watching.me)
        return f"acknowledged {'by ' + by + ' ' if by else ''}{age(now - one.since)} ago"
    return f"unanswered for {age(now - one.since)}" if one.open else "over"
