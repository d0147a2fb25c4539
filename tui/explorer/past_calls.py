"""Calls to make again: those in the history, and saved ones.

Of a call in the history, show its result, run it again, open its form, or compare it with now. Of a saved call: open it, run it
for objects, edit it; and record a new one from the history.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from registry.calling.several_accounts import SeveralAccounts
from registry.journal.entries import Entry, RecordedResult, parse_search
from registry.journal.store import JournalError
from registry.json_text import NotJson, read_json
from registry.saved.form_values import held_in
from registry.saved.making import calls_of, form_of, inputs_from, recorded
from registry.saved.saved_call import SavedCall, SavedCallError
from registry.saved.store import file_text, read_file
from tui.compare.screen import CompareScreen
from tui.dialogs.choose import Choice, ChooseDialog
from tui.dialogs.history import HistoryDialog
from tui.dialogs.questions import ask_name
from tui.dialogs.saved_calls import RecordDialog, SavedCallsDialog, SavedRunDialog
from tui.explorer.explorer import Explorer
from tui.explorer.repeat_actions import now, side_of
from tui.explorer.row_actions import one_account, place_of, use_account
from tui.json_view.document import Document
from tui.keyboard.key_order import done
from tui.state.settings import key_of
from tui.terminal.external_programs import NotOpened, edit


async def look_back(context: Explorer, search: str = "") -> None:
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
        candidate = next(iter(now(context, tool, recalled)), None)
        if not recalled.ok or not recalled.body:
            context.say("This call has no saved result to compare with.")
        elif candidate is None:
            context.say(f"{tool.name} cannot be run again just to compare.")
        else:
            await context.app.push_screen_wait(CompareScreen(side_of(tool, recalled), candidate))
    else:
        await _open(context, entry, recalled, way)


async def _open(context: Explorer, entry: Entry, recalled: RecordedResult, way: str) -> None:
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
    if way != "open":
        if context.session.connection(entry.toolkit).name != entry.connection:
            context.say(f"This call used the account {entry.connection}. Press {key_of(context.app, 'connections')} to switch.")
        return
    if entry.outcome == "cancelled":
        context.say(f"This call was cancelled and has no result. Press {key_of(context.app, 'run')} to run it again.")
        return
    here.asked = raw
    context.session.results.add(recalled)
    context.present(recalled)
    context.action_pane("result")


OpenTool = Callable[[str, Mapping[str, object]], object]
"""Opens a tool with these values."""

_MOST_ROWS, _MOST_CALLS = 500, 60


class Selection(Struct, frozen=True):
    """What a saved call is run for: objects, the tool that returned them, their number in words, and their indexes."""

    items: Sequence[Mapping[str, Any]]
    tool: str
    about: str = " · for this object"
    places: Sequence[int] = ()


async def saved_calls(context: Explorer, open_tool: OpenTool, selection: Selection | None = None) -> None:
    """Let the user save the form, or choose a saved call and what to do with it; run it for the selection, if there is one."""
    await context.session.ready()
    store, at = context.session.saved, ""
    title = f"Saved calls{selection.about if selection is not None else ''}"
    while True:
        blocked = selection is not None or context.tool is None or (context.form.text is not None and context.form.text.blocked)
        form = None if blocked or context.tool is None else (context.tool, context.form.raw)
        action = await context.app.push_screen_wait(SavedCallsDialog(store, form, title, at))
        if action is None:
            return
        way, call = action
        if call is None:
            at = await _record(context)
        elif way == "edit":
            at = await _edit(context, call)
        elif way == "saved":
            needs = f"; each run asks for {', '.join(one.name for one in call.inputs)}" if call.inputs else ""
            context.say(f"✓ Saved “{call.name}”{needs}", "$text-success")
            return
        else:
            await open_saved(context, call, open_tool, selection)
            return


async def saved_for_result(context: Explorer) -> None:
    """The same for the marked rows of the result, or the object at the cursor."""
    selection = await _selection(context)
    result = context.result.result
    if selection is None or not selection.items or result is None:
        context.say("No object here to run a saved call for.")
    elif len(selection.items) > _MOST_ROWS:
        context.say(f"At most {_MOST_ROWS} rows at once; {len(selection.items):,} are marked.")
    elif (name := one_account(context, selection.places)) is not None and (
        not isinstance(result, SeveralAccounts) or use_account(context, result, name)
    ):
        await saved_calls(context, context.visit, selection)


async def open_saved(context: Explorer, call: SavedCall, open_tool: OpenTool, selection: Selection | None = None) -> None:
    """Ask for the inputs that have no value; then open a single call with them, or run a chain, or any call for objects."""
    if len(call.steps) == 1 and selection is None:
        tool, given = context.session.catalog.tools[call.steps[0].tool], dict[str, object]()
        if any(one.default is None for one in call.inputs):
            asked = await context.app.push_screen_wait(SavedRunDialog(context.session, call, [{}], "", opens=True))
            if asked is None:
                return
            given = asked
        open_tool(tool.name, form_of(call, tool, given))
        return
    rows: list[Mapping[str, object]] = []
    if selection is not None and (tool_ := context.session.catalog.tools.get(selection.tool)) is not None:
        rows = [inputs_from(call, item, tool_) for item in selection.items]
    about = selection.about if selection is not None else ""
    await context.app.push_screen_wait(SavedRunDialog(context.session, call, rows or [{}], about))


async def _edit(context: Explorer, call: SavedCall) -> str:
    """Edit the file of a saved call, or of a copy of a shared one, in the user's editor; returns its name."""
    store, text = context.session.saved, file_text(call)
    while True:
        try:
            edited = await edit(context.app, text, ".json")
            if edited == text:
                return call.name
            text = edited
            changed = await asyncio.to_thread(read_file, text.encode(), context.session.catalog)
            own = changed.name == call.name and not call.shared
            await asyncio.to_thread(partial(store.save, changed, replaces=own))
            if not own and not call.shared:
                await asyncio.to_thread(store.delete, call)
        except NotOpened as error:
            context.say(str(error), "$text-warning")
            return call.name
        except SavedCallError as error:
            choices = [Choice("Edit again", str(error)), Choice("Discard what was typed", "")]
            if not await context.app.push_screen_wait(ChooseDialog("Not saved", choices, (True, False), "Select")):
                return call.name
        else:
            return changed.name


