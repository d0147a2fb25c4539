"""Before the dashboard: who covers the next 14 days, with gaps and weaknesses in words; and the handoff report."""

import asyncio
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from registry.files.folders import put_in_place, unnamed_file
from registry.oncall.forecast import FORTNIGHT, LevelCover, PolicyCover, own_weakness
from registry.oncall.model import DAY, clock, when
from registry.oncall.words import Line, Piece, Tone, many, plain
from registry.text.shown import visible, visible_line
from tui.dialogs.dialog import Dialog, titled
from tui.dialogs.questions import Reader
from tui.oncall.pieces import cell, content_of, wrapped
from tui.oncall.verdict_bar import VerdictBar
from tui.oncall.watching import Watching
from tui.state.settings import downloads_folder
from tui.widgets.line_list import Scroll
from tui.widgets.texts import Line as TypedLine

_DAYS = FORTNIGHT // DAY
_MOST_SHIFTS = 30  # of one level in words


class CoverageList(Scroll):
    """The text, which scrolls."""


def _lines(cover: list[PolicyCover], now: float, zone: tzinfo, width: int) -> Iterator[Line]:
    for one in cover:
        grave = sum(weakness.grave for weakness in one.weaknesses)
        verdict = Piece("covered", "good")
        if one.weaknesses:
            verdict = Piece(many(grave, "problem"), "bad") if grave else Piece(many(len(one.weaknesses), "warning"), "warn")
        yield [Piece(f" {visible_line(one.policy.name)}  ", "strong"), verdict]
        for weakness in one.weaknesses:
            yield from wrapped(
                [Piece("   ! ", "bad") if weakness.grave else Piece("   – ", "warn"), Piece(weakness.words)], width, 5
            )
        for level in one.levels:
            strip, shifts = _strip(level, now, width), _shifts(level, now, zone)
            yield strip
            if plain(shifts).strip() not in plain(strip):
                yield from wrapped(shifts, width, 6)
        yield []


def _strip(level: LevelCover, now: float, width: int) -> Line:
    """A level's 14 days: ``━`` covered, ``░`` nobody, ``?`` unknown; with the name where it fits."""
    step = FORTNIGHT / (_each(width) * _DAYS)  # seconds of a cell
    pieces: Line = [Piece(f"   L{level.level} ", "strong")]
    for place, stretch in enumerate(level.stretches):
        tone: Tone = "plain" if place % 2 else "quiet"
        first, last = round((stretch.start - now) / step), round((stretch.end - now) / step)
        length = max(last - first, 0)
        if not stretch.people:
            pieces.append(Piece(("?" if stretch.people is None else "░") * length, "warn" if stretch.people is None else "bad"))
            continue
        name = visible_line(", ".join(stretch.people))
        words = f"{name} " if len(name) < length - 1 else ""
        bar = cell(words + "━" * max(length - len(words) - 1, 0), length - 1).words
        pieces.append(Piece(bar + "│" * min(length, 1), tone))
    return pieces


