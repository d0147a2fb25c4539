"""Three panes: by the width of the terminal one at a time, the form above the result, or all side by side; and messages.

Nothing follows the focus: only the bar before a pane's title shows which one has it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from textual import events, on, work
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import Worker

from tui.explorer.tool_pane import AskLine, ToolPane
from tui.explorer.top_bar import Hairline, PaneHead, PaneTabs
from tui.keyboard.key_bar import WithKeyBar
from tui.keyboard.key_order import done

_PANES = ("tools", "form", "result")
STACKED, BROAD = 100, 160
"""From so many columns on, the tools stand beside form and result; from so many, all three stand side by side."""

LOW, TALL = 30, 45
"""Below so many lines, and from so many, a form above its result gets less, and more."""

_JOINTS = {"stacked": (28,), "broad": (30, 71)}
"""The columns of the lines between panes, as in the style sheet."""

_ALONE = {"-narrow", "-zoomed", "-asking"}
"""Classes of the screen with which only the present pane is visible."""

_SIZES = {"-narrow", "-stacked", "-broad", "-low", "-tall"}
_STYLED = "#tabs, .pane, .at-start, #work, .in-tabs, #fields, #send, #sendbar, RawArguments, #detail, ToolkitTree, Home"
"""The widgets for which rules of the style sheet depend on the screen's classes other than `_SIZES`."""


