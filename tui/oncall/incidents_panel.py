"""The open incidents in lanes or groups, one line each, and the details of the one at the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.message import Message

from registry.oncall.board import IncidentRow
from registry.oncall.clocks import age, when
from registry.oncall.model import ACKNOWLEDGED
from registry.oncall.words import (
    Line,
    Piece,
    Tone,
    called,
    following,
    holders,
    level,
    name_of,
    names,
    next_clock,
    next_tone,
    next_words,
    nothing,
    short_names,
    state,
)
from registry.text.safe_text import visible_line
from tui.oncall.incident_lines import TITLES, IncidentLine, first_row, listed, place_of, quiet
from tui.oncall.past import past_mark, past_words
from tui.oncall.pieces import PieceList, cell, content_of, width_of
from tui.oncall.watching import Watching
from tui.state.settings import key_of
from tui.widgets.words import Words

_WIDE = 100
"""From this width in cells on, urgency, priority and the assignee have columns."""
_LEAST_TITLE, _LEAST_COMING = 8, 13
"""Cells of the title and the next step in narrow terminals; the service gets what is left, at least as much as the title."""
_MOST_MEASURED = 300
"""So many rows are measured for the widths of columns."""
_STATE_TONES: dict[str, Tone] = {"TRIG": "bad", "ACK": "warn", "SNZD": "quiet", "DONE": "good"}


@dataclass(frozen=True, slots=True)
class Columns:
    """Widths in cells of the columns beside the title: as wide as their words, with the space after them."""

    service: int = 8
    who: int = 8
    coming: int = 8

    def with_rows(self, rows: Iterable[IncidentRow], me: str, *, wide: bool) -> Columns:
        """Columns with room for these rows; they never get narrower, so that nothing moves at every refresh."""
        service, who, coming = (17, 16, 24) if wide else (13, 0, 16)
        for row in rows:
            one = row.incident
            service_words = width_of([Piece(visible_line(one.service.name))]) + 1
            who_words = width_of([Piece(_holder(row, me, who - 1))]) + 1 if wide else 0
            self = Columns(
                min(max(self.service, service_words), service),
                min(max(self.who, who_words), who),
                min(max(self.coming, width_of([Piece(next_words(row, me, coming))])), coming),
            )
        return self


class IncidentList(PieceList):
    """The lines. The cursor stays on its incident when lines change; until the user moves it, on the first incident."""

    class Moved(Message):
        """The cursor moved to another line."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(id="incident-list")
        self._watching = watching
        self._lines: list[IncidentLine] = []
        self._folds: dict[str, bool] = {}
        self._at = self._key = ""
        self._chosen = False
        self._columns: dict[bool, Columns] = {}

    def watch_over(self, watching: Watching) -> None:
        """Show another watch."""
        self.lines_replaced()
        self._watching, self._at, self._key, self._chosen = watching, "", "", False
        self._lines, self._folds, self._columns = [], {}, {}

    @property
    def line_count(self) -> int:
        """How many lines there are; without incidents, lines that say why and what comes next."""
        return max(len(self._lines), 1)

    @property
    def row(self) -> IncidentRow | None:
        """The incident at the cursor; on the head of a lane or group its first one."""
        if self.cursor >= len(self._lines):
            return None
        line = self._lines[self.cursor]
        return self._watching.row(line.id) if line.id else line.rows[0] if line.rows else None

    @property
    def on_head(self) -> bool:
        """Whether the cursor is on the head of a lane or group."""
        return self.cursor < len(self._lines) and bool(self._lines[self.cursor].key)

    def show(self) -> None:
        """Show changed rows: the cursor stays on its incident, at the same height on screen."""
        above = self.cursor - self.scroll_offset.y
        self._lines = listed(self._watching, self.scrollable_content_region.height, self._folds) or self._empty()
        self._measure()
        there = place_of(self._lines, self._at, self._key) if self._chosen else None
        near = min(self.cursor, len(self._lines) - 1)
        # From an incident that is no longer listed it goes to another one, not to the words below them.
        lost = bool(self._at or self._key) and not (self._lines[near].id or self._lines[near].key)
        cursor = there if there is not None else near if self._chosen and not lost else first_row(self._lines)
        self.lines_changed(cursor=cursor)
        if there is not None and (self.has_focus or not self._watching.board.verdict.mine):
            self.scroll_to(y=max(there - above, 0), animate=False, force=True)
        elif not self._chosen:
            self.scroll_to(y=0, animate=False, force=True)
        self.cursor_moved()

    def _measure(self) -> None:
        wide = self.scrollable_content_region.width >= _WIDE
        shown = (self._watching.row(line.id) for line in self._lines[:_MOST_MEASURED] if line.id)
        rows = [row for row in shown if row is not None]
        self._columns[wide] = self._columns.get(wide, Columns()).with_rows(rows, self._watching.me, wide=wide)

    def _empty(self) -> list[IncidentLine]:
        """Why there are no incidents, and what comes next."""
        board = self._watching.board
        hidden = board.verdict.outside
        why = [Piece(" "), nothing(board, "incidents", hidden, "open incidents")]
        if hidden:
            why.append(Piece(f" Press {key_of(self.app, 'board_reset')} to clear the filters.", "quiet"))
        more = quiet(board, self._watching.zone, self._watching.me) if board.facts.panel("incidents").at is not None else []
        return [IncidentLine(words=tuple(why)), *(IncidentLine(words=tuple(line)) for line in more)]

    def go_to(self, id_: str) -> None:
        """Move the cursor to an incident."""
        place = place_of(self._lines, id_, "")
        if place is not None:
            self._chosen = True
            self.cursor = place

    def on_key(self) -> None:
        """Pin the cursor to its incident on the first key."""
        self._chosen = True

    def show_cursor(self) -> None:
        """Keep the cursor visible; while the focus is elsewhere, keep my incidents visible, which come first."""
        if self.has_focus or not self._watching.board.verdict.mine:
            super().show_cursor()
        else:
            self.scroll_to(y=0, animate=False, force=True)

    def on_blur(self) -> None:
        """Scroll again: without the focus the list may be lower."""
        self.call_after_refresh(self.show_cursor)

    def on_focus(self) -> None:
        """Scroll to the cursor again."""
        self.call_after_refresh(self.show_cursor)

    def clicked(self, line: int, times: int) -> None:
        """Pin the cursor on a click; fold or unfold a head on a double click."""
        self._chosen = True
        if times > 1 and self.on_head:
            self.action_toggle_fold()
        super().clicked(line, times)

    def cursor_moved(self) -> None:
        """Remember the line at the cursor."""
        if self.cursor < len(self._lines):
            line = self._lines[self.cursor]
            self._at, self._key = line.id, line.key
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        """Build the lines again: the height decides which lanes are folded."""
        super().on_resize()
        self.show()

    def action_toggle_fold(self) -> None:
        """Fold or unfold the lane or group at the cursor."""
        if self.on_head:
            line = self._lines[self.cursor]
            self._fold(line.key, not line.folded)

    def action_fold(self) -> None:
        """Fold the lane or group that the cursor is in, and go to its head."""
        head = next((at for at in range(self.cursor, -1, -1) if at < len(self._lines) and self._lines[at].key), None)
        if head is not None:
            self._at, self._key = "", self._lines[head].key
            self._fold(self._key, True)

    def action_unfold(self) -> None:
        """Unfold the lane or group at the cursor."""
        if self.on_head:
            self._fold(self._lines[self.cursor].key, False)

    def _fold(self, key: str, folded: bool) -> None:
        self._chosen = True
        self._folds[key] = folded
        self.show()

    def struck(self, number: int) -> bool:
        """Whether the incident of a line is resolved."""
        line = self._lines[number] if number < len(self._lines) else IncidentLine()
        return bool(line.id) and self._watching.board.row(line.id) is None

    def line(self, number: int, width: int) -> Sequence[Piece]:
        """A row, a head, or words."""
        if number >= len(self._lines):
            return [Piece(" Not loaded yet.", "warn")]
        line, past = self._lines[number], past_mark(self._watching)
        if line.titles:
            heads = "oldest  unacknowledged       next" + " " * 22 if width >= _WIDE else "oldest unack.    next" + " " * 15
            words = [*past, *line.words]
            return [*words, cell(heads, width - width_of(words), "quiet", right=True)]
        if line.words:
            return [*past, *line.words]
        if line.group is not None:
            return [*past, *_group(line, self._watching, width - width_of(past))]
        if line.lane is not None:
            return [*past, *_lane(line, self._watching, width - width_of(past))]
        row = self._watching.row(line.id)
        columns = self._columns.get(width >= _WIDE, Columns())
        return _line(row, self._watching, width, columns) if row is not None else []


