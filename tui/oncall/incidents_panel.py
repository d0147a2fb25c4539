"""The open incidents in lanes or groups, one line each, and the details of the one at the cursor."""

from rich.cells import cell_len
from textual.message import Message

from registry.oncall import words
from registry.oncall.board import IncidentRow, Lane
from registry.oncall.model import ACKNOWLEDGED, MINUTE, age, past, when
from registry.oncall.words import Line, Piece, Tone
from registry.text.shown import visible_line
from tui.oncall.incident_lines import IncidentLine, listed, quiet
from tui.oncall.pieces import PieceList, cell, content_of, width_of
from tui.oncall.watching import Watching, past_mark
from tui.state.settings import key_of
from tui.widgets.texts import Words

_WIDE, _WIDEST = 100, 140
"""From the first width in cells on, urgency, priority and the assignee have columns; from the second, names are whole."""
_STATE_TONES: dict[str, Tone] = {"TRIG": "bad", "ACK": "warn", "SNZD": "quiet", "DONE": "good"}
_TITLES: dict[Lane, str] = {
    "mine": "Mine",
    "next": "Pages somebody next",
    "nobody": "Nobody left to page",
    "unacknowledged": "Unacknowledged",
    "low": "Low and neglected",
    "rest": "Rest",
}


class IncidentList(PieceList[IncidentLine]):
    """The lines. The cursor stays on its incident when lines change.

    Until the user moves it, it leaves one that is not mine and unacknowledged for the most urgent one that is.
    """

    class Moved(Message):
        """The cursor moved to another line, or the list was scrolled."""

    def __init__(self, watching: Watching) -> None:
        super().__init__(watching, id="incident-list")
        self._folds: dict[str, bool] = {}
        self._at = ""
        self._chosen = False
        self._loaded = False
        self._widths: tuple[int, ...] = (0, 0, 0, 0)

    def watch_over(self, watching: Watching) -> None:
        self.lines_replaced()
        super().watch_over(watching)
        self._at = ""
        self._chosen = self._loaded = False
        self.rows, self._folds = [], {}

    def opened_again(self) -> None:
        """If mine are above the part in sight, the cursor goes to them, as if it had not been moved."""
        self._chosen = self._chosen and not self.mine_above

    @property
    def _here(self) -> IncidentLine:
        return self.here or IncidentLine()

    @property
    def row(self) -> IncidentRow | None:
        """The incident at the cursor; on the head of a lane or group its first one."""
        return self._here.row or next(iter(self._here.rows), None)

    @property
    def on_head(self) -> bool:
        return self._here.is_head

    def show(self) -> None:
        above, watching, chosen = self.cursor - self.scroll_offset.y, self.watching, self._chosen
        self.rows = listed(watching, self.scrollable_content_region.height, self._folds) or self._empty()
        width, me = self.scrollable_content_region.width, watching.board.me
        most = (4, 16, 15, 30 if width >= _WIDEST else 20) if width >= _WIDE else (4, 12, 0, 14)
        rows = [line.row for line in self.rows if line.row is not None]
        columns = (
            [row.level for row in rows],
            [visible_line(row.incident.service.name) for row in rows],
            [_holder(row, me, most[2]) for row in rows],
            [words.next_words(row, me, most[3]) for row in rows],
        )
        # Of level, service, assignee and next step: those of the longest ones, within limits. The title has the rest.
        self._widths = tuple(min(max(map(cell_len, one), default=0), limit) for one, limit in zip(columns, most, strict=True))
        # An incident in a folded lane or group is at the line of the head.
        places = [place for place, line in enumerate(self.rows) if self._at and line.key == self._at]
        places += [place for place, line in enumerate(self.rows) if any(one.incident.id == self._at for one in line.rows)]
        there = places[0] if places else None
        if not chosen and there is not None:
            row, waiting = self.rows[there].row, watching.board.verdict.mine_triggered
            stays = row is not None and self._loaded and (not waiting or (row.mine and row.incident.burning))
            there = there if stays else None
        self._loaded = watching.refresher.ended is not None and watching.board.facts is watching.facts
        near = min(self.cursor, len(self.rows) - 1)
        # From an incident that is no longer listed it goes to another one, not to the words below them.
        lost = bool(self._at) and not self.rows[near].key
        first = next((place for place, line in enumerate(self.rows) if line.row is not None), 0)
        self.lines_changed(cursor=there if there is not None else near if chosen and not lost else first)
        # At its top the list stays there as long as the cursor is in sight; otherwise the cursor keeps its height on screen.
        if there is None and not chosen:
            self.scroll_to(y=0, animate=False, force=True)
        elif there is not None and self.scroll_offset.y:
            self.scroll_to(y=max(there - above, 0), animate=False, force=True)
        self.cursor_moved()
        self._chosen = chosen

    @property
    def mine_above(self) -> int:
        """How many unacknowledged incidents of mine are above the part in sight."""
        above = self.rows[: self.scroll_offset.y]
        return sum(line.row is not None and line.row.mine and line.row.incident.burning for line in above)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Moved())

    def _empty(self) -> list[IncidentLine]:
        board = self.watching.board
        hidden = board.verdict.outside
        why = [Piece(" "), words.nothing(board, "incidents", hidden, "open incidents")]
        if hidden:
            why.append(Piece(f" Press {key_of(self.app, 'board_reset')} to clear the filters.", "quiet"))
        more = quiet(board, self.watching.zone, self.watching.board.me) if board.facts.panel("incidents").at is not None else []
        return [IncidentLine(words=tuple(line)) for line in (why, *more)]

    def clicked(self, line: int, times: int) -> None:
        self._chosen = True
        if times > 1 and self.on_head:
            self.action_toggle_fold()
        super().clicked(line, times)

    def cursor_moved(self) -> None:
        if self.here is not None:
            self._chosen = self._chosen or self.here.key != self._at
            self._at = self.here.key
        self.post_message(self.Moved())

    def on_resize(self) -> None:
        """Build the lines again: the height decides which lanes are folded."""
        super().on_resize()
        self.show()

    def action_toggle_fold(self) -> None:
        if self.on_head:
            self._fold(self._here.key, not self._here.folded)

    def action_fold(self) -> None:
        key = next((line.key for line in reversed(self.rows[: self.cursor + 1]) if line.is_head), "")
        if key:
            self._at = key
            self._fold(key, True)

    def action_unfold(self) -> None:
        if self.on_head:
            self._fold(self._here.key, False)

    def _fold(self, key: str, folded: bool) -> None:
        self._chosen = True
        self._folds[key] = folded
        self.show()

    def struck(self, number: int) -> bool:
        return number < len(self.rows) and self._over(self.rows[number].row)

    def _over(self, row: IncidentRow | None) -> bool:
        return row is not None and self.watching.board.by_id.get(row.incident.id) is None

    def drawn(self, line: IncidentLine, width: int) -> Line:
        past_ = past_mark(self.watching)
        room = width - width_of(past_)
        if line.titles:
            heads = "oldest  unacknowledged       next" + " " * 22 if width >= _WIDE else "oldest unack.    next" + " " * 15
            return [*past_, *line.words, cell(heads, room - width_of(line.words), "quiet", right=True)]
        if line.group is not None:
            return [*past_, *self._group(line, room)]
        if line.lane is not None:
            return [*past_, *self._lane(line, line.lane, room)]
        return self._row(line.row, width) if line.row is not None else [*past_, *line.words]

    def _lane(self, line: IncidentLine, lane: Lane, width: int) -> Line:
        """The head of a lane: its name and number of incidents; when folded also the oldest ones."""
        tone: Tone = "bad" if lane == "nobody" else "mine" if lane == "mine" else "quiet"
        pieces = [Piece(" ▸" if line.folded else "  ", "quiet"), Piece(f"{_TITLES[lane]} {len(line.rows)}", tone)]
        if not line.folded:
            return pieces
        if line.shown:
            pieces.append(Piece(f", {line.shown} shown", tone))
        now, oldest = self.watching.clock(), sorted(line.rows[line.shown :], key=lambda row: row.incident.created)[:3]
        said = " · ".join(f"{words.name_of(row.incident.service.name)} {age(now - row.incident.created)}" for row in oldest)
        return [*pieces, cell(f"   oldest {said}", max(width - width_of(pieces), 0), "quiet")]

    def _group(self, line: IncidentLine, width: int) -> Line:
        """The head of a group: number and titles, age of the oldest, how many are unacknowledged, the next escalation."""
        group, now, wide = line.group, self.watching.clock(), width >= _WIDE
        assert group is not None
        name, coming = (18, 24) if wide else (15, 16)
        shown = [f"{count} {visible_line(title)}" for title, count in group.titles[: 2 if wide else 1]]
        rest = len(group.rows) - sum(count for _, count in group.titles[:2])
        shown += [f"{rest} others"] if rest and wide else []
        waiting = group.unacknowledged
        room = max(width - 8 - name - 8 - (15 if wide else 7) - 7 - coming, 6)
        return [
            Piece(" ▸" if line.folded else " ▾", "quiet"),
            cell(f"{len(group.rows)}", 4, "strong", right=True),
            Piece("  "),
            cell(visible_line(group.name), name - 1, "strong" if waiting else "plain"),
            Piece(" "),
            cell(" · ".join(shown), room - 1, "quiet"),
            Piece(" "),
            cell(age(now - group.oldest), 7, right=True),
            cell(f"{waiting}", 11 if wide else 5, "bad" if waiting else "quiet", right=True),
            Piece("◆ " if group.mine else "  ", "mine"),
            *self._next(group.next_step, 6, coming),
        ]

    def _next(self, row: IncidentRow | None, clock: int, width: int) -> Line:
        if row is None:
            return [cell("", clock), cell("no escalation due", width, "quiet")]
        now, tone = self.watching.clock(), words.next_tone(row, self.watching.clock())
        return [
            cell(words.next_clock(row, now), clock, tone, right=True),
            Piece(" "),
            cell(words.next_words(row, self.watching.board.me, width), width, tone),
        ]

    def _row(self, row: IncidentRow, width: int) -> Line:
        one, watching, wide, over = row.incident, self.watching, width >= _WIDE, self._over(row)
        mark = watching.marks.get(one.id, "") or ("?" if one.id in watching.board.facts.unconfirmed else "")
        word = mark if over else words.state(row)
        loud = one.high and word == "TRIG"
        line = [
            cell(mark or ("   ◆" if row.mine else ""), 4, "mine"),
            Piece(" " if watching.past is not None else ""),
            cell(word, 5, _STATE_TONES.get(word, "plain") if loud or word != "TRIG" else "warn"),
        ]
        if wide:
            line += [
                cell(visible_line(one.urgency[:4]) or "high", 5, "strong" if one.high else "quiet"),
                cell(visible_line(one.priority[:4]), 3, "bad" if one.priority == "P1" else "strong"),
            ]
        level, service, who, step = self._widths
        line += [
            cell(row.level, level + 1),
            cell(age(watching.clock() - one.created), 6, "warn" if row.neglected else "plain", right=True),
            Piece("! " if row.neglected else "  ", "warn"),
        ]
        room = width - width_of(line) - (who + 1 if wide else 0) - 7 - step
        service = min(service, max(room - 10, 7))
        line += [
            cell(visible_line(one.service.name), service),
            Piece(" "),
            cell(visible_line(one.title), max(room - service - 2, 7), "strong" if loud else "plain"),
            Piece(" "),
        ]
        if wide:
            line += [cell(_holder(row, watching.board.me, who), who, "mine" if row.mine else "quiet"), Piece(" ")]
        return line if over else [*line, *self._next(row, 6, step)]


