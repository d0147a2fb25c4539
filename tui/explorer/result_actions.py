"""The actions on the result on screen. Each is one line; the features have modules of their own."""

from __future__ import annotations

from collections.abc import Mapping

from textual import work

from registry.calling.result import Result
from tui.explorer import export_actions, fill_actions, follow_actions
from tui.explorer.compare_actions import Comparing
from tui.explorer.context import ExplorerContext
from tui.explorer.deleting_marked import delete_marked
from tui.explorer.fetch_windows import ResultWindow
from tui.explorer.id_picker import pick
from tui.explorer.looking_again import look_again
from tui.explorer.parameter_form import ParameterForm
from tui.explorer.several_accounts import run_on_several
from tui.explorer.start_actions import StartScreen
from tui.json_view.find_line import FindLine
from tui.json_view.view import JsonView

_ON_ROWS: Mapping[str, str] = {
    "open": "Open",
    "toggle_fold": "Mark",
    "filter": "Filter",
    "sort": "Sort",
    "screen.fetch_all": "All pages",
    "screen.table": "JSON",
    "screen.out('export')": "Export",
}
_ON_MARKED: Mapping[str, str] = {
    "toggle_fold": "Mark",
    "screen.compare": "Compare",
    "screen.out('export')": "Export",
    "screen.delete_marked": "Delete",
    "unmark": "Unmark",
    "open": "Open",
}


def idle_with(result: Result | None) -> set[str]:
    """The actions that would do nothing with a result; none for a window of a fetched list."""
    if result is None:  # before the first frame as well, for which results need not be loaded
        return {"screen.table", "screen.fetch_all"}
    if isinstance(result, ResultWindow):
        return set()
    idle = set()
    if not result.ok or (result.items_at is None and result.page is None):
        idle.add("screen.table")
    if result.page is None or not result.page.has_more:
        idle.add("screen.fetch_all")
    return idle


class ResultScreen(StartScreen):
    """Panes, and the actions on the result in one of them."""

    def __init__(self) -> None:
        super().__init__()
        self._comparing: Comparing | None = None

    @property
    def context(self) -> ExplorerContext:
        """The explorer, as features see it."""
        raise NotImplementedError

    @property
    def idle_on_result(self) -> set[str]:
        """The actions on a result that would do nothing now."""
        result = self.context.result if self.panes_mounted else None
        return idle_with(result.result if result is not None else None) | (
            {"unmark"} if result is None or not result.marked else set()
        )

    @property
    def best_actions(self) -> Mapping[str, str]:
        """For the key bar: the most useful actions of a table's keys at the moment, best first, with their labels."""
        if self.here != "result" or not self.panes_mounted or not self.context.result.views.shows_table:
            return {}
        return _ON_MARKED if self.context.result.marked else _ON_ROWS

    def action_run(self) -> None:
        """Run the tool whose form is open, or is being opened."""
        if self.opening or not self.panes_mounted:
            self.once_form_open(self.action_run)
        elif self.context.tool is None:
            self.say("Open a tool first.")
        else:
            self.context.form.run_tool()

    @work(group="open", exit_on_error=False)
    async def action_table(self) -> None:
        """Show a list as a table, or as JSON again."""
        if self.panes_mounted and (problem := await self.context.result.toggle_table()):
            self.context.say(problem, "$text-warning")

    @work(group="confirm", exclusive=True, exit_on_error=False)
    async def action_delete_marked(self) -> None:
        """Delete the objects of the table's marked rows."""
        await delete_marked(self.context)

    @work(group="saved", exclusive=True, exit_on_error=False)
    async def action_run_saved(self) -> None:
        """Run a saved call for the object at the cursor, or for the marked rows."""
        from tui.explorer.saved_actions import saved_for_result

        if self.panes_mounted:
            await saved_for_result(self.context)

    @work(group="compare", exclusive=True, exit_on_error=False)
    async def action_compare(self) -> None:
        """Compare the result, or an item in it, with another."""
        from tui.explorer.compare_actions import Comparing

        self._comparing = self._comparing or Comparing()
        await self._comparing.start(self.context)

    @work(group="several accounts", exclusive=True, exit_on_error=False)
    async def action_run_several(self) -> None:
        """Run the list of the open tool on several accounts at once."""
        await self.wait_for_form()
        await run_on_several(self.context)

    @work(group="look again", exclusive=True, exit_on_error=False)
    async def action_look_again(self) -> None:
        """Repeat the read of the result on screen, and say what has changed."""
        if self.panes_mounted:
            await look_again(self.context)

    @work(group="follow", exclusive=True, exit_on_error=False)
    async def action_go_on(self, how: str) -> None:
        """Run an action on the row at the cursor: follow it, open it in another tool, open its page, or expand it."""
        await follow_actions.ACTIONS[how](self.context)

    def on_json_view_opened(self, event: JsonView.Opened) -> None:
        """A row was double-clicked: follow it."""
        event.stop()
        self.action_go_on("open")

    def action_find_in_result(self) -> None:
        """Open the search in the result."""
        self.context.result.views.to_json()
        self.context.result.query_one(FindLine).open()

    def action_query_result(self) -> None:
        """Open the query line for the result."""
        self.context.result.ask()

    def action_hit(self, step: int) -> None:
        """Go to the next or previous match."""
        self.context.result.go_to_hit(step)

    @work(group="pick", exclusive=True, exit_on_error=False)
    async def on_parameter_form_pick(self, event: ParameterForm.Pick) -> None:
        """Let the user choose an id for a field from a list."""
        event.stop()
        await pick(self.context, event.field)

    @work(group="confirm", exclusive=True, exit_on_error=False)
    async def action_fill(self, way: str) -> None:
        """Fill the form as JSON, or in the editor."""
        await self.wait_for_form()
        await fill_actions.ACTIONS[way](self.context)

    @work(group="out", exclusive=True, exit_on_error=False)
    async def action_out(self, way: str) -> None:
        """Export the result, the call or an address in one of several ways."""
        await self.wait_for_form()
        await export_actions.ACTIONS[way](self.context)