def _lane(line: IncidentLine, watching: Watching, width: int) -> Line:
    """The head of a lane: its name and number of incidents; when folded also the oldest ones."""
    assert line.lane is not None
    count = line.count
    tone: Tone = "bad" if line.lane == "nobody" else "mine" if line.lane == "mine" else "quiet"
    mark = "►" if line.folded else " "
    pieces = [Piece(f" {mark}", "quiet"), Piece(TITLES[line.lane], tone), Piece(f" {count}", tone)]
    if not line.folded:
        return pieces
    if line.shown:
        pieces.append(Piece(f", {line.shown} shown", tone))
    oldest = sorted(line.rows[line.shown :], key=lambda row: row.incident.created)[:3]
    said = " · ".join(f"{name_of(row.incident.service.name)} {age(watching.clock() - row.incident.created)}" for row in oldest)
    return [*pieces, cell(f"   oldest {said}", max(width - width_of(pieces), 0), "quiet")]


def _group(line: IncidentLine, watching: Watching, width: int) -> Line:
    """The head of a group: number and titles, the age of the oldest, how many are unacknowledged, and the next escalation."""
    group, now = line.group, watching.clock()
    assert group is not None
    wide = width >= _WIDE
    name, coming = (18, 24) if wide else (15, 16)
    shown = [f"{count} {visible_line(title)}" for title, count in group.titles[:2]]
    rest = len(group.rows) - sum(count for _, count in group.titles[:2])
    shown += [f"{rest} others"] if rest and wide else []
    waiting = group.unacknowledged
    room = max(width - 8 - name - 8 - (15 if wide else 7) - 7 - coming, 6)
    pieces = [
        Piece(" ▾" if not line.folded else " ▸", "quiet"),
        cell(f"{len(group.rows)}", 4, "strong", right=True),
        Piece("  "),
        cell(visible_line(group.name), name - 1, "strong" if waiting else "plain"),
        Piece(" "),
        cell(" · ".join(shown if wide else shown[:1]), room - 1, "quiet"),
        Piece(" "),
        cell(age(now - group.oldest), 7, "plain", right=True),
        cell(f"{waiting}", 11 if wide else 5, "bad" if waiting else "quiet", right=True),
        Piece("◆ " if group.mine else "  ", "mine"),
    ]
    row = group.next_step
    if row is None:
        return [*pieces, cell("", 6), cell("no escalation due", coming, "quiet")]
    tone = next_tone(row, now)
    return [
        *pieces,
        cell(next_clock(row, now), 6, tone, right=True),
        Piece(" "),
        cell(next_words(row, watching.me, coming), coming, tone),
    ]