async def _record(context: Explorer) -> str:
    """Choose calls from the history and save them as one; returns its name."""
    history = context.session.history
    if history is None:
        context.say("History is off: CALLBOARD_NO_JOURNAL is set.")
        return ""
    try:
        wanted = parse_search("ok", context.session.clock())
        entries = await asyncio.to_thread(history.search, wanted, _MOST_CALLS)
        chosen = await context.app.push_screen_wait(RecordDialog([one for one in entries if one.outcome == "ok"]))
        name = await context.app.push_screen_wait(ask_name()) if chosen else None
        if chosen is None or name is None:
            return ""
        picked = [one for one in entries if str(one.id) in chosen]
        calls, left_out = await asyncio.to_thread(calls_of, picked, history, context.session.catalog.tools)
        made, notes = await asyncio.to_thread(recorded, name, calls)
        await asyncio.to_thread(context.session.saved.save, made)
    except (JournalError, SavedCallError) as error:
        context.app.notify(str(error), severity="warning")
        return ""
    for note in (*left_out, *notes):
        context.app.notify(note)
    return made.name


async def _selection(context: Explorer) -> Selection | None:
    """The objects of the marked rows, or the one at the cursor."""
    result, table = context.result.result, context.result.views.shown
    if result is None or not result.ok or not result.body:
        return None
    places: list[int] = []
    if table is not None and table.place is not None:
        places = list(table.marked) or [table.place]
        texts = [table.items[place] for place in places]
    else:
        document, row = context.result.view.document, context.result.view.row
        item = _item_at(document, row) if document is not None and row is not None else None
        texts = [item if item is not None else result.body]
        if document is not None and row is not None and (at := place_of(result, document, row)) is not None:
            places = [at]
    try:
        read = await asyncio.to_thread(lambda: [read_json(text) for text in texts])
    except NotJson:
        return None
    found = [one for one in read if isinstance(one, dict)]
    about = f" · for {len(found)} marked rows" if len(found) > 1 else " · for this object"
    return Selection(found, result.tool, about, places)


def _item_at(document: Document, row: int) -> bytes | None:
    """The item of a list that a row is or is inside of; with lists in lists, that of the outermost."""
    path = document.path(row)
    place = next((place for place, step in enumerate(path) if isinstance(step, int)), None)
    if place is None:
        return None
    row = document.rows.opener(row)
    for _ in path[place + 1 :]:
        row = document.rows.parent(row) or 0
    return document.rows.value(row)
