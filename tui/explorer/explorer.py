"""What happens in the explorer: visits to tools, their calls, and their results on screen.

Features (following, comparing, saving, …) live in modules of their own and take an `Explorer`: its session, tool, form,
result and trail, and `visit`, `launch`, `present` and `say`. Dialogs are `await explorer.app.push_screen_wait(…)` in a worker.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec.structs import replace
from textual import on, work
from textual.worker import Worker, WorkerState

from registry.accounts.connection import Connection
from registry.calling.result import Result
from registry.catalog.model import Tool
from tui.explorer.panes import PaneScreen
from tui.explorer.parameter_form import ParameterForm
from tui.explorer.result_pane import ResultPane
from tui.explorer.running_call import ConfirmedChange, ResultWindow, RunningCall, RunningCalls, RunningFetch
from tui.explorer.tool_pane import ToolPane
from tui.explorer.toolkit_tree import ToolkitTree
from tui.explorer.top_bar import PaneTabs, TopBar
from tui.explorer.trail import DIRECTIONS, Direction, Trail, Visit, carried_over, page_line, subject_of
from tui.json_view.document import Links
from tui.keyboard.key_order import done
from tui.session import Session
from tui.state.settings import key_of


class Explorer(PaneScreen):
    """The panes, and the visits and calls shown in them."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.trail = Trail()
        self.running_calls = RunningCalls()
        self._last: dict[str, Visit] = {}
        self._asked_to_leave = False
        self.asked_at_once: Visit | None = None  # opened only to confirm a change: if that is declined, its form is not shown

    @property
    def tool(self) -> Tool | None:
        return self.form.tool if self.panes_mounted else None

    @property
    def form(self) -> ParameterForm:
        return self.query_one(ParameterForm)

    @property
    def result(self) -> ResultPane:
        """The result, once it is mounted; `result.result` is the `Result`, with `arguments` and `at`."""
        return self.query_one(ResultPane)

    def action_pane(self, name: str) -> None:
        """Go to a pane, at the widget that had the focus last."""
        if name != "tools" and not self.panes_mounted:
            self.once_panes_mounted(partial(self.action_pane, name))
            return
        self.browse(name == "tools")
        self.go_to_pane(name)
        if name == "tools":
            self.query_one(ToolkitTree).focus()
        elif name == "form":
            self.form.focus_again()
        else:
            self.result.views.focus()

    # Visits

    @work(group="open", exclusive=True)
    async def open_tool(self, name: str) -> None:
        """Open a tool as it was left, and focus where work starts."""
        tool = await self._tool(name)
        if tool is None:
            return
        last, draft = self._last.get(name), self.session.drafts.get(name, {})
        if tool.effect == "delete" and last is not None and last.asks(tool, draft):
            draft = {}  # what was deleted is not deleted again
            if self.form.tool is tool:
                self.form.show(draft)
        if self.form.tool is not tool:
            self._leave()
            here, running = self.trail.here, self.running_calls.of(tool)
            if here is None or here.tool != name:  # its form may be half made
                visit = replace(last, raw=draft, parent=None, origin="") if last is not None else Visit(name, draft)
                self.trail.go(running.visit if running is not None else visit)
            await self.arrive()
        self.go_to_pane("form")
        self.form.focus_first()

    @work(group="open", exclusive=True)
    async def visit(
        self,
        name: str,
        raw: Mapping[str, object],
        *,
        run: bool = True,
        unlinked: bool = False,
        origin: str = "",
        wanted: str = "",
    ) -> None:
        """Open a tool with values, from the result on screen, another screen (`origin` goes back there), or `unlinked`.

        With `run` it is run if it reads and nothing is missing; `wanted` is then the filter of its table.
        """
        tool = await self._tool(name)
        if tool is None:
            return
        if wanted and (limit := tool.with_role("limit")) is not None and limit.maximum is not None:
            raw = {limit.name: str(limit.maximum), **raw}  # what it is about may be anywhere in the list
        self._leave()
        self.session.settle(name, raw)
        parent = self.trail.here if not unlinked and not origin else None
        visit = Visit(name, dict(raw), parent, subject_of(tool, raw), origin=origin, filter=wanted)
        self.trail.go(visit)
        # The result of an earlier call is not shown under a new one, where keys would act on it.
        await self.arrive(soon=run and not unlinked)
        if visit.subject in self.session.deleted_ids[self.session.connection(tool.toolkit).name]:
            self.say("✗ You already deleted this object.", "$text-error")
        if not run or tool.effect != "read" or self.session.check(tool, raw).errors:
            self.go_to_pane("form")
            self.form.focus_first()
            return
        self.launch(tool, dict(raw))
        if unlinked:  # keys pressed from now on are for the result, even before it is shown
            self.result.views.focus()

    @work(group="open", exclusive=True)
    async def action_travel(self, step: int) -> None:
        await self.wait_for_panes()
        here = self.trail.here
        if step < 0 and here is not None and here.origin and await self.app.run_action(here.origin):
            return
        if self.trail.around(step) is None:
            self.say("No previous result." if step < 0 else "No next result.", "$text-warning")
            return
        self._leave()
        self.trail.move(step)
        await self.arrive()
        if self.here == "result":
            self.result.views.focus()
        elif self.here == "form":
            self.form.focus_first()

    async def _tool(self, name: str) -> Tool | None:
        await self.wait_for_panes()
        tool = self.session.catalog.tools.get(name)
        if tool is None:
            self.notify(f"{name} cannot be opened: its catalogue entry is invalid.", severity="error")
        return tool

    def _leave(self) -> None:
        """Store the form and the cursor of the visit that is being left."""
        here = self.trail.here
        if here is not None and self.form.tool is not None and self.form.tool.name == here.tool:
            here.raw = self.form.raw
            if here.result is not None and here.result is self.result.result:
                here.spot = self.result.spot

    async def arrive(self, *, soon: bool = False) -> None:
        """Show the present visit: its form, and its result; `soon` says that a call for a result follows."""
        visit = self.trail.here
        assert visit is not None
        tool = self.session.catalog.tools[visit.tool]
        if visit.was_run and visit.asks(tool, visit.raw):
            self.session.settle(tool.name, visit.raw)
        if self.form.tool is not tool:
            await self.form.open(tool)
            self.query_one(PaneTabs).tool = self.session.title_of(tool.name)
            self.query_one(ToolkitTree).go_to(tool.name)
        self.form.show(visit.raw)
        self.show_targets()
        self._show_way()
        if visit.result is not None:
            self._show(visit.result)
        elif not soon:
            self.result.show_nothing(tool.name, forgotten=visit.was_run)
        if (running := self.running_calls.of(tool)) is not None and running.visit is visit:
            self.result.show_running(running)
        self.refresh_bindings()

    @work(group="ask once open", exclusive=True)
    async def ask_once_open(self, opening: Worker[None]) -> None:
        """Run the tool that is being opened, once its form is there; a change asks for confirmation first."""
        if await done(opening):
            self.asked_at_once = self.trail.here
            await self.run_action("run")

    # Calls

    def launch(
        self, tool: Tool, raw: dict[str, object], turns: Direction | None = None, change: ConfirmedChange | None = None,
        fetch: RunningFetch | None = None, accounts: Sequence[Connection] = (),
    ) -> None:  # fmt: skip
        """Run a tool in the present visit; with `fetch`, for its whole list; with `accounts`, on all of these at once."""
        here = self.trail.here
        assert here is not None
        if errors := self.session.check(tool, raw).errors:
            self.say(str(errors[0]), "$text-error")
            return
        if here.was_run and not here.asks(tool, raw):
            here = Visit(tool.name, raw, here.parent, subject_of(tool, raw))
            self.trail.go(here)
            self._show_way()
        here.asked, here.subject = raw, subject_of(tool, raw)
        if not turns:
            self.session.settle(tool.name, raw)
        times = carried_over(tool, raw, here.result) if turns else {}
        form, begins = self.form.raw, self._show_beginning
        running = RunningCall(tool, raw, here, turns, change, fetch, times, form, accounts, self.focused, begins=begins)
        self.running_calls.start(running)
        self.result.show_running(running)
        if self.one_at_a_time:
            self.action_pane("result")
            running.focused = self.focused
        running.worker = self._call(running)

    @work(group="call", description="one call to a service")
    async def _call(self, running: RunningCall) -> None:
        result = await running.run(self.session, self)
        self._asked_to_leave = False
        if not self.running_calls.remove(running):
            return
        running.visit.take(running.tool, running.raw, result, running.turns)
        self._last[running.tool.name] = running.visit
        self.query_one(ToolPane).note(running.tool.name)
        ended = f"{running.tool.name} {'done' if result.ok else 'failed'}."
        if self.trail.here is not running.visit:
            self.notify(f"{ended} Open the tool to see the result.")
            return
        self._show(result)
        self._name_ids(running.tool, result)
        went = self.focused not in (running.focused, None) or self.form.raw != running.form
        if (self.here == "form" and went) or (self.here == "tools" and self.one_at_a_time):
            self.say(f"{ended} {key_of(self.app, 'result')} shows the result.")
        elif not went and (self.here == "form" or self.one_at_a_time):
            self.action_pane("result")

    def _show_beginning(self, running: RunningCall, beginning: Result) -> None:
        """Show what is there of a large result; a table with a filter waits for all of it."""
        if self.trail.here is running.visit and self.running_calls.of(running.tool) is running and not running.visit.filter:
            self.result.show(beginning, "Still arriving: this is the beginning.", is_beginning=True)

    @work(group="names", exit_on_error=False, description="names of ids")  # without one, it would be the whole result as text
    async def _name_ids(self, tool: Tool, result: Result) -> None:
        if await self.session.name_ids(tool, result):
            self.result.table.names_changed()

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        if event.state in (WorkerState.CANCELLED, WorkerState.ERROR):
            running = next((one for one in self.running_calls.by_tool.values() if one.worker is event.worker), None)
            self._asked_to_leave = self._asked_to_leave and running is None
            if running is not None and self.running_calls.remove(running) and self.trail.here is running.visit:
                self.result.show_cancelled(running)

    def may_leave(self) -> bool:
        """Whether Callboard may quit now; while a change is running, only the second time this is called."""
        changing = self.running_calls.changing
        if changing and not self._asked_to_leave:
            self._asked_to_leave = True
            quit_key = key_of(self.app, "quit")
            self.say(f"{changing[0].tool.name} is still running and may not stop. Press {quit_key} again to quit.")
            return False
        return True

    # Results

    def present(self, result: Result, *, stays: bool = False) -> None:
        """Show another result of `session.results` in the present visit; with `stays`, the cursor stays where it is."""
        here, tool = self.trail.here, self.form.tool
        if here is not None and tool is not None:
            spot = self.result.spot if stays else None
            here.take(tool, here.asked, result, None)
            here.spot = replace(spot, document=None) if spot is not None else None
            self._show(result)

    def _show(self, result: Result) -> None:
        """Show a result of the present visit. Returns at once, so that a large body does not block the message handlers."""
        here, shown, tool = self.trail.here, self.tool, self.session.catalog.tools.get(result.tool)
        assert here is not None
        self._show_way()
        links = Links(shown, here.asked, self.session.routes) if result.ok and shown is not None else None
        headline = partial(self.session.headline, tool, here.asked, result) if tool is not None else None
        if isinstance(result, ResultWindow):
            page = result.words
        else:
            keys = {way: key_of(self.app, way) for way in DIRECTIONS}
            page = page_line(shown, here.pages, here.asked, result, keys) if shown is not None else ""
        self.result.show(result, page, here.spot, links, headline, here.filter)
        self.refresh_bindings()

    def _show_way(self) -> None:
        """Show the visits that led to the present one, by name where that is known; never the same name twice in a row."""
        crumbs, session = list[str](), self.session
        for visit in self.trail.crumbs:
            name, connection = visit.subject or visit.tool, session.connection(session.catalog.tools[visit.tool].toolkit)
            words = session.names.of(visit.subject) or visit.subject or session.title_of(visit.tool)
            # A deleted object keeps the mark in front of its name.
            crumbs.append(session.signed(connection.name, name).replace(name, words))
        self.result.show_crumbs(crumbs)

    def targets_changed(self) -> None:
        """Show where calls go from now on."""
        self.show_accounts()
        self.form.check()

    def show_accounts(self) -> None:
        """Show the accounts in use: where calls go, what is live, what toolkits need, and which tools lack a permission."""
        session, tree = self.session, self.query_one(ToolkitTree)
        self.show_targets()
        tree.show_needs({kit: words for kit in session.catalog.toolkits if (words := session.needs(kit))}, session.lacking)

    def show_targets(self) -> None:
        """Show the account of the tool on screen; at home, those of all toolkits."""
        top = self.query_one(TopBar)
        top.toolkit = self.tool.toolkit if self.tool is not None and not self.has_class("-start") else ""
        top.show_targets(self.session)

    async def take_toolkits(self) -> None:
        """Show the toolkits as they are now: one was added, refreshed or removed."""
        await self.session.reload_toolkits()
        self.query_one(ToolkitTree).take(self.session.contents, self.session.toolkits)
        await self.query_one(ToolPane).prepare()
        self.show_accounts()
