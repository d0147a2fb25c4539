"""Three panes, side by side or, without room, one at a time: the current one, their widths, and messages.

The focused pane gets the room, in one step, unless the widths are fixed. Panes are separated by a hairline; only the bar before
a pane's title shows which one has the focus.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from textual import events, on, work
from textual.content import Content
from textual.errors import NoWidget
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from tui.explorer.pane_head import Hairline, PaneHead
from tui.explorer.parameter_form import ParameterForm
from tui.explorer.tool_pane import AskLine, ToolPane
from tui.explorer.top_bar import PaneTabs
from tui.json_view.view import JsonView
from tui.keyboard.key_bar import KeyBar
from tui.keyboard.started_work import opened
from tui.state.layouts import FOR_THREE, Layout, Layouts, dragged, fitting, following, room_of
from tui.table.view import TableView

_PANES = ("tools", "form", "result")
_STEP = 4


class PaneScreen(Screen[None]):
    """Moves between the panes and sets their widths. Subclasses fill them."""

    def __init__(self) -> None:
        super().__init__()
        self._layouts = Layouts()
        self._panes_mounted = asyncio.Event()
        self._zoomed = False
        self._widths: dict[str, int | str | None] = {}
        self._columns = 0
        self._grip: tuple[str, int] | None = None  # the pane whose right edge is dragged, and the distance of the mouse from it

    @property
    def panes_mounted(self) -> bool:
        """Whether all panes are there and tools can be run."""
        return self._panes_mounted.is_set()

    async def wait_for_panes(self) -> None:
        """Wait until all panes are there."""
        await self._panes_mounted.wait()

    @property
    def opening(self) -> Sequence[Worker[None]]:
        """What opens a tool now: until that is done, the form on screen is not the one that keys are meant for."""
        return [one for one in self.app.workers if one.group == "open" and one.node is self and not one.is_finished]

    async def wait_for_form(self) -> None:
        """Wait until all panes are there, and the form of the tool that is being opened."""
        await self._panes_mounted.wait()
        while opening := self.opening:
            await opened(opening[-1])

    @work(group="panes mounted", exit_on_error=False)
    async def once_panes_mounted(self, act: Callable[[], None]) -> None:
        """Run a key's action once all panes are there; later keys wait for it."""
        await self._panes_mounted.wait()
        act()

    @work(group="form open", exclusive=True, exit_on_error=False)
    async def once_form_open(self, act: Callable[[], None]) -> None:
        """The same, once the form of the tool that is being opened is there as well; of several actions, the last one."""
        await self.wait_for_form()
        act()

    def focus_pane(self, name: str) -> None:
        """Focus a pane."""
        raise NotImplementedError

    @property
    def here(self) -> str:
        """The pane that has, or last had, the focus."""
        return next((pane.id for pane in self._panes if pane.id and pane.has_class("-here")), "tools")

    @property
    def _panes(self) -> list[Widget]:
        """The mounted panes. They are needed at every key, and a query would search all their descendants."""
        row = next((one for one in self.children if one.id == "panes"), None)
        return [one for one in row.children if one.id in _PANES] if row is not None else []

    def on_resize(self, event: events.Resize) -> None:
        """Show one pane at a time if there is no room for three."""
        self.fit(event.size.width)

    def fit(self, columns: int) -> None:
        """Lay out the panes for so many columns."""
        self._columns = columns
        self.set_class(columns < FOR_THREE, "-narrow")
        self._lay_out()

    def take_layouts(self, layouts: Layouts) -> None:
        """Use the remembered widths, and remember changes."""
        self._layouts = layouts
        self._lay_out()
        self._tell_of_layouts()

    @property
    def one_at_a_time(self) -> bool:
        """Whether only the present pane is visible."""
        return any(map(self.has_class, ("-narrow", "-zoomed", "-asking")))

    def action_find(self) -> None:
        """Go to the ask line; typing replaces its text."""
        self.go_to_pane("tools")
        line = self.query_one(AskLine)
        self.show_found(bool(line.value))
        self.set_focus(line)  # at once, so that letters typed right after the key go to the line
        line.action_select_all()

    @on(ToolPane.Typed)
    def _typed(self, event: ToolPane.Typed) -> None:
        event.stop()
        self.action_find()
        line = self.query_one(AskLine)
        line.value = event.letter  # replaces the text, as letters typed after the key do
        line.cursor_position = len(event.letter)

    @on(AskLine.Asked)
    def _asked(self, event: AskLine.Asked) -> None:
        event.stop()
        if self.here == "tools":
            self.show_found(bool(event.text.strip()))
        self.query_one(ToolPane).find_soon(event.text)

    def show_found(self, found: bool) -> None:
        """Give the whole width to the search results, or give it back."""
        if self.has_class("-asking") != found:
            self.set_class(found, "-asking")
            self._lay_out()

    def show_start(self, shown: bool) -> None:
        """Show the start page in place of form and result, or hide it."""
        if self.has_class("-start") != shown:
            self.set_class(shown, "-start")
            self.browse(False)
            self._lay_out()

    def browse(self, browsing: bool) -> None:
        """With room for one pane only, show the tools in place of the start page, or the start page again."""
        if self.has_class("-browsing") != (browsing and self.has_class("-start")):
            self.set_class(not self.has_class("-browsing"), "-browsing")
            self._lay_out()

    def action_pane(self, name: str) -> None:
        """Go to a pane."""
        if name == "tools" or self.panes_mounted:
            self.browse(name == "tools")
            self.go_to_pane(name)
            self.focus_pane(name)
        else:
            self.once_panes_mounted(partial(self.action_pane, name))

    def action_zoom(self) -> None:
        """Give the whole screen to the present pane, or back. This is not remembered between runs."""
        if self._has_room():
            self._zoomed = not self._zoomed
            self._lay_out()

    def action_hold(self) -> None:
        """Fix the widths as they are, or let them follow the focus again."""
        if not self._has_room():
            return
        layout = self._layout
        self._change(replace(layout, held=not layout.held))
        self.say("Pane widths follow the focus again." if layout.held else "Pane widths are fixed.", "$text-success")

    def action_resize(self, step: int) -> None:
        """Make the present pane wider or narrower, and fix the widths."""
        if not self._has_room():
            return
        if self._zoomed:
            self.say("This pane is zoomed. Zoom again to show all panes.")
            return
        layout, here = self._layout, self.here
        by = _STEP * step
        if here == "tools":
            changed = replace(layout, tools=layout.tools + by, held=True)
        else:
            changed = replace(layout, form=layout.form + (by if here == "form" else -by), held=True)
        changed = fitting(changed, self.size.width)
        if replace(changed, held=layout.held) == layout:
            self.say(f"This pane cannot get {'wider' if step > 0 else 'narrower'} than that.")
        else:
            self._change(changed)

    def _has_room(self) -> bool:
        """Whether there is room for three panes; shows a message if not."""
        if self.has_class("-narrow"):
            self.say(f"Too narrow for three panes: needs {FOR_THREE} columns.")
        return not self.has_class("-narrow")

    @property
    def _layout(self) -> Layout:
        """The present widths: fixed, or those for the pane with the focus."""
        held = self._layouts.of(room_of(self._columns))
        return fitting(held, self._columns) if held.held else following(self._columns, self.here)

    def _change(self, layout: Layout) -> None:
        self._layouts.change(room_of(self.size.width), layout)
        self._lay_out()
        self._remember_layouts()

    def _lay_out(self) -> None:
        narrow = self.has_class("-narrow")
        self.set_class(self._zoomed and not narrow, "-zoomed")
        hidden = self.has_class("-asking") or self.has_class("-zoomed") or (narrow and self.has_class("-browsing"))
        starting = self.has_class("-start") and not hidden
        if starting != self.has_class("-starting"):
            self.set_class(starting, "-starting")
            self.refresh_bindings()
        self.query_one(PaneTabs).zoomed = self._zoomed and not narrow
        layout = self._layout
        widths: dict[str, int | str] = {"tools": layout.tools + 1, "form": layout.form + 1, "result": "1fr"}
        for pane in self._panes:
            # If only one pane is visible, the style sheet sets its width.
            wanted = None if self.one_at_a_time else widths[pane.id or ""]
            if self._widths.get(pane.id or "") != wanted:
                self._widths[pane.id or ""] = wanted
                pane.styles.width = wanted
        panes = len(self._widths)
        alone = panes == 1 or self.has_class("-start")
        joints = () if self.one_at_a_time else (layout.tools, layout.tools + layout.form + 1)[: 1 if alone else panes]
        for line in self.query_children(Hairline):
            line.joints = joints

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start to drag the border between two panes."""
        self._grip = None
        if event.button != 1 or self.one_at_a_time:
            return
        try:
            pane, _ = self.get_widget_at(*event.screen_offset)
        except NoWidget:
            return
        if pane.id not in _PANES:
            return  # a widget inside a pane, or a notice in front of it
        for left, _ in pairwise(self._panes):
            edge = left.region.right
            if left.id is not None and event.screen_x == edge - 1:
                self._grip = (left.id, edge - event.screen_x)
                pane.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the border."""
        if self._grip is None or self.one_at_a_time:
            return
        pane, off = self._grip
        columns = self.size.width
        layout = self._layout
        changed = dragged(layout, pane, event.screen_x + off, columns)
        if changed != layout:
            self._layouts.change(room_of(columns), changed)
            self._lay_out()

    def on_mouse_up(self) -> None:
        """Stop dragging, and remember the widths."""
        if self._grip is not None:
            self._grip = None
            self.app.capture_mouse(None)
            self._remember_layouts()

    @work(group="layouts", exit_on_error=False)
    async def _remember_layouts(self) -> None:
        await asyncio.to_thread(self._layouts.save)
        self._tell_of_layouts()

    def _tell_of_layouts(self) -> None:
        if words := self._layouts.notices.take():
            self.notify(words, title="Panes", severity="warning", markup=False)

    @on(PaneTabs.PaneRequested)
    def _pane_requested(self, event: PaneTabs.PaneRequested) -> None:
        event.stop()
        self.action_pane(event.pane)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Make the pane with the focus the present one."""
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
        """Make a pane the present one."""
        if name != "tools":
            self.show_found(False)
            self.show_start(False)
        for pane in self._panes:
            here = pane.id == name
            if pane.has_class("-here") != here:
                pane.set_class(here, "-here", update=False)
                # No style rule for the present pane applies inside it, so its contents need no new styles.
                self.app.stylesheet.apply(pane)
        for head in self.walk_children(PaneHead):
            head.here = any(one.id == name for one in head.ancestors)
        self.query_one(PaneTabs).here = name
        if self.panes_mounted:
            for form in self.walk_children(ParameterForm):
                form.rest(name != "form")
        # A narrow tree has no room for a tool's description, which is not needed while another pane has the focus.
        detail, shown = self.query_one("#detail"), name == "tools" or room_of(self.size.width) == "broad"
        if detail.display != shown:
            detail.display = shown
        self._lay_out()

    def on_screen_suspend(self) -> None:
        """A dialog opened."""
        self.query_one(KeyBar).refresh()

    def on_screen_resume(self) -> None:
        """The dialog closed."""
        self.query_one(KeyBar).refresh()

    def on_json_view_copied(self, event: JsonView.Copied | TableView.Copied) -> None:
        """Show what was copied."""
        event.stop()
        self.say(event.words, "$text-success" if event.done else "$text-error")

    on_table_view_copied = on_json_view_copied

    def say(self, words: str, colour: str = "$text-warning") -> None:
        """Show a short message in the key bar."""
        self.query_one(KeyBar).say(Content.styled(f" {words}", f"bold {colour}"))
