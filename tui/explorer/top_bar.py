"""The first line of the explorer: name, ask line, the accounts in use. On a narrow terminal also the second: the panes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Offset, Size
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from tui.explorer.tool_pane import AskLine
from tui.keyboard.key_bar import JumpTarget
from tui.session import Session
from tui.state.settings import key_of
from tui.widgets.texts import COLOURS, MODES, live_chip

_ASKING = 30  # columns for the name of the program and the ask line
_UNKNOWN = Content(" " * 9)  # as wide as the usual name, so that nothing moves when it is shown


class TopLine(Horizontal):
    """Name, ask line, accounts. A narrow terminal leaves out the name."""

    def compose(self) -> ComposeResult:
        yield Static("callboard", id="brand")
        yield Static("»", id="asks")
        yield AskLine(placeholder="Ask, or paste an id, an email, a link …", id="filter", compact=True, select_on_focus=False)
        yield TopBar()


class TopBar(Widget):
    """The account in use; nothing until the accounts are known, because any name could be untrue."""

    ALLOW_SELECT = False

    _clock: Timer | None = None
    toolkit = ""
    """That of the tool on screen; empty at home, which is about all of them."""

    targets: reactive[tuple[Content, ...]] = reactive((_UNKNOWN,), layout=True)
    alert: reactive[Content] = reactive(Content())
    """What of home needs somebody also while something else is on screen."""

    def watch_alert(self, before: Content, now: Content) -> None:
        """A clock in it changes each second; only another width needs another layout."""
        self.refresh(layout=before.cell_length != now.cell_length)

    def render(self) -> Content:
        return self._fitting(self.size.width)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """The width of the description, as far as the ask line keeps enough room."""
        return self._fitting(container.width - _ASKING).cell_length

    def _fitting(self, room: int) -> Content:
        # What needs somebody comes before the names of live accounts, but not before changes that are allowed there.
        ways = [*(Content("   ").join([self.alert, way]) for way in self.targets if self.alert), *self.targets]
        return next((way for way in ways if way.cell_length <= room), ways[-1])

    def show_targets(self, session: Session) -> None:
        """Show the account of the toolkit on screen, or of each; one phrase if all calls go to the sandbox, none without any.

        With little room toolkits on the sandbox are left out, then words are shorter, then live accounts are counted. For how
        long changes are allowed in live accounts is always visible.
        """
        every, others, short, live, counts = list[Content](), list[Content](), list[Content](), 0, False
        for toolkit in session.toolkits:
            if toolkit.name not in session.catalog.toolkits or session.needs(toolkit.name):
                continue
            connection = session.connection(toolkit.name)
            endpoint = connection.endpoint(toolkit.name)
            if endpoint.is_anonymous:
                continue
            mode = endpoint.mode
            part, brief = live_chip(connection.name), live_chip(connection.name, short=True)
            if mode != "live":
                part = Content.styled(f"{toolkit.title}: {MODES[mode]}", COLOURS[mode])
                brief = Content.styled(f"{toolkit.title}: {MODES[mode].partition(' ')[0]}", COLOURS[mode])
            seconds = session.engine.policy.writing_left(connection, toolkit.name)
            if self.toolkit not in ("", toolkit.name) and seconds is None:
                continue
            if seconds is not None:
                counts, left = True, f"{int(seconds) // 60}:{int(seconds) % 60:02} "
                part = Content.assemble(part, " ", (f" + changes {left}", "bold $live reverse"))
                brief = Content.assemble(brief, " ", (f" +{left}", "bold $live reverse"))
            elif connection.rule == "read-only" or mode == "live":
                part = Content.assemble(part, (" read-only", "$text-warning"))
            every.append(part)
            live += mode == "live"
            if mode != "sandbox":
                others.append(part)
                short.append(brief)
        names = [[Content.styled(f" {name} ", "$text-muted on $panel")] for name in session.sandbox_names]
        counted = [[Content.styled(f" LIVE × {live} ", "bold $live reverse")]] if live and not counts else []
        ways = [every, others, short, *counted] if others else names if every else [[]]
        first = [Content.styled("read-only", "bold $text-warning")] if session.engine.policy.read_only else []
        self.targets = tuple(Content("  " if way is short else "   ").join([*first, *way]) for way in ways)
        # The line is updated every second while changes to live data are allowed in some account.
        if counts and self._clock is None:
            self._clock = self.set_interval(1, lambda: self.show_targets(session))
        elif not counts and self._clock is not None:
            self._clock.stop()
            self._clock = None


class PaneTabs(Widget):
    """The panes by name and key, the present one marked; for terminals that show one at a time."""

    ALLOW_SELECT = False
    PANES = (("tools", "Tools"), ("form", "Form"), ("result", "Result"))

    @dataclass
    class PaneRequested(Message):
        """A pane was clicked."""

        pane: str

    here: reactive[str] = reactive("tools")
    tool: reactive[str] = reactive("")
    zoomed: reactive[bool] = reactive(False)

    def render(self) -> Content:
        """Three names, the tool whose form is open, and, while one pane is zoomed, the key that shows all three."""
        parts = []
        for pane, label in self._labels:
            here = pane == self.here
            parts.append(Content.styled("▌" if here else " ", "bold $text-primary"))
            parts.append(Content.styled(f"{label}  ", "bold $text" if here else "$text-muted"))
        parts.append(Content.styled(self.tool, "bold"))
        if self.zoomed:
            key = key_of(self.app, "maximise")
            parts.append(Content.styled(f"  zoomed; {key} shows all panes", "$foreground-muted"))
        return Content.assemble(*parts)

    @property
    def _labels(self) -> list[tuple[str, str]]:
        return [(pane, f"{key_of(self.app, pane)} {name}") for pane, name in self.PANES]

    def spots(self) -> Sequence[JumpTarget]:
        start, found = 0, []
        for pane, label in self._labels:
            if pane != self.here:
                found.append(JumpTarget(Offset(start, 0), partial(self.post_message, self.PaneRequested(pane))))
            start += len(label) + 3
        return found

    def on_click(self, event: events.Click) -> None:
        start = 0
        for pane, label in self._labels:
            start += len(label) + 3
            if event.x < start:
                self.post_message(self.PaneRequested(pane))
                return