def _holder(row: IncidentRow, me: str, width: int) -> str:
    """The assignee or acknowledger."""
    one = row.incident
    return short_names([ref for ref, _ in one.assigned], me, width) or ("nobody" if one.assigned_known else "unknown")


def _line(row: IncidentRow, watching: Watching, width: int, columns: Columns) -> Line:
    one, now = row.incident, watching.clock()
    over = watching.board.row(one.id) is None
    unsure = one.id in watching.board.facts.unconfirmed
    mark = watching.marks.get(one.id, "") or ("?" if unsure else "")
    word = mark if over else state(row)
    loud = one.high and word == "TRIG"
    line = [
        cell(mark, 4, "mine") if mark else cell("   ◆" if row.mine else "", 4, "mine"),
        Piece(" " if watching.past is not None else ""),
        cell(word, 5, _STATE_TONES.get(word, "plain") if loud or word != "TRIG" else "warn"),
    ]
    wide = width >= _WIDE
    if wide:
        line += [
            cell(visible_line(one.urgency[:4]) or "high", 5, "strong" if one.high else "quiet"),
            cell(visible_line(one.priority[:4]), 3, "bad" if one.priority == "P1" else "strong"),
        ]
    line += [
        cell(level(row), 5 if wide else 4, "plain"),
        cell(age(now - one.created), 6, "warn" if row.neglected else "plain", right=True),
        Piece("! " if row.neglected else "  ", "warn"),
    ]
    service, coming, who = columns.service, columns.coming, columns.who if wide else 0
    room = width - width_of(line) - who - 6
    if room - service - coming < _LEAST_TITLE:
        coming = min(coming, _LEAST_COMING)
        service = max(min(service, room - coming - _LEAST_TITLE), _LEAST_TITLE)
    title = max(room - service - coming, _LEAST_TITLE)
    line += [
        cell(visible_line(one.service.name), service - 1),
        Piece(" "),
        cell(visible_line(one.title), title - 1, "strong" if loud else "plain"),
        Piece(" "),
    ]
    if who:
        line += [cell(_holder(row, watching.me, who - 1), who - 1, "mine" if row.mine else "quiet"), Piece(" ")]
    if over:
        return line
    tone = next_tone(row, now)
    return [
        *line,
        cell(next_clock(row, now), 5, tone, right=True),
        Piece(" "),
        cell(next_words(row, watching.me, coming), coming, tone),
    ]


