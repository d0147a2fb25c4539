"""Screens with an incident's timeline and similar incidents, and with pages per person and night."""

from __future__ import annotations

from collections.abc import Sequence

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Static

from registry.oncall.fetch import Call
from registry.oncall.memory_words import earlier_lines, earlier_summary, pages_lines, timeline_lines
from registry.oncall.model import Incident
from registry.oncall.pages import PAGES_DAYS, read_pages
from registry.oncall.timeline import EARLIER_DAYS, Earlier, IncidentHistory, Timeline, logged
from registry.oncall.words import Line, Piece, name_of
from registry.text.safe_text import visible_line
from tui.dialogs.dialog import Dialog
from tui.oncall.past import past_words
from tui.oncall.pieces import PieceList, content_of, wrapped
from tui.oncall.watching import Watching


class TextLines(PieceList):
    """The lines; long ones wrap, indented."""

    def __init__(self) -> None:
        super().__init__(id="text-lines")
        self._given: list[Line] = []
        self._shown: list[Line] = []

    @property
    def line_count(self) -> int:
        """How many lines there are; at least 1."""
        return max(len(self._shown), 1)

    def show(self, lines: Sequence[Line]) -> None:
        """Show lines."""
        self._given = list(lines)
        self._lay_out()

    def on_resize(self) -> None:
        """Wrap the lines again."""
        self._lay_out()
        super().on_resize()

    def line(self, number: int, width: int) -> Line:
        """A line."""
        return self._shown[number] if number < len(self._shown) else []

    def _lay_out(self) -> None:
        width = max(self.scrollable_content_region.width, 40)
        self._shown = [part for line in self._given for part in wrapped(line, width, 6)]
        self.lines_changed()


class TextScreen(Dialog[None]):
    """The screen.

    Args:
        title: the title; in the past it starts with PAST.
        keys: keys besides those that scroll and go back.
    """

    DEFAULT_CSS = """
    TextScreen {
        background: $background;
        #box { width: 100%; max-width: 100%; height: 100%; max-height: 100%; border: none; padding: 0; }
        #title { height: 1; padding: 0 1; background: $surface; text-wrap: nowrap; text-overflow: ellipsis; }
        .keys-here { margin: 0; padding: 0 1; }
    }
    """

    def __init__(self, title: Line, keys: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._title = title
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Title, lines, keys."""
        with Vertical(id="box"):
            yield Static(content_of(self._title), id="title")
            yield TextLines()
            yield self.keys_line(*self._keys, ("↑ ↓", "Scroll"), ("Esc", "Back"))

    def on_mount(self) -> None:
        """Focus the text, which scrolls."""
        self.query_one(TextLines).focus()

    def show(self, lines: Sequence[Line]) -> None:
        """Show lines."""
        self.query_one(TextLines).show(lines)

    def say(self, words: str) -> None:
        """Show a message in place of the lines, for instance while loading."""
        self.query_one(TextLines).show([[Piece(f" {words}", "warn")]])


def heading(words: str) -> Line:
    """The heading of a section."""
    return [Piece(f" {words}", "strong")]


class IncidentHistoryScreen(TextScreen):
    """One incident's timeline, and earlier ones like it.

    Args:
        incident: the incident.
        watching: the watch, with what is known already.
        call: runs a tool; None (in the past) makes no calls.
    """

    BINDINGS = [Binding("plus,equals_sign", "further", "Further back", key_display="+")]

    def __init__(self, incident: Incident, watching: Watching, call: Call | None) -> None:
        title: Line = [*past_words(watching), Piece(f"{incident.label} {visible_line(incident.title)}".lstrip(), "strong")]
        title.append(Piece(f"  {name_of(incident.service.name)}", "quiet"))
        super().__init__(title, (("+", "further back"),) if call is not None else ())
        self._incident, self._watching, self._call = incident, watching, call
        self._timeline: Timeline = logged(incident, watching.board.facts)
        self._earlier: Earlier | None = None
        self._step = 0

    def on_mount(self) -> None:
        """Show what is known already, then load the rest."""
        super().on_mount()
        self._show()
        if self._call is not None:
            self._read()

    def action_further(self) -> None:
        """Search for similar incidents further back."""
        if self._call is None:
            return
        if self._step + 1 == len(EARLIER_DAYS):
            self.notify("The service keeps six months at most.", markup=False)
            return
        self._step += 1
        self._earlier = None
        self._show()
        self._read()

    @work(group="oncall history", exclusive=True, exit_on_error=False)
    async def _read(self) -> None:
        assert self._call is not None
        history = IncidentHistory(self._call, self._watching.clock)
        self._earlier = await history.earlier(self._incident, EARLIER_DAYS[self._step])
        self._show()
        self._timeline = await history.timeline(self._incident, self._watching.board.facts)
        self._show()

    def _show(self) -> None:
        watching = self._watching
        now, zone, me = watching.clock(), watching.zone, watching.me
        if self._earlier is not None:
            earlier = [[Piece(" "), *earlier_summary(self._earlier, me)], *earlier_lines(self._earlier, zone, now, me)]
        elif self._call is None:
            earlier = [[Piece(" Similar incidents are loaded live, not from a recording.", "quiet")]]
        else:
            earlier = [[Piece(f" Last {EARLIER_DAYS[self._step]} days: loading…", "warn")]]
        timeline = timeline_lines(self._timeline, zone, now, me)
        self.show([heading("Similar incidents"), *earlier, [], heading("Timeline"), *timeline])


class PagesScreen(TextScreen):
    """Pages per person and night.

    Args:
        watching: the watch, for its clock, zone and people.
        call: runs a tool.
    """

    def __init__(self, watching: Watching, call: Call) -> None:
        title = [Piece(f"Pages of the last {PAGES_DAYS} days", "mine")]
        title.append(Piece("  each notification counts as one page · night is 22:00 to 07:00 local time", "quiet"))
        super().__init__(title)
        self._watching, self._call = watching, call

    def on_mount(self) -> None:
        """Start to load the log."""
        super().on_mount()
        self.say(f"Loading the log of {PAGES_DAYS} days…")
        self._read()

    @work(group="oncall pages", exclusive=True, exit_on_error=False)
    async def _read(self) -> None:
        watching = self._watching
        found = await read_pages(self._call, watching.clock, watching.board.zones)
        self.show(pages_lines(found, watching.clock(), watching.zone, PAGES_DAYS, watching.me))
