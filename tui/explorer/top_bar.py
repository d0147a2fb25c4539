"""First lines: of the explorer, with the accounts in use and, where it is narrow, the panes; of a pane. Lines between panes."""

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from textual import events
from textual.content import Content
from textual.geometry import Offset, Size
from textual.reactive import reactive
from textual.widget import Widget

from registry.text.shown import visible_line
from tui.keyboard.key_bar import JumpTarget
from tui.session import Session
from tui.state.settings import key_of
from tui.widgets.texts import COLOURS, MODES, live_chip

_ASKING = 30  # columns for the name of the program and the ask line
_UNKNOWN = Content(" " * 9)  # as wide as the usual name, so that nothing moves when it is shown

BAR = "▌"


class PaneHead(Widget):
    """The first line of a pane: a title, and a few words at the right. The whole line is lit while the pane has the focus.

    Attributes:
        asides: the words at the right, in full and shorter and shorter; the first ones that leave room for the title.
    """

    DEFAULT_CSS = """
    PaneHead { height: 1; padding: 0 1 0 0; }
    PaneHead.-here { background: $block-cursor-background; }
    """

    ALLOW_SELECT = False

    here: reactive[bool] = reactive(False)
    title: reactive[str] = reactive("")
    asides: reactive[tuple[Content, ...]] = reactive(())

    def watch_here(self) -> None:
        self.set_class(self.here, "-here")

    def render(self) -> Content:
        bar = Content.styled(BAR, "bold $text-primary") if self.here else Content(" ")
        room, title = self.content_size.width - 2, Content(visible_line(self.title))
        # Of words that are too long the last and shortest ones, which say how much of the list is there.
        asides = [one for one in self.asides if one.cell_length + 4 <= room] or [Content()]
        aside = next((one for one in asides if title.cell_length + one.cell_length + 2 <= room), asides[-1])
        title = title.truncate(max(room - (aside.cell_length + 2 if aside else 0), 1), ellipsis=True)
        gap = max(room - title.cell_length - aside.cell_length, 0) if aside else 0
        return Content.assemble(bar, " ", title.stylize("bold" if self.here else "$text-muted bold"), " " * gap, aside)


class Hairline(Widget):
    """A horizontal line over the full width, with a joint where a line between panes meets it."""

    DEFAULT_CSS = "Hairline { height: 1; color: $hairline; }"

    ALLOW_SELECT = False

    joints: reactive[tuple[int, ...]] = reactive(())

    def __init__(self, joint: str) -> None:
        """Make it; `joint` is the character at each column in `joints`."""
        super().__init__()
        self._joint = joint

    def render(self) -> Content:
        return Content("".join(self._joint if column in self.joints else "─" for column in range(self.size.width)))


class TopBar(Widget):
    """The account in use; nothing until the accounts are known, because any name could be untrue."""

    ALLOW_SELECT = False

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
        every, others, short, live, left = list[Content](), list[Content](), list[Content](), 0, ""
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
                left = f"{int(seconds) // 60}:{int(seconds) % 60:02} "
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
        counted = [[Content.styled(f" LIVE × {live} ", "bold $live reverse")]] if live and not left else []
        ways = [every, others, short, *counted] if others else names if every else [[]]
        first = [Content.styled("read-only", "bold $text-warning")] if session.engine.policy.read_only else []
        self.targets = tuple(Content("  " if way is short else "   ").join([*first, *way]) for way in ways)


class PaneTabs(Widget):
    """The panes by name and key, the present one marked; for terminals that show one at a time."""

    ALLOW_SELECT = False
    PANES = (("tools", "Tools"), ("form", "Form"), ("result", "Result"))

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
                found.append(JumpTarget(Offset(start, 0), partial(cast(Any, self.screen).action_pane, pane)))
            start += len(label) + 3
        return found

    def on_click(self, event: events.Click) -> None:
        start = 0
        for pane, label in self._labels:
            start += len(label) + 3
            if event.x < start:
                cast(Any, self.screen).action_pane(pane)
                return
