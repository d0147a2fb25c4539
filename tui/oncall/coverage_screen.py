"""The next 14 days of every policy: who covers which level when, and gaps and weaknesses in words."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from registry.oncall.clocks import DAY, clock
from registry.oncall.coverage import FORTNIGHT, LevelCover, PolicyCover, coverage, own_weakness
from registry.oncall.words import Line, Piece, Tone, many
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import Dialog
from tui.oncall.pieces import PieceList, cell, content_of, wrapped
from tui.oncall.watching import Watching

_DAYS = FORTNIGHT // DAY


class CoverageList(PieceList):
    """The lines of the view."""

    def __init__(self, watching: Watching, cover: list[PolicyCover]) -> None:
        super().__init__(watching, id="coverage")
        self._policies, self._now = cover, watching.clock()
        self._lines: list[Line] = []

    @property
    def line_count(self) -> int:
        """How many lines there are; 1 without policies, for a message."""
        return max(len(self._lines), 1)

    def on_resize(self) -> None:
        """Wrap the lines again."""
        self._lay_out()
        super().on_resize()

    def line(self, number: int, width: int) -> list[Piece]:
        """A line."""
        return self._lines[number] if number < len(self._lines) else [Piece(" No policies.", "quiet")]

    def _lay_out(self) -> None:
        width = max(self.scrollable_content_region.width, 40)
        self._lines = []
        for one in self._policies:
            grave = sum(weakness.grave for weakness in one.weaknesses)
            verdict = Piece("not loaded yet", "warn")
            if one.read:
                few = many(len(one.weaknesses), "warning") if one.weaknesses else "covered"
                tone: Tone = "warn" if one.weaknesses else "good"
                verdict = Piece(many(grave, "problem"), "bad") if grave else Piece(few, tone)
            self._lines.append([Piece(f" {visible_line(one.policy.name)}  ", "strong"), verdict])
            for level in one.levels if one.read else ():
                self._lines.append(_strip(level, self._now, width))
            for weakness in one.weaknesses:
                line = [Piece("   ! " if weakness.grave else "   · ", "bad" if weakness.grave else "warn")]
                self._lines += wrapped([*line, Piece(weakness.words, "plain")], width, 5)
            self._lines.append([Piece("")])
        self.lines_changed()


def day_line(now: float, zone: tzinfo, width: int) -> Line:
    """The line of days, each above its part of the strips."""
    each = _each(width)
    start = datetime.fromtimestamp(now, zone)
    days = [start + timedelta(days=place) for place in range(_DAYS)]
    return [
        Piece("      "),
        *(cell(f"{day:%a}"[: each - 1] if each < 6 else f"{day:%a} {day.day}", each, "quiet") for day in days),
    ]


def _strip(level: LevelCover, now: float, width: int) -> Line:
    """A level's 14 days: ``━`` covered, ``·`` nobody, ``?`` unknown; each shift starts with a name or its first letter."""
    each = _each(width)
    cells = each * _DAYS
    step = FORTNIGHT / cells
    pieces: Line = [Piece(f"   L{level.level} ", "strong")]
    for place, stretch in enumerate(level.stretches):
        tone: Tone = "plain" if place % 2 else "quiet"
        first, last = round((stretch.start - now) / step), round((stretch.end - now) / step)
        length = max(last - first, 0)
        if not stretch.people:
            pieces.append(Piece(("?" if stretch.people is None else "·") * length, "warn" if stretch.people is None else "bad"))
            continue
        name = visible_line(", ".join(stretch.people))
        words = f"{name} " if len(name) < length else (name[:1] if length > 1 else "")
        bar = cell(words + "━" * max(length - len(words) - 1, 0), length - 1).words
        pieces.append(Piece(bar + "│" * min(length, 1), tone))
    return pieces


def _each(width: int) -> int:
    return max((width - 8) // _DAYS, 4)


class CoverageScreen(Dialog[None]):
    """The view."""

    DEFAULT_CSS = """
    CoverageScreen {
        background: $background;
        #box { width: 100%; max-width: 100%; height: 100%; max-height: 100%; border: none; padding: 0; }
        .line { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        #title { background: $surface; }
    }
    """

    def __init__(self, watching: Watching) -> None:
        super().__init__()
        self._watching = watching
        self._policies = coverage(watching.board, watching.zone)

    def compose(self) -> ComposeResult:
        """Title, days, strips and words, keys."""
        name = clock(self._watching.clock(), self._watching.zone).partition(" ")[2]
        grave = sum(weakness.grave for one in self._policies for weakness in one.weaknesses)
        unread = sum(not one.read for one in self._policies)
        own = own_weakness(self._watching.board)
        words = many(grave, "problem") if grave else "no gaps"
        words += f", {unread} policies not loaded" if unread else ""
        with Vertical(id="box"):
            title = Content.assemble(
                Content.styled("Coverage of the next 14 days", "bold $text-accent"), Content(f"  {words} · times in {name}")
            )
            yield Static(title, id="title", classes="line")
            yield Static(Content.styled(own.words if own is not None else "", "$text-warning"), classes="line")
            yield Static(id="days")
            yield CoverageList(self._watching, self._policies)
            yield self.keys_line(
                ("M━", "covered, by whom: the first letter of a name"),
                ("·", "nobody"),
                ("?", "unknown"),
                ("↑ ↓", "Scroll"),
                ("Esc", "Back"),
            )

    def on_mount(self) -> None:
        """Focus the text, which scrolls."""
        self.query_one(CoverageList).focus()

    def on_resize(self) -> None:
        """Move the days above the strips again."""
        self.call_after_refresh(self._show_days)

    def _show_days(self) -> None:
        width = self.query_one(CoverageList).scrollable_content_region.width
        self.query_one("#days", Static).update(content_of(day_line(self._watching.clock(), self._watching.zone, width)))
