"""The explorer: tools, form and result side by side, or one at a time on a narrow terminal.

The tools are there with the first frame. The form and the result, and the engine behind them, are loaded right after it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from tui.commands import Scope, bindings
from tui.explorer.flight import Flight
from tui.explorer.pager import Pager, Way, no_page
from tui.explorer.tool_pane import Filter, ToolPane
from tui.explorer.toolkit_tree import ToolkitTree
from tui.explorer.top_bar import PaneTabs, TopBar
from tui.keybar import KeyBar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from registry.calling.result import Result
    from registry.catalog.model import Tool
    from tui.explorer.parameter_form import ParameterForm
    from tui.explorer.result_pane import ResultPane
    from tui.json_view.find_line import FindLine
    from tui.json_view.view import JsonView
    from tui.session import Session

_PANES = ("tools", "form", "result")
_TREE_WIDTH, _TREE_STEP, _TREE_RANGE = 36, 4, (20, 72)
_SHARE_STEP, _SHARE_RANGE = 0.2, (0.4, 3.0)
_WIDTH_FOR_THREE = 112


class CallFinished(Message):
    """A call came to its end, with an answer or a failure."""

    def __init__(self, flight: Flight, result: Result) -> None:
        super().__init__()
        self.flight = flight
        self.result = result


class ExplorerScreen(Screen[None]):
    """The three panes and what happens between them."""

    BINDINGS = bindings("everywhere")
    AUTO_FOCUS = "#filter"

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._furnished = asyncio.Event()
        self._flights: dict[str, Flight] = {}
        self._pager = Pager()
        self._asked_to_leave = False
        self._widths = {"tools": float(_TREE_WIDTH), "form": 1.0, "result": 1.3}

    def compose(self) -> ComposeResult:
        """The tools; the other panes follow."""
        yield TopBar(id="top")
        yield PaneTabs(id="tabs")
        with Horizontal(id="panes"):
            yield ToolPane(self._session.contents, id="tools", classes="pane at-tools -here")
        yield KeyBar()

    def on_mount(self) -> None:
        """Load the rest when the first frame stands."""
        self.call_after_refresh(self._furnish)

    def on_resize(self, event: events.Resize) -> None:
        """Show one pane at a time where there is no room for three."""
        self.set_class(event.size.width < _WIDTH_FOR_THREE, "-narrow")

    def on_screen_suspend(self) -> None:
        """A dialog stands in front."""
        self.query_one(KeyBar).refresh()

    def on_screen_resume(self) -> None:
        """The dialog has gone."""
        self.query_one(KeyBar).refresh()

    @property
    def furnished(self) -> bool:
        """Whether all panes are there and tools can be run."""
        return self._furnished.is_set()

    @property
    def form(self) -> ParameterForm:
        """The middle pane, once it is there."""
        from tui.explorer.parameter_form import ParameterForm

        return self.query_one(ParameterForm)

    @property
    def result(self) -> ResultPane:
        """The right pane, once it is there."""
        from tui.explorer.result_pane import ResultPane

        return self.query_one(ResultPane)

    @property
    def here(self) -> str:
        """The pane that has, or last had, the keyboard."""
        return next((name for name in _PANES if any(pane.id == name for pane in self.query(".-here"))), "tools")

    # Opening

    @work(group="furnish", exit_on_error=False)
    async def _furnish(self) -> None:
        await self._session.ready()
        from tui.explorer.parameter_form import ParameterForm
        from tui.explorer.result_pane import ResultPane

        panes = self.query_one("#panes")
        async with panes.batch():
            await panes.mount(
                ParameterForm(self._session, id="form").add_class("pane", "at-form"),
                ResultPane(id="result").add_class("pane", "at-result"),
            )
        self.query_one(TopBar).show_targets(self._session)
        self.query_one(ToolPane).prepare()
        self._furnished.set()
        if self._session.settings_error:
            self.notify(self._session.settings_error, title="Connections", severity="warning", markup=False)
        for problem in self._session.catalog.problems:
            self.notify(str(problem), title="Catalogue", severity="error", markup=False)

    @on(ToolkitTree.Chosen)
    def _chosen(self, event: ToolkitTree.Chosen) -> None:
        event.stop()
        self.open_tool(event.tool.name)

    @work(group="open", exclusive=True, exit_on_error=False)
    async def open_tool(self, name: str) -> None:
        """Open a tool's form, show its last result, and put the keyboard where work starts."""
        await self._furnished.wait()
        tool = self._session.catalog.tools.get(name)
        if tool is None:
            self.notify(f"{name} is listed and cannot be used; the catalogue has a mistake.", severity="error", markup=False)
            return
        if self.form.tool is not tool:
            await self.form.open(tool)
            self.query_one(PaneTabs).tool = tool.name
            self.query_one(ToolkitTree).go_to(name)
            known = self._session.results.get(name)
            if known is not None:
                await self._show(known)
            else:
                self.result.show_nothing(tool.name)
            if name in self._flights:
                self.result.show_running(self._flights[name])
        self._go("form")
        self.form.focus_first()

    # Running

    def action_run(self) -> None:
        """Run the tool whose form is open."""
        if self.furnished:
            self.form.run_tool()

    def on_parameter_form_run(self, event: ParameterForm.Run) -> None:
        """Run a tool; ask first when it deletes."""
        event.stop()
        if event.tool.effect != "read" and event.tool.name in self._flights:
            # Nobody could tell what a change that is cut off in the middle has done.
            self.notify(f"{event.tool.name} is still running. Esc cancels it.", severity="warning", markup=False)
            return
        if not self.form.is_on_later_page:
            self._pager.start_over(event.tool)
        if event.tool.effect == "delete":
            self._confirm(event.tool, event.raw)
        else:
            self._start(event.tool, event.raw)

    @work(group="confirm", exclusive=True, exit_on_error=False)
    async def _confirm(self, tool: Tool, raw: dict[str, object]) -> None:
        from tui.dialogs.confirm_delete import ConfirmDelete

        preview = self._session.preview(tool, self._session.check(tool, raw))
        connection = self._session.connection(tool.toolkit)
        mode = connection.endpoint(tool.toolkit).mode
        if await self.app.push_screen_wait(ConfirmDelete(tool, raw, preview, connection.title, mode)):
            self._start(tool, raw)

    def _start(self, tool: Tool, raw: dict[str, object]) -> None:
        replaced = self._flights.get(tool.name)
        flight = self._flights[tool.name] = Flight(tool)
        if replaced is not None and replaced.worker is not None:
            replaced.worker.cancel()
        self.result.show_running(flight)
        if self.has_class("-narrow"):
            self._go("result")
        flight.worker = self._call(flight, raw)

    @work(group="call", exit_on_error=False, description="one call to a service")
    async def _call(self, flight: Flight, raw: dict[str, object]) -> None:
        result = await self._session.call(flight.tool, raw, flight.report)
        self.post_message(CallFinished(flight, result))

    @on(CallFinished)
    async def _finished(self, event: CallFinished) -> None:
        event.stop()
        if not self._landed(event.flight):
            return
        name = event.flight.tool.name
        if self.form.tool is not event.flight.tool:
            word = "done" if event.result.ok else "failed"
            self.notify(f"{name}: {word}. Open it to see the result.", markup=False)
            return
        await self._show(event.result)
        if self.here == "form" or self.has_class("-narrow"):
            self._go("result")
            self.result.focus_answer()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        worker = event.worker
        if event.state in (WorkerState.CANCELLED, WorkerState.ERROR):
            flight = next((one for one in self._flights.values() if one.worker is worker), None)
            if flight is not None and self._landed(flight) and self.form.tool is flight.tool:
                self.result.show_cancelled(flight)
        if event.state is WorkerState.ERROR and worker.error is not None:
            self.notify(f"{type(worker.error).__name__}: {worker.error}", title="Unexpected", severity="error", markup=False)

    async def _show(self, result: Result) -> None:
        """Show a result, and where its pages go."""
        await self.result.show(result, self._pager.around(self.form.tool, result, "previous") is not None)
        self.refresh_bindings()

    def _landed(self, flight: Flight) -> bool:
        """Take a call off the list; tells whether it was still on it, and not replaced by a later one."""
        if self._flights.get(flight.tool.name) is not flight:
            return False
        self._asked_to_leave = False
        del self._flights[flight.tool.name]
        return True

    def action_page(self, way: Way) -> None:
        """Run the tool again for the page behind or before the one on screen."""
        tool, change = self.form.tool, self._page_around(way)
        if tool is None or change is None:
            self._say(no_page(self.result.result, way), "$text-warning")
            return
        self._pager.turn(tool, way, self.form.raw, change)
        self.form.turn(change)
        self._start(tool, self.form.raw)

    def _page_around(self, way: Way) -> Mapping[str, object] | None:
        return self._pager.around(self.form.tool, self.result.result, way)

    @property
    def idle_actions(self) -> set[str]:
        """Actions that would do nothing now; the key bar leaves them out."""
        ways: tuple[Way, ...] = ("next", "previous")
        return {f"screen.page('{way}')" for way in ways if not self.furnished or self._page_around(way) is None}

    def action_cancel(self) -> None:
        """Stop the call under way; otherwise step back."""
        flight = self._flights.get(self.form.tool.name) if self.furnished and self.form.tool is not None else None
        if flight is not None and flight.worker is not None:
            flight.worker.cancel()
        elif self.has_class("-zoomed"):
            self.action_zoom()
        elif (filter_line := self.query_one(Filter)).value and self.here == "tools":
            filter_line.value = ""
            filter_line.focus()
        else:
            self._go("tools")
            self.query_one(ToolkitTree).focus()

    def action_find_in_answer(self) -> None:
        """Look for something in the answer."""
        from tui.json_view.find_line import FindLine

        self.result.query_one(FindLine).open()

    def action_hit(self, step: int) -> None:
        """Go to the next or previous place that was found."""
        self.result.go_to_hit(step)

    @work(group="find", exclusive=True, exit_on_error=False)
    async def on_find_line_wanted(self, event: FindLine.Wanted) -> None:
        """Find something in the answer."""
        event.stop()
        await self.result.find(event.query)

    def on_json_view_copied(self, event: JsonView.Copied) -> None:
        """Tell what was copied."""
        event.stop()
        self._say(f"✓ Copied {event.shown}", "$text-success")

    def _say(self, words: str, colour: str) -> None:
        """Say something in a few words where it is in nobody's way."""
        self.query_one(KeyBar).say(Content.styled(f" {words}", f"bold {colour}"))

    def may_leave(self) -> bool:
        """Whether Callboard may be left at once; while something is being changed, only when asked a second time."""
        changing = [name for name, flight in self._flights.items() if flight.tool.effect != "read"]
        if changing and not self._asked_to_leave:
            self._asked_to_leave = True
            self._say(f"{changing[0]} is still running and may be carried out all the same. ^Q again leaves.", "$text-warning")
            return False
        return True

    # Moving between panes

    def action_find(self) -> None:
        """Go to the filter; what is typed next takes the place of what is there."""
        self._go("tools")
        line = self.query_one(Filter)
        line.focus()
        line.action_select_all()

    def action_pane(self, name: str) -> None:
        """Go to a pane."""
        if name != "tools" and not self.furnished:
            return
        self._go(name)
        if name == "tools":
            self.query_one(ToolkitTree).focus()
        elif name == "form":
            self.form.focus_again()
        else:
            self.result.focus_answer()

    def action_zoom(self) -> None:
        """Give the whole screen to the present pane, or back."""
        self.toggle_class("-zoomed")

    def action_resize(self, step: int) -> None:
        """Make the present pane wider or narrower."""
        name = self.here
        low, high = _TREE_RANGE if name == "tools" else _SHARE_RANGE
        change = step * (_TREE_STEP if name == "tools" else _SHARE_STEP)
        self._widths[name] = min(max(self._widths[name] + change, low), high)
        width = self._widths[name]
        self.query_one(f"#{name}", Widget).styles.width = int(width) if name == "tools" else f"{width:.1f}fr"

    @on(PaneTabs.Wanted)
    def _wanted(self, event: PaneTabs.Wanted) -> None:
        event.stop()
        self.action_pane(event.pane)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane with the keyboard is the present one."""
        for pane in event.widget.ancestors_with_self:
            if isinstance(pane, Widget) and pane.id in _PANES:
                self._go(pane.id)
                return

    def _go(self, name: str) -> None:
        for pane in self.query(".pane"):
            pane.set_class(pane.id == name, "-here")
        self.query_one(PaneTabs).here = name

    # Dialogs

    def action_help(self) -> None:
        """Show the help for the present pane."""
        from tui.dialogs.help import HelpScreen

        scope: Scope = "tools" if self.here == "tools" else "form" if self.here == "form" else "result"
        self.app.push_screen(HelpScreen(scope))

    @work(group="connections", exclusive=True, exit_on_error=False)
    async def action_connections(self) -> None:
        """Choose where calls go."""
        from tui.dialogs.connection import ConnectionDialog

        await self._furnished.wait()
        await self.app.push_screen_wait(ConnectionDialog(self._session, self._targets_changed))

    def _targets_changed(self) -> None:
        self.query_one(TopBar).show_targets(self._session)
        self.form.check()