def _shifts(level: LevelCover, now: float, zone: tzinfo) -> Line:
    """Who covers a level until when: ``Sam Ode until 09:00 · Mei Tan until Tue 2 Dec 09:00 · Sam Ode onwards``."""
    pieces: Line = [Piece("      ")]
    for place, one in enumerate(level.stretches[:_MOST_SHIFTS]):
        who = "unknown" if one.people is None else visible_line(", ".join(one.people)) or "NOBODY"
        until = f" until {when(one.end, zone, now).rpartition(' ')[0]}"
        if one.end >= now + FORTNIGHT:
            until = " onwards" if place else ""
        tone: Tone = "plain" if one.people else "warn" if one.people is None else "bad"
        pieces += [Piece(" · " if place else "", "quiet"), Piece(f"{who}{until}", tone)]
    further = len(level.stretches) - _MOST_SHIFTS
    return [*pieces, *([Piece(f" · {many(further, 'more change')}", "quiet")] if further > 0 else [])]


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
        #duty { display: none; }
        CoverageList { scrollbar-gutter: stable; }
        #strips { text-wrap: nowrap; }
    }
    """

    def __init__(self, watching: Watching, cover: list[PolicyCover]) -> None:
        super().__init__()
        self._watching = watching
        self._now, self._zone = watching.board.now, watching.zone  # the board's time, at which the 14 days begin
        self._policies, self._own = cover, own_weakness(watching.board)

    def compose(self) -> ComposeResult:
        grave = sum(weakness.grave for one in self._policies for weakness in one.weaknesses)
        words = many(grave, "problem") if grave else "no gaps"
        words += f" · times in {clock(self._now, self._zone).partition(' ')[2]}"
        with Vertical(id="box"):
            yield VerdictBar()
            title = Content.styled("Coverage of the next 14 days", "bold $text-accent")
            yield Static(Content.assemble(title, Content(f"  {words}")), id="title", classes="line")
            if self._own is not None:
                yield Static(Content.styled(self._own.words, "$text-warning"), classes="line")
            yield Static(id="days")
            with CoverageList():
                yield Static(id="strips")
            yield self.keys_line(("━", "covered"), ("░", "nobody"), ("?", "unknown"), ("↑ ↓", "Scroll"), ("Esc", "Back"))

    def on_mount(self) -> None:
        self.query_one(CoverageList).focus()
        self.set_interval(1.0, self._tell)

    def _tell(self) -> None:
        self.query_one(VerdictBar).show(self._watching, "", self._watching.account.clock_words)

    def on_resize(self) -> None:
        self.call_after_refresh(self._lay_out)

    def _lay_out(self) -> None:
        width = max(self.query_one(CoverageList).scrollable_content_region.width, 40)
        each = _each(width)
        start = datetime.fromtimestamp(self._now, self._zone)
        days = [start + timedelta(days=place) for place in range(_DAYS)]
        # Each day is above its part of the strips.
        names = [cell(f"{day:%a}"[: each - 1] if each < 6 else f"{day:%a} {day.day}", each, "quiet") for day in days]
        self.query_one("#days", Static).update(content_of([Piece("      "), *names]))
        self._tell()
        self.query_one("#strips", Static).update(
            Content("\n").join(content_of(line) for line in _lines(self._policies, self._now, self._zone, width))
        )


_ESCAPED = re.compile(r"\\([^\w\s])")  # Markdown's escapes are for what is copied and saved


class ReportDialog(Reader):
    """Shows the report; returns in words what was done with it.

    Args:
        made: makes the report as Markdown, with the user's note or an empty text.
        now: when it was made, in Unix seconds.
        zone: the zone of the time in the file's name.
        note: the user's note so far.

    Attributes:
        note: the same when it is closed.
    """

    DEFAULT_CSS = """
    ReportDialog {
        #note { display: none; }
        #note.-open { display: block; }
    }
    """

    BINDINGS = [Binding("x", "save", show=False), Binding("n", "note", show=False)]

    beside = 9
    ends_by_copying = True

    def __init__(self, made: Callable[[str], str], now: float, zone: tzinfo, note: str) -> None:
        super().__init__("Handoff report", made(note), copies="the report")
        self._made, self.note = made, note
        self._file = f"handoff-{datetime.fromtimestamp(now, zone):%Y-%m-%d-%H%M}.md"
        self.keys = (("y", "Copy"), ("x", "Save"), ("n", "Note"), ("↑ ↓", "Scroll"), ("Esc", "Close"))

    def _body(self) -> ComposeResult:
        yield TypedLine(self.note, "Note for the next shift", id="note", compact=True, select_on_focus=False)
        yield from super()._body()

    def _drawn(self, text: str) -> Content:
        return Content(visible(_ESCAPED.sub(r"\1", text)))

    def action_note(self) -> None:
        self.query_one("#note").add_class("-open").focus()

    def action_leave(self) -> None:
        """Take the note, which stays also when the report is opened again; then close."""
        if self.query_one("#note").has_focus:
            self.on_input_submitted()
        else:
            super().action_leave()

    def on_input_submitted(self) -> None:
        line = self.query_one("#note", Input)
        self.note = line.value.strip()
        self._text = self._made(self.note)
        self.query_one("#title", Static).update(titled(self._counted()))
        self.query_one("#text", Static).update(self._drawn(self._text))
        line.remove_class("-open")
        self.query_one(Scroll).focus()

    @work(group="oncall report", exclusive=True)
    async def action_save(self) -> None:
        """Save the report into the downloads folder; no file is overwritten."""
        try:
            file = await asyncio.to_thread(self._write)
        except FileExistsError:
            self.notify(f"{self._file} already exists. Nothing was saved.", severity="warning")
        except OSError as error:
            self.notify(f"{self._file}: {visible_line(error.strerror or str(error))}", severity="error")
        else:
            self.dismiss(f"✓ Saved {visible_line(str(file))}")

    def _write(self) -> Path:
        file = downloads_folder() / self._file
        with unnamed_file(file.parent, file.name) as one:
            one.write(self._text.encode("utf-8", "replace"))
            put_in_place(one, file)
        return file