class IncidentDetail(Words):
    """The incident at the cursor: whole title, who has it, what comes next, and whether pages reached anybody."""

    DEFAULT_CSS = """
    IncidentDetail { height: 4; padding: 0 1; background: $surface; }
    """

    def show(self, row: IncidentRow | None, watching: Watching, *, dimmed: bool) -> None:
        """Show an incident; None shows nothing."""
        line = [] if row is None else _details(row, watching, self.size.width, low=self.size.height < 4)
        line = [*past_words(watching), *line] if line else []
        self.update(content_of([Piece(piece.words, "quiet") for piece in line] if dimmed else line), layout=False)


def _details(row: IncidentRow, watching: Watching, width: int, *, low: bool) -> Line:
    one, now, zone = row.incident, watching.clock(), watching.zone
    number = f"{one.label} ".lstrip()
    if width < _WIDE and one.priority:  # the row has no column for it
        number += f"{visible_line(one.priority[:4])} "
    facts = [name_of(one.service.name), name_of(one.policy.name)]
    facts.append(f"since {when(one.created, zone, now)}")
    facts.append(f"{one.alerts} alert{'' if one.alerts == 1 else 's'}")
    if row.neglected:
        facts.append("neglected")
    who = holders(one, watching.me)
    state_words = state_sentence(row, watching)
    title = f"{number}{name_of(one.service.name) + ': ' if low else ''}{visible_line(one.title)}"
    head = [cell(title, max(width - 2, 20), "strong"), Piece("\n")]
    second = [Piece(f"{' · '.join(facts)}", "quiet"), Piece("\n")]
    third = [Piece("assigned to "), Piece(who, "mine" if row.mine else "plain"), Piece(f" ({level(row)}), {state_words}; ")]
    coming = following(row, now, zone, watching.me)
    if low:
        second = []
    return [*head, *second, *third, coming, Piece("\n"), *called(row, zone, watching.me)]


def state_sentence(row: IncidentRow, watching: Watching) -> str:
    """The state of an incident, and for how long."""
    one, now = row.incident, watching.clock()
    if one.status == ACKNOWLEDGED:
        by = names((ref for ref, _ in one.acknowledged), watching.me)
        return f"acknowledged {'by ' + by + ' ' if by else ''}{age(now - one.since)} ago"
    return f"unacknowledged for {age(now - one.since)}" if one.open else "resolved"
