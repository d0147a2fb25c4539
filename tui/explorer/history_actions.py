"""Actions on a call in the history: show its result, run it again, open its form, or compare with now."""

import asyncio

from registry.journal.schema import Entry, RecordedResult
from registry.journal.store import JournalError
from registry.saved.form_values import held_in
from tui.compare.screen import CompareScreen
from tui.dialogs.history import HistoryDialog
from tui.explorer.compare_actions import now, side_of
from tui.explorer.screen import ExplorerScreen
from tui.keyboard.key_order import done
from tui.state.settings import key_of


async def look_back(context: ExplorerScreen, search: str = "") -> None:
    """Let the user choose a call from the history, at first of those that a search finds, and what to do with it."""
    await context.session.ready()
    history = context.session.history
    if history is None:
        context.say("History is off: CALLBOARD_NO_JOURNAL is set.")
        return
    picked = await context.app.push_screen_wait(HistoryDialog(history, context.session, search))
    if picked is None:
        return
    entry, way = picked
    tool = context.session.catalog.tools.get(entry.tool)
    if tool is None:
        context.say(f"The tool {entry.tool} no longer exists.")
        return
    try:
        recalled = await asyncio.to_thread(history.recall, entry.id, tool)
    except JournalError as error:
        context.session.tell(str(error))
        return
    if recalled is None:
        context.say("This call was deleted from history.")
    elif way == "compare":
        await _compare(context, recalled)
    else:
        await _open(context, entry, recalled, way)


async def _open(context: ExplorerScreen, entry: Entry, recalled: RecordedResult, way: str) -> None:
    """Open the form as it was, with its result; or run it again, if it only reads and nothing is missing."""
    raw: dict[str, object] = dict(held_in(context.session.catalog.tools[entry.tool], recalled.arguments))
    if not await done(context.visit(entry.tool, raw, run=way == "again", unlinked=way == "again")):
        return
    here = context.trail.here
    if here is None:
        return
    # This visit did not start from the result on screen.
    here.parent = None
    context.result.show_crumbs([])
    elsewhere = context.session.connection(entry.toolkit).name != entry.connection
    if elsewhere and way != "open":
        context.say(f"This call used the account {entry.connection}. Press {key_of(context.app, 'connections')} to switch.")
    if way != "open":
        return
    if entry.outcome == "cancelled":
        context.say(f"This call was cancelled and has no result. Press {key_of(context.app, 'run')} to run it again.")
        return
    here.asked = raw
    context.session.results.add(recalled)
    context.present(recalled)
    context.go_to_pane("result")
    context.result.focus_result()


async def _compare(context: ExplorerScreen, recalled: RecordedResult) -> None:
    tool = context.session.catalog.tools[recalled.tool]
    candidate = next(iter(now(context, tool, recalled)), None)
    if not recalled.ok or not recalled.body:
        context.say("This call has no saved result to compare with.")
    elif candidate is None:
        context.say(f"{tool.name} cannot be run again just to compare.")
    else:
        await context.app.push_screen_wait(CompareScreen(side_of(tool, recalled), candidate))