class PaneScreen(WithKeyBar, Screen[None]):
    """Moves between the panes and lays them out. Subclasses fill them."""

    def __init__(self) -> None:
        super().__init__()
        self._panes_mounted = asyncio.Event()

    @property
    def panes_mounted(self) -> bool:
        """Whether all panes are there and tools can be run."""
        return self._panes_mounted.is_set()

    def mount_panes(self) -> object:
        raise NotImplementedError

    async def wait_for_panes(self) -> None:
        if not self.panes_mounted:
            self.mount_panes()
            await self._panes_mounted.wait()

    @property
    def opening(self) -> Sequence[Worker[None]]:
        """What opens a tool now: until that is done, the form on screen is not the one that keys are meant for."""
        return [one for one in self.app.workers if one.group == "open" and one.node is self and not one.is_finished]

    async def wait_for_form(self) -> None:
        """Wait until all panes are there, and the form of the tool that is being opened."""
        await self.wait_for_panes()
        while opening := self.opening:
            await done(opening[-1])

    @work(group="panes mounted")
    async def once_panes_mounted(self, act: Callable[[], None]) -> None:
        """Run a key's action once all panes are there; later keys wait for it."""
        await self.wait_for_panes()
        act()

    @work(group="form open", exclusive=True)
    async def once_form_open(self, act: Callable[[], None]) -> None:
        """The same, once the form of the tool that is being opened is there as well; of several actions, the last one."""
        await self.wait_for_form()
        act()

    @property
    def here(self) -> str:
        """The pane that has, or last had, the focus."""
        return next((pane.id for pane in self._panes if pane.id and pane.has_class("-here")), "tools")

    @property
    def _panes(self) -> list[Widget]:
        """The mounted panes. They are needed at every key, and a query would search all their descendants."""
        row = next((one for one in self.children if one.id == "panes"), None)
        inside = [one for outer in (row.children if row is not None else ()) for one in (outer, *outer.children)]
        return [one for one in inside if one.id in _PANES]

    def on_resize(self, event: events.Resize) -> None:
        self.fit(event.size)

    def fit(self, size: Size) -> None:
        self.lay_out(sizes_of(size) | ({"-zoomed": False} if size.width < STACKED else {}))

    @property
    def one_at_a_time(self) -> bool:
        return not self.classes.isdisjoint(_ALONE)

    def action_find(self) -> None:
        """Go to the ask line; typing replaces its text."""
        self.go_to_pane("tools")
        line = self.query_one(AskLine)
        self.show_found(bool(line.value))
        self.set_focus(line)  # at once, so that letters typed right after the key go to the line
        line.action_select_all()

    def ask(self, text: str) -> None:
        """Go to the ask line, with a text in it."""
        self.action_find()
        line = self.query_one(AskLine)
        line.value = text
        line.cursor_position = len(text)

    def on_key(self, event: events.Key) -> None:
        """Start the ask line with a letter that is not a command of the tools, as at the start of the explorer."""
        letter = event.character
        if letter is None or not letter.isalnum() or self.focused is None:
            return
        if self.query_one(ToolPane) in self.focused.ancestors and event.key not in self.active_bindings:
            event.stop()
            self.ask(letter)  # replaces the text, as letters typed after the key do

    @on(Input.Changed, "#filter")
    def _ask(self) -> None:
        """Search what is typed; the letter is shown first, so after the next frame."""
        self.call_after_refresh(self._find)

    def _find(self) -> None:
        text = self.query_one(AskLine).value
        if self.here == "tools":
            self.show_found(bool(text.strip()))
        self.query_one(ToolPane).find(text)

    def show_found(self, found: bool) -> None:
        """Give the whole width to the search results, or give it back."""
        self.lay_out({"-asking": found})

    def show_start(self, shown: bool) -> None:
        """Show home in place of form and result, or hide it."""
        if self.has_class("-start") != shown:
            self.lay_out({"-start": shown, "-browsing": False})

    def browse(self, browsing: bool) -> None:
        """With room for one pane only, show the tools in place of home, or home again."""
        self.lay_out({"-browsing": browsing and self.has_class("-start")})

    def action_zoom(self) -> None:
        """Give the whole screen to the present pane, or back. This is not remembered between runs."""
        if self.has_class("-narrow"):
            self.say(f"Too narrow for several panes: needs {STACKED} columns.")
            return
        self.lay_out({"-zoomed": not self.has_class("-zoomed")})

    def lay_out(self, changed: Mapping[str, bool]) -> None:
        """Lay out the panes after a change of the screen's classes; what is inside their parts is styled for sizes only."""
        on = self.classes.union(name for name, holds in changed.items() if holds)
        on -= {name for name, holds in changed.items() if not holds}
        hidden = "-asking" in on or "-zoomed" in on or on >= {"-narrow", "-browsing"}
        alone = not on.isdisjoint(_ALONE)
        was_starting, starting, classes = self.has_class("-starting"), "-start" in on and not hidden, self.classes
        changed = {**changed, "-starting": starting, "-at-tools": alone and self.here == "tools"}
        self.update_classes(changed, update=not _SIZES.isdisjoint(changed))
        if self.classes != classes and _SIZES.isdisjoint(changed):
            self.app.stylesheet.update_nodes(self.query(_STYLED))
        if starting != was_starting:
            self.refresh_bindings()
        self.query_one(PaneTabs).zoomed = "-zoomed" in on
        joints = () if alone else _JOINTS["broad" if "-broad" in on else "stacked"]
        for line in self.query_children(Hairline):
            line.joints = joints[:1] if "-start" in on or len(self._panes) == 1 else joints

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if event.widget is not self.focused:
            return  # the focus has moved on; following this event would hide the pane that has it now
        self.browse(not isinstance(event.widget, AskLine))
        if isinstance(event.widget, AskLine):
            self.go_to_pane("tools")
        for pane in event.widget.ancestors_with_self:
            if isinstance(pane, Widget) and pane.id in _PANES:
                self.go_to_pane(pane.id)
                return

    def go_to_pane(self, name: str) -> None:
        leaving = {} if name == "tools" else dict.fromkeys(("-asking", "-start", "-browsing"), False)
        for pane in self._panes:
            here = pane.id == name
            if pane.has_class("-here") != here:
                pane.set_class(here, "-here", update=False)
                # No style rule for the present pane applies inside it, so its contents need no new styles.
                self.app.stylesheet.apply(pane)
        for head in self.walk_children(PaneHead):
            head.here = any(one.id == name for one in head.ancestors)
        self.query_one(PaneTabs).here = name
        self.lay_out(leaving)


def sizes_of(size: Size) -> dict[str, bool]:
    """The screen's classes for a size of the terminal."""
    width, height = size
    by_width = {"-narrow": width < STACKED, "-stacked": STACKED <= width < BROAD, "-broad": width >= BROAD}
    return by_width | {"-low": height < LOW, "-tall": height >= TALL}