def _holder(row: IncidentRow, me: str, width: int) -> str:
    return words.short_names([ref for ref, _ in row.incident.assigned], me, width) or words.holders(row.incident)


class IncidentDetail(Words):
    """The incident at the cursor: whole title, who has it, what comes next, and whether pages reached anybody."""

    DEFAULT_CSS = """
    IncidentDetail { height: 4; padding: 0 1; background: $surface; }
    """

    def show(self, row: IncidentRow | None, watching: Watching, *, dimmed: bool) -> None:
        line = [] if row is None else _details(row, watching, self.size.width, low=self.size.height < 4)
        if line and watching.past is not None:
            line.insert(0, Piece(f"{past(watching.past, watching.zone)}  ", "warn"))
        self.update(content_of([Piece(piece.words, "quiet") for piece in line] if dimmed else line), layout=False)


def _details(row: IncidentRow, watching: Watching, width: int, *, low: bool) -> Line:
    one, now, zone, me = row.incident, watching.clock(), watching.zone, watching.board.me
    number = f"{one.label} ".lstrip()
    if width < _WIDE and one.priority:  # the row has no column for it
        number += f"{visible_line(one.priority[:4])} "
    facts = [words.name_of(one.service.name), words.name_of(one.policy.name), f"since {when(one.created, zone, now)}"]
    facts += [words.many(one.alerts, "alert"), *(["neglected"] if row.neglected else [])]
    title = f"{number}{words.name_of(one.service.name) + ': ' if low else ''}{visible_line(one.title)}"
    since = age(now - one.since)
    # Its row shows its whole age.
    said = f"unacknowledged {'again ' if one.changed > one.created + MINUTE else ''}for {since}"
    if one.status == ACKNOWLEDGED:
        by = words.names((ref for ref, _ in one.acknowledged), me)
        said = f"acknowledged {'by ' + by + ' ' if by else ''}{since} ago"
    return [
        cell(title, max(width - 2, 20), "strong"),
        Piece("\n" if low else f"\n{' · '.join(facts)}\n", "quiet"),
        Piece("assigned to "),
        Piece(words.holders(one, me), "mine" if row.mine else "plain"),
        Piece(f" ({row.level}), {said}; "),
        words.following(row, now, zone, me),
        Piece("\n"),
        *words.called(row, zone, me),
    ]
