"""The explorer: tools, form and result side by side, or one at a time on a narrow terminal.

The tools are on the first frame. The form and the result, and the engine they use, are loaded right after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.worker import Worker, WorkerState

from registry.accounts.connection import Connection
from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.toolkits.checking import file_problems
from tui.dialogs.help import HelpScreen
from tui.explorer.accounts import show_accounts, tell_live
from tui.explorer.agent_line import AgentLine
from tui.explorer.confirmed_change import ConfirmedChange
from tui.explorer.consent import consent_to
from tui.explorer.context import ExplorerContext
from tui.explorer.crumbs import labels_of
from tui.explorer.draft_recovery import notice_of
from tui.explorer.fetch_actions import fetch_all, turn_window
from tui.explorer.fetch_windows import RunningFetch
from tui.explorer.page_history import DIRECTIONS, Direction, carried_over, no_page, page_line
from tui.explorer.page_sizing import resize_pages
from tui.explorer.pane_head import Hairline
from tui.explorer.parameter_form import ParameterForm
from tui.explorer.result_actions import ResultScreen
from tui.explorer.result_pane import ResultPane
from tui.explorer.running_call import CallFinished, RunningCall, RunningCalls
from tui.explorer.tool_pane import AskLine, ToolPane
from tui.explorer.toolkit_tree import ToolkitTree
from tui.explorer.top_bar import PaneTabs, TopBar
from tui.explorer.top_line import TopLine
from tui.explorer.trail import Trail, Visit, subject_of
from tui.explorer.write_switch import switch_writing
from tui.json_view.threaded import links_of
from tui.keyboard.commands import Scope, bindings
from tui.keyboard.key_bar import KeyBar
from tui.session import Session
from tui.state.settings import key_of


class ExplorerScreen(ResultScreen):
    """The three panes and what happens between them."""

    BINDINGS = bindings("everywhere")
    AUTO_FOCUS = "#filter"

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._running_calls = RunningCalls()
        self._trail = Trail()
        self._last: dict[str, Visit] = {}
        self._asked_to_leave = False

    def compose(self) -> ComposeResult:
        """The tools; the other panes are mounted later."""
        yield TopLine(id="top")
        yield PaneTabs(id="tabs")
        yield AgentLine("┬")
        with Horizontal(id="panes"):
            yield ToolPane(self._session.contents, self._session.toolkits, id="tools", classes="pane at-tools -here")
        yield Hairline("┴")
        yield KeyBar()

    def on_mount(self) -> None:
        """Load the rest after the first frame is drawn."""
        self.fit(self.app.size)  # before the first layout, which would otherwise be repeated
        self.call_after_refresh(self._mount_panes)

    @property
    def session(self) -> Session:
        """The session."""
        return self._session

    @property
    def trail(self) -> Trail:
        """The visits so far."""
        return self._trail

    @property
    def tool(self) -> Tool | None:
        """The tool whose form is open."""
        return self.form.tool if self.panes_mounted else None

    @property
    def form(self) -> ParameterForm:
        """The middle pane, once it is mounted."""
        return self.query_one(ParameterForm)

    @property
    def result(self) -> ResultPane:
        """The right pane, once it is mounted."""
        return self.query_one(ResultPane)

    @work(group="mount panes", exit_on_error=False)
    async def _mount_panes(self) -> None:
        await self._session.ready()
        panes = self.query_one("#panes")
        async with panes.batch():  # one layout for everything, and none for panes hidden by the start page
            await self.offer_start()
            form, result = ParameterForm(self._session, id="form"), ResultPane(self._session, id="result")
            work = Vertical(form.add_class("pane", "at-form"), result.add_class("pane", "at-result"), id="work")
            await panes.mount(work, after="#tools")
            show_accounts(self, self._session)
        await self.prepare_tools()
        self._panes_mounted.set()
        if self._session.settings_error:
            self.notify(self._session.settings_error, title="Accounts", severity="warning", markup=False)
        await tell_live(self, self._session)
        if self._session.left and self.has_class("-narrow"):
            self.notify(notice_of(self._session.left, key_of(self.app, "form")), title="Unsent drafts", timeout=6, markup=False)
        for problem in (*self._session.catalog.problems, *file_problems()):
            self.notify(str(problem), title="Catalogue", severity="error", markup=False)
        await asyncio.to_thread(self._session.engine.warm_up)

    @work(group="open", exclusive=True, exit_on_error=False)
    async def open_tool(self, name: str) -> None:
        """Open a tool as it was left, and focus where work starts."""
        tool = await self._tool(name)
        if tool is None:
            return
        if self.form.tool is not tool:
            self._leave()
            here, last, running = self._trail.here, self._last.get(name), self._running_calls.of(tool)
            if here is None or here.tool != name:  # its form may be half made
                draft = self._session.drafts.get(name, {})
                visit = last.again(draft) if last is not None else Visit(name, draft)
                self._trail.go(running.visit if running is not None else visit)
            await self.arrive()
        self.go_to_pane("form")
        self.form.focus_first()

    @work(group="open", exclusive=True, exit_on_error=False)
    async def visit(
        self,
        name: str,
        raw: Mapping[str, object],
        *,
        run: bool = True,
        from_board: bool = False,
        from_page: bool = False,
        unlinked: bool = False,
    ) -> None:
        """Open a tool from the result on screen, the dashboard or a page, or `unlinked`; run it if nothing is missing."""
        tool = await self._tool(name)
        if tool is None:
            return
        self._leave()
        self._session.settle(name, raw)
        (self._trail.go if unlinked else self._trail.follow)(
            Visit(name, dict(raw), subject=subject_of(tool, raw), from_board=from_board, from_page=from_page)
        )
        # The result of an earlier call is not shown under a new one, where keys would act on it.
        await self.arrive(soon=run and not unlinked)
        if subject_of(tool, raw) in self._session.deleted_ids.of(self._session.connection(tool.toolkit).name):
            self.say("✗ You already deleted this object.", "$text-error")
        runs = run and tool.effect == "read" and not self._session.check(tool, raw).errors
        if not runs:
            self.go_to_pane("form")
            self.form.focus_first()
        else:
            self.launch(tool, dict(raw))
            # Keys pressed from now on are for the result, even before it is shown.
            if unlinked:
                self.result.focus_result()

    @work(group="open", exclusive=True, exit_on_error=False)
    async def action_travel(self, step: int) -> None:
        """Go back or forward."""
        await self._panes_mounted.wait()
        here = self._trail.here
        if step < 0 and self._trail.from_board and await self.app.run_action("app.oncall"):
            return
        if step < 0 and here is not None and here.from_page and await self.app.run_action("app.page"):
            return
        if self._trail.around(step) is None:
            self.say("No previous result." if step < 0 else "No next result.", "$text-warning")
            return
        self._leave()
        self._trail.move(step)
        await self.arrive()
        if self.here == "result":
            self.result.focus_result()
        elif self.here == "form":
            self.form.focus_first()

    async def _tool(self, name: str) -> Tool | None:
        await self._panes_mounted.wait()
        tool = self._session.catalog.tools.get(name)
        if tool is None:
            self.notify(f"{name} cannot be opened: its catalogue entry is invalid.", severity="error", markup=False)
        return tool

    def _leave(self) -> None:
        """Store the form and the cursor of the visit that is being left."""
        here = self._trail.here
        if here is not None and self.form.tool is not None and self.form.tool.name == here.tool:
            here.raw = self.form.raw
            if here.result is not None and here.result is self.result.result:
                here.spot = self.result.spot

    async def arrive(self, *, soon: bool = False) -> None:
        """Show the present visit: its form, and its result; `soon` says that a call for a result follows."""
        visit = self._trail.here
        assert visit is not None
        tool = self._session.catalog.tools[visit.tool]
        if visit.was_run:
            self._session.settle(tool.name, visit.asked)
        if self.form.tool is not tool:
            await self.form.open(tool)
            self.query_one(PaneTabs).tool = self._session.title_of(tool.name)
            self.query_one(ToolkitTree).go_to(tool.name)
        self.form.show(visit.raw, visit.pages.place)
        self._tell_way()
        if visit.result is not None:
            self._show(visit.result)
        elif not soon:
            self.result.show_nothing(tool.name, forgotten=visit.was_run)
        running = self._running_calls.of(tool)
        if running is not None and running.visit is visit:
            self.result.show_running(running)
        self.refresh_bindings()

    async def retake(self, gone: Container[str]) -> None:
        """Show the present visit with the tools as they are now; forget those that are gone."""
        self._trail.forget(gone)
        await (self.arrive() if self._trail.here is not None else self.form.close())

    def on_parameter_form_tool_requested(self, event: ParameterForm.ToolRequested) -> None:
        """Open the tool whose draft was restored."""
        event.stop()
        self.open_tool(event.tool)

    def on_parameter_form_run(self, event: ParameterForm.Run) -> None:
        """Run a tool; one that changes something asks first."""
        event.stop()
        if event.tool.effect != "read" and self._running_calls.of(event.tool) is not None:
            # The outcome of a change that is cut off in the middle would be unknown.
            self.say(f"{event.tool.name} is still running. Press {key_of(self.app, 'cancel')} to cancel it.")
        else:
            self._ask(event.tool, event.raw)

    @work(group="confirm", exclusive=True, exit_on_error=False)
    async def _ask(self, tool: Tool, raw: dict[str, object]) -> None:
        """Run a tool; one that changes something only after the user confirms."""
        change = await consent_to(self, tool, raw) if tool.effect != "read" else None
        if tool.effect == "read" or change is not None:
            self.launch(tool, raw, change=change)
        else:
            await self.return_declined()

    def launch(
        self, tool: Tool, raw: dict[str, object], turns: Direction | None = None, change: ConfirmedChange | None = None,
        fetch: RunningFetch | None = None, accounts: Sequence[Connection] = (),
    ) -> None:  # fmt: skip
        """Run a tool in the present visit; with `fetch`, for its whole list; with `accounts`, on all of these at once."""
        here = self._trail.here
        assert here is not None
        if errors := self._session.check(tool, raw).errors:
            self.say(str(errors[0]), "$text-error")
            return
        if here.was_run and not here.asks(tool, raw):
            here = Visit(tool.name, raw, here.parent, subject_of(tool, raw))
            self._trail.go(here)
            self._tell_way()
        here.asked, here.subject = raw, subject_of(tool, raw)
        self._session.settle(tool.name, raw)
        times = carried_over(tool, raw, here.result) if turns else {}
        running = RunningCall(tool, raw, here, turns, change, fetch, times, self.form.raw, accounts, self.focused)
        self._running_calls.start(running)
        self.result.show_running(running)
        if self.one_at_a_time:
            self.go_to_pane("result")
            self.result.focus_result()
            running.focused = self.focused
        running.worker = self._call(running)

    @work(group="call", exit_on_error=False, description="one call to a service")
    async def _call(self, running: RunningCall) -> None:
        self.post_message(CallFinished(running, await running.run(self._session, self)))

    @on(CallFinished)
    def _finished(self, event: CallFinished) -> None:
        event.stop()
        running, result = event.running, event.result
        if not self._landed(running):
            return
        running.visit.take(running.tool, running.raw, result, running.turns)
        self._last[running.tool.name] = running.visit
        self.query_one(ToolPane).note(running.tool.name)
        ended = f"{running.tool.name} {'done' if result.ok else 'failed'}."
        if self._trail.here is not running.visit:
            self.notify(f"{ended} Open the tool to see the result.", markup=False)
            return
        self._show(result)
        went = self.focused not in (running.focused, None) or self.form.raw != running.form
        if (self.here == "form" and went) or (self.here == "tools" and self.one_at_a_time):
            self.say(f"{ended} {key_of(self.app, 'result')} shows the result.")
        elif not went and (self.here == "form" or self.one_at_a_time):
            self.go_to_pane("result")
            self.result.focus_result()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        if event.state in (WorkerState.CANCELLED, WorkerState.ERROR):
            running = self._running_calls.of_worker(event.worker)
            if running is not None and self._landed(running) and self._trail.here is running.visit:
                self.result.show_cancelled(running)

    def _show(self, result: Result) -> None:
        """Show a result of the present visit. Returns at once, so that a large body does not block the message handlers."""
        here = self._trail.here
        self.result.mark_gone(self._session.deleted_ids.of(result.connection))
        self._tell_way()
        tool, shown = self._session.catalog.tools.get(result.tool), self.tool
        asked = here.asked if here is not None else {}
        links = partial(links_of, shown, asked, self._session) if result.ok and shown is not None and here is not None else None
        headline = partial(self._session.headline, tool, asked, result) if tool is not None else None
        self.result.show(result, self._page_line(result), here.spot if here is not None else None, links, headline)
        self.refresh_bindings()

    def _tell_way(self) -> None:
        """Show the visits that led to the present one."""
        self.result.show_crumbs(labels_of(self._session, self._trail.crumbs))

    def _landed(self, running: RunningCall) -> bool:
        self._asked_to_leave = False
        return self._running_calls.remove(running)

    def action_page(self, way: Direction) -> None:
        """Show the next or previous page: from memory if it was seen, otherwise by running the tool again."""
        tool, here, place = self.form.tool, self._trail.here, self._place_around(way)
        if self.result.window is not None:
            self._turn_window(way)
            return
        if tool is None or here is None or place is None:
            self.say(no_page(self.result.result, way), "$text-warning")
            return
        raw = here.values(tool, self.form, place)
        if (seen := here.pages.seen(way)) is None:
            self.launch(tool, raw, way)
        else:
            self._running_calls.drop_page(tool)
            here.take(tool, raw, seen, way)
            self._show(seen)

    @work(group="open", exclusive=True, exit_on_error=False)
    async def _turn_window(self, way: Direction) -> None:
        await turn_window(self, way)

    def present(self, result: Result, *, stays: bool = False) -> None:
        """Show another result in the present visit; with `stays`, the cursor stays where it is."""
        here, tool = self._trail.here, self.form.tool
        if here is not None and tool is not None:
            spot = self.result.spot if stays else None
            here.take(tool, here.asked, result, None)
            here.spot = replace(spot, document=None) if spot is not None else None
            self._show(result)

    @work(group="fetch", exclusive=True, exit_on_error=False)
    async def action_fetch_all(self) -> None:
        """Fetch every page of the list."""
        await self.wait_for_form()
        await fetch_all(self)

    @work(group="page size", exclusive=True, exit_on_error=False)
    async def action_page_size(self) -> None:
        """Change how many items a page has; the first item on screen stays the first."""
        await self.wait_for_form()
        await resize_pages(self)

    def _page_line(self, result: Result) -> str:
        here, tool, window = self._trail.here, self.form.tool, self.result.window_of(result)
        if window is not None or here is None or tool is None:
            return window.words if window is not None else ""
        return page_line(tool, here.pages, here.asked, result, {way: key_of(self.app, way) for way in DIRECTIONS})

    def _place_around(self, way: Direction) -> Mapping[str, object] | None:
        here, tool = self._trail.here, self.form.tool
        return here.pages.place_around(tool, self.result.result, way) if here is not None and tool is not None else None

    @property
    def idle_actions(self) -> set[str]:
        """Actions that would do nothing now; the key bar leaves them out."""
        window = self.result.window if self.panes_mounted else None
        around = self._place_around if window is None else window.starts_around
        idle = {f"screen.page('{way}')" for way in DIRECTIONS if not self.panes_mounted or around(way) is None}
        idle |= self.idle_on_result
        idle |= {"run", "app.ask", "app.command_palette", "app.jump"} if self.has_class("-starting") else set()
        idle |= {"run", "app.ask"} if self.has_class("-asking") else set()
        return idle | ({"screen.go_on('open')"} if not self.panes_mounted or not self.result.leads else set())

    def action_cancel(self) -> None:
        """Stop the running call; otherwise step back."""
        running = self._running_calls.of(self.form.tool) if self.panes_mounted else None
        if running is not None:
            running.stop()
        elif self.here == "result" and self.result.step_back():
            return
        elif self.has_class("-zoomed"):
            self.action_zoom()
        elif self._trail.from_board and self.here != "tools":
            self.call_later(self.app.run_action, "app.oncall")
        elif (filter_line := self.query_one(AskLine)).value and self.here == "tools":
            filter_line.value = ""
            filter_line.focus()
        elif self.here == "tools" and self.go_back_from_asking():
            return
        elif self.has_class("-start") and self.here == "tools":
            filter_line.focus()
        else:
            self.go_to_pane("tools")
            self.query_one(ToolkitTree).focus()

    @property
    def changing(self) -> list[RunningCall]:
        """The running calls that change something."""
        return self._running_calls.changing

    def may_leave(self) -> bool:
        """Whether Callboard may quit now; while a change is running, only the second time this is called."""
        if self.changing and not self._asked_to_leave:
            self._asked_to_leave = True
            quit_key = key_of(self.app, "quit")
            self.say(f"{self.changing[0].tool.name} is still running and may not stop. Press {quit_key} again to quit.")
            return False
        return True

    @property
    def context(self) -> ExplorerContext:
        """The explorer, as features see it."""
        return self

    def focus_pane(self, name: str) -> None:
        """Focus a pane, at the widget that had the focus last."""
        if name == "tools":
            self.query_one(ToolkitTree).focus()
        elif name == "form":
            self.form.focus_again()
        else:
            self.result.focus_result()

    def action_help(self) -> None:
        """Show the help for the present pane."""
        scope: Scope = "tools" if self.here == "tools" else "form" if self.here == "form" else "result"
        if scope == "result" and self.result.views.shows_table:
            scope = "table"
        self.app.push_screen(HelpScreen(scope))

    @work(group="connections", exclusive=True, exit_on_error=False)
    async def action_connections(self) -> None:
        """Choose the accounts in use."""
        from tui.dialogs.accounts import ConnectionDialog

        await self._panes_mounted.wait()
        kit = self.query_one(ToolkitTree).toolkit if self.here == "tools" else self.tool.toolkit if self.tool else ""
        await self.app.push_screen_wait(ConnectionDialog(self._session, self.targets_changed, kit))

    @work(group="writing", exclusive=True, exit_on_error=False)
    async def action_writing(self) -> None:
        """Allow changes to live data for the toolkit whose form is open, or end that."""
        await self._panes_mounted.wait()
        await switch_writing(self)
        self.query_one(TopBar).show_targets(self._session)

    def targets_changed(self) -> None:
        """Show where calls go from now on."""
        show_accounts(self, self._session)
        self.form.check()
        self.redraw_start()
