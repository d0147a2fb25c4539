"""The explorer's screen: tools, form and result side by side, or one at a time on a narrow terminal; and what its keys do.

The tools are on the first frame. The form and the result, and the engine they use, are loaded right after it. An action is one
line where it can be: the features have modules of their own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from registry.accounts.connection import SANDBOX
from registry.accounts.policy import WINDOW
from registry.catalog.model import Tool
from registry.engine import NotAllowed
from registry.toolkits.checking import file_problems
from tui.dialogs.confirm import ConfirmDelete
from tui.dialogs.questions import AllowWriting
from tui.explorer import export_actions, row_actions
from tui.explorer.elicitation import AgentLine
from tui.explorer.explorer import Explorer
from tui.explorer.home_actions import HomeScreen
from tui.explorer.panes import sizes_of
from tui.explorer.parameter_form import ParameterForm
from tui.explorer.repeat_actions import compare, fetch_all, look_again, resize_pages
from tui.explorer.result_pane import ResultPane
from tui.explorer.row_actions import delete_marked, run_on_several
from tui.explorer.running_call import ConfirmedChange, ResultWindow
from tui.explorer.tool_pane import AskLine, ToolPane
from tui.explorer.toolkit_tree import ToolkitTree
from tui.explorer.top_bar import Hairline, PaneTabs, TopBar
from tui.explorer.trail import DIRECTIONS, FROM_PAGE, Direction, no_page
from tui.json_view.find_line import FindLine
from tui.keyboard.commands import Scope, bindings
from tui.keyboard.key_bar import KeyBar
from tui.state.settings import key_of, refused_words

_AT_HOME: Mapping[str, str] = {"run_found": "Open", "run": "Read again"}
_ON_ROWS: Mapping[str, str] = {
    "screen.follow": "Open",
    "screen.table": "JSON",
    "app.ask": "Ask",
    "filter": "Filter",
    "sort": "Sort",
    "bars": "Bars",
    "screen.fetch_all": "All pages",
    "screen.export": "Export",
    "toggle_fold": "Mark",
}
_NEEDS_ROWS = frozenset(_ON_ROWS) - {"screen.table", "app.ask"}
_ON_JSON: Mapping[str, str] = {"screen.follow": "Open", "screen.table": "Table", "app.ask": "Ask"}
_ON_MARKED: Mapping[str, str] = {
    "toggle_fold": "Mark",
    "screen.compare": "Compare",
    "screen.export": "Export",
    "screen.delete_marked": "Delete",
    "screen.follow": "Open",
    "app.ask": "Ask",
}


def _feature(group: str, run: Callable[[Explorer], Awaitable[None]], *, waits: bool = True) -> Callable[[Explorer], object]:
    """An action that runs a feature, of several the last one; it `waits` for the form of a tool that is being opened."""

    @work(group=group, exclusive=True)
    async def action(self: Explorer) -> None:
        if waits:
            await self.wait_for_form()
        await run(self)

    return action


class ExplorerScreen(HomeScreen):
    """The three panes, and their keys."""

    BINDINGS = bindings("everywhere")
    AUTO_FOCUS = "#filter"
    _mounts_panes = False

    def compose(self) -> ComposeResult:
        self.update_classes(sizes_of(self.app.size), update=False)  # before there are widgets that would be styled twice
        with Horizontal(id="top"):  # a narrow terminal leaves out the name
            yield Static("callboard", id="brand")
            yield Static("»", id="asks")
            hint = "Ask, or paste an id, an email, a link …"
            yield AskLine(placeholder=hint, id="filter", compact=True, select_on_focus=False)
            yield TopBar()
        yield PaneTabs(id="tabs")
        yield AgentLine("┬")
        with Horizontal(id="panes"):
            yield ToolPane(self.session)
        yield Hairline("┴")
        yield KeyBar()

    def on_mount(self) -> None:
        self.fit(self.app.size)

    def on_screen_resume(self) -> None:
        """Load the rest after the first frame is drawn; not behind the dashboard, whose rows would wait for it."""
        if self.is_active:
            self.call_after_refresh(self.mount_panes)

    @work(group="mount panes")
    async def mount_panes(self) -> None:
        """Mount the other panes, once: when this screen is first in front, or when they are needed behind another one."""
        if self._mounts_panes:
            return
        self._mounts_panes, session = True, self.session
        await session.ready()
        panes = self.query_one("#panes")
        async with panes.batch():  # one layout for everything, and none for panes hidden by home
            await self.mount_home()
            form, result = ParameterForm(session, id="form"), ResultPane(session, id="result")
            both = Vertical(form.add_class("pane", "at-form"), result.add_class("pane", "at-result"), id="work")
            await panes.mount(both, after="#tools")
            self.show_accounts()
        await self.query_one(ToolPane).prepare()
        self._panes_mounted.set()
        self.begin_home()
        if session.settings_error:
            self.notify(session.settings_error, title="Accounts", severity="warning")
        # Once for each account that counts as live: how to use it, and that it is read-only at first.
        memory = session.engine.account_memory
        found = [one for one in session.connections.values() if one.name != SANDBOX and not memory.of(one.name).live_shown]
        live = [one.name for one in found if any(to.mode == "live" and not to.is_anonymous for to in one.endpoints.values())]
        if live:
            words = (
                f"LIVE: {', '.join(live)}. What is not known to be test data counts as live; choose with "
                f"{key_of(self.app, 'connections')}. Live is read-only until {key_of(self.app, 'writing')} allows changes."
            )
            self.notify(words, title="Accounts", timeout=12)
        for name in live:
            await asyncio.to_thread(memory.learn, name, live_shown=True)
        for problem in (*session.catalog.problems, *file_problems()):
            self.notify(str(problem), title="Catalogue", severity="error")

    @property
    def idle_actions(self) -> set[str]:
        """Actions that would do nothing now; the key bar leaves them out."""
        pane = self.result if self.panes_mounted else None
        around = pane.window.starts_around if pane is not None and pane.window is not None else self._place_around
        result, idle = pane.result if pane is not None else None, set[str]()
        if not isinstance(result, ResultWindow):
            page = result.page if result is not None else None
            if page is None or not page.has_more:
                idle.add("screen.fetch_all")
            if result is None or not result.ok or (result.items_at is None and page is None):
                idle.add("screen.table")
        idle |= {f"screen.page('{way}')" for way in DIRECTIONS if pane is None or around(way) is None}
        if pane is None or not (pane.leads or pane.views.shows_rows):
            idle.add("screen.follow")
        if pane is not None and pane.views.shows_rows and not pane.table.items:
            idle |= _NEEDS_ROWS
        if self.has_class("-starting"):
            idle |= {"cancel", "app.ask", "app.command_palette", "app.jump"}
        return idle | ({"run", "app.ask"} if self.has_class("-asking") else set())

    @property
    def best_actions(self) -> Mapping[str, str]:
        """For the key bar: the most useful actions of a table's keys at the moment, best first, with their labels."""
        if self.has_class("-starting"):
            return _AT_HOME
        if self.here != "result" or not self.panes_mounted:
            return {}
        if not self.result.views.shows_rows:
            return {} if self.result.views.shows_table else _ON_JSON
        return _ON_MARKED if self.result.table.marked else _ON_ROWS

    # Form

    def action_run(self) -> None:
        if self.opening or not self.panes_mounted:
            self.once_form_open(self.action_run)
        elif self.has_class("-starting"):
            super().action_run()
        elif self.tool is None:
            self.say("Open a tool first.")
        else:
            self.form.run_tool()

    @work(group="confirm", exclusive=True)
    async def run_tool(self, tool: Tool, raw: dict[str, object]) -> None:
        """Run a tool; one that changes something only after the user confirms."""
        if tool.effect == "read":
            self.launch(tool, raw)
        elif self.running_calls.of(tool) is not None:
            # The outcome of a change that is cut off in the middle would be unknown.
            self.say(f"{tool.name} is still running. Press {key_of(self.app, 'cancel')} to cancel it.")
        else:
            connection = self.session.connection(tool.toolkit)
            change = ConfirmedChange(
                self.session, tool, raw, connection, lambda asked: self.app.push_screen_wait(ConfirmDelete(asked))
            )
            try:
                agreed = await change.agreed()
            except NotAllowed as refusal:
                self.notify(refused_words(self.app, refusal.decision), title=tool.name, severity="warning")
                agreed = False
            here = self.trail.here
            if agreed:
                self.launch(tool, raw, change=change)
            elif here is not None and here is self.asked_at_once and not here.was_run:
                # Back to where the change was started, the list or the page: its form was not asked for.
                if self.trail.abandon():
                    await self.arrive()
                    self.action_pane("result")
                if here.origin == FROM_PAGE:
                    await self.app.run_action(FROM_PAGE)

    action_raw = _feature("confirm", export_actions.raw_json)
    action_editor = _feature("confirm", export_actions.in_editor)

    # Pages of a list

    def action_page(self, way: Direction) -> None:
        """Show the next or previous page: from memory if it was seen, otherwise by running the tool again."""
        tool, here, place = self.form.tool, self.trail.here, self._place_around(way)
        if self.result.window is not None:
            self._turn_window(self.result.window, way)
            return
        if tool is None or here is None or place is None:
            self.say(no_page(self.result.result, way), "$text-warning")
            return
        raw = here.at(place)
        if (seen := here.pages.seen(way)) is None:
            self.launch(tool, raw, way)
        else:
            running = self.running_calls.of(tool)  # another page, which is not shown any more
            if running is not None and running.turns is not None and self.running_calls.remove(running) and running.worker:
                running.worker.cancel()
            here.take(tool, raw, seen, way)
            self._show(seen)

    @work(group="open", exclusive=True)
    async def _turn_window(self, window: ResultWindow, way: Direction) -> None:
        if (starts := window.starts_around(way)) is None:
            self.say("Last fetched item." if way == "next" else "First fetched item.")
            return
        turned = await asyncio.to_thread(window.fetch.window, starts)
        self.session.results.add(turned)
        self.present(turned)

    def _place_around(self, way: Direction) -> Mapping[str, object] | None:
        here = self.trail.here
        return here.pages.place_around(self.result.result, way) if here is not None and self.tool is not None else None

    action_fetch_all = _feature("fetch", fetch_all)
    action_page_size = _feature("page size", resize_pages)

    # Result

    action_delete_marked = _feature("confirm", delete_marked)
    action_compare = _feature("compare", compare)
    action_run_several = _feature("several accounts", run_on_several)
    action_look_again = _feature("look again", look_again)

    @work(group="open")
    async def action_table(self) -> None:
        if self.panes_mounted and (problem := await self.result.toggle_table()):
            self.say(problem, "$text-warning")

    @work(group="saved", exclusive=True)
    async def action_run_saved(self) -> None:
        from tui.explorer.past_calls import saved_for_result

        if self.panes_mounted:
            await saved_for_result(self)

    def action_find_in_result(self) -> None:
        self.result.views.to_json()
        self.result.query_one(FindLine).open()

    def action_query_result(self) -> None:
        self.result.ask()

    def action_hit(self, step: int) -> None:
        self.result.go_to_hit(step)

    # The row at the cursor; what it leads to is that of the result on screen, also while a tool is being opened

    action_follow = _feature("follow", row_actions.open_here, waits=False)
    action_what_else = _feature("follow", row_actions.what_else, waits=False)
    action_expand = _feature("follow", row_actions.expand, waits=False)

    # Export

    action_export = _feature("out", export_actions.export)
    action_headers = _feature("out", export_actions.show_headers)
    action_link = _feature("out", export_actions.open_link)
    action_pager = _feature("out", export_actions.read_in_pager)
    action_copy_as = _feature("out", export_actions.copy_as)
    action_show_as = _feature("out", export_actions.show_as)

    # Everywhere

    def action_cancel(self) -> None:
        """Stop the running call; otherwise step back."""
        running, line, visit = self.running_calls.of(self.tool), self.query_one(AskLine), self.trail.here
        if running is not None:
            running.stop()
        elif self.here == "result" and self.result.step_back():
            return
        elif self.has_class("-zoomed"):
            self.action_zoom()
        elif visit is not None and ((self.here != "tools" and visit.origin) or (self.here == "result" and visit.parent)):
            self.action_travel(-1)
        elif self.here == "tools" and line.value:
            line.value = ""
            line.focus()
        elif self.here == "tools" and self.asked_from:
            self.call_later(self.app.run_action, self.asked_from)
            self.asked_from = ""
        elif self.here == "tools" and self.has_class("-start"):
            line.focus()
        elif self.here == "tools":
            self.action_start()
        else:
            self.action_pane("tools")

    @property
    def help_scope(self) -> Scope:  # type: ignore[override]
        if self.here != "result" or not self.panes_mounted or not self.result.views.shows_table:
            return cast(Scope, self.here)
        return "table" if self.result.views.shows_rows else "bars"

    @property
    def toolkit_here(self) -> str:
        """The toolkit of the tool at the cursor, or of the open one; may be empty."""
        return self.query_one(ToolkitTree).toolkit if self.here == "tools" else self.tool.toolkit if self.tool else ""

    @work(group="writing", exclusive=True)
    async def action_writing(self) -> None:
        """Allow changes to the live data of the account that the open form uses, or end that."""
        await self.wait_for_panes()
        if (tool := self.tool) is None:
            self.say("Open a tool of the toolkit first.")
            return
        policy, connection = self.session.engine.policy, self.session.connection(tool.toolkit)
        endpoint = connection.endpoint(tool.toolkit)
        if policy.read_only:
            self.say("Callboard is running read-only.")
        elif connection.rule == "read-only":
            self.say(f"{connection.title} is set to read-only. Change its rule to allow changes.")
        elif endpoint.mode != "live":
            self.say(f"{connection.title} has no live data: changes are always allowed.")
        elif policy.writing_left(connection, tool.toolkit) is not None:
            policy.close_writing(connection, tool.toolkit)
            self.say(f"{connection.title} is read-only again.", "$text-success")
        elif await self.app.push_screen_wait(AllowWriting(connection.title, endpoint.base_url, round(WINDOW / 60))):
            policy.open_writing(connection, tool.toolkit)
        self.show_targets()
