"""Playbooks in the explorer: list them, record and edit one, and run one for the object at the cursor or the marked rows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts
from registry.calling.strict_json import NotJson, loads
from registry.journal.errors import JournalError
from registry.journal.search_query import parse_search
from registry.playbooks.from_items import inputs_from
from registry.playbooks.playbook import Playbook, PlaybookError
from registry.playbooks.recording import calls_of, recorded
from registry.playbooks.store import PlaybookStore
from tui.dialogs.playbook_form import PlaybookForm
from tui.dialogs.playbook_run import PlaybookRunDialog
from tui.dialogs.playbooks import PlaybooksDialog, RecordDialog
from tui.explorer.compare_actions import item_at_cursor
from tui.explorer.context import ExplorerContext
from tui.explorer.several_accounts import one_account, place_of, use_account
from tui.state.downloads import usual_folder

_MOST_ROWS, _MOST_CALLS = 500, 60


@dataclass(frozen=True, slots=True)
class Selection:
    """What a playbook is run for: objects, the tool that returned them, their number in words, and their indexes."""

    items: Sequence[Mapping[str, Any]]
    tool: str
    about: str = " · for this object"
    places: Sequence[int] = ()


async def playbooks(context: ExplorerContext, selection: Selection | None = None) -> None:
    """Let the user choose a playbook and what to do with it; run it for the selection, if there is one."""
    await context.session.ready()
    store = await asyncio.to_thread(lambda: context.session.playbooks)
    while True:
        title = f"Playbooks{selection.about if selection is not None else ''}"
        action = await context.app.push_screen_wait(PlaybooksDialog(store, title, usual_folder()))
        if action is None:
            return
        if action.way == "run" and action.playbook is not None:
            await run_playbook(context, action.playbook, selection)
            return
        if action.way == "edit" and action.playbook is not None:
            await _edit(context, store, action.playbook, (), is_new=False)
        elif action.way == "record":
            await _record(context, store)


async def playbooks_for_result(context: ExplorerContext) -> None:
    """The same for the marked rows of the result, or the object at the cursor."""
    selection = await _selection(context)
    result = context.result.result
    if selection is None or not selection.items or result is None:
        context.say("No object here to run a playbook for.")
    elif len(selection.items) > _MOST_ROWS:
        context.say(f"At most {_MOST_ROWS} rows at once; {len(selection.items):,} are marked.")
    elif _in_use(context, result, selection):
        await playbooks(context, selection)


def _in_use(context: ExplorerContext, result: Result, selection: Selection) -> bool:
    """Whether the selection is of one account, and that account is in use; switches to it if possible."""
    name = one_account(context, selection.places)
    return name is not None and (not isinstance(result, SeveralAccounts) or use_account(context, result, name))


async def run_playbook(context: ExplorerContext, playbook: Playbook, selection: Selection | None = None) -> None:
    """Run a playbook for some objects; without objects, with inputs that the user types."""
    tool = context.session.catalog.tools.get(selection.tool) if selection is not None else None
    rows = [inputs_from(playbook, item, tool) for item in selection.items] if selection is not None and tool is not None else []
    about = selection.about if selection is not None else ""
    await context.app.push_screen_wait(PlaybookRunDialog(context.session, playbook, rows or [{}], about))


async def _edit(
    context: ExplorerContext, store: PlaybookStore, playbook: Playbook, notes: Sequence[str], *, is_new: bool
) -> None:
    form = PlaybookForm(playbook, store, context.session.catalog, notes, is_new=is_new)
    saved = await context.app.push_screen_wait(form)
    if saved is not None:
        context.say(f"✓ Saved playbook “{saved.name}”", "$text-success")


async def _record(context: ExplorerContext, store: PlaybookStore) -> None:
    """Choose calls from the history, make a playbook from them, and let the user edit it before it is saved."""
    history = context.session.history
    if history is None:
        context.say("History is off: CALLBOARD_NO_JOURNAL is set.")
        return
    try:
        wanted = parse_search("ok", context.session.clock())
        await asyncio.to_thread(history.flush)
        entries = await asyncio.to_thread(history.search, wanted, _MOST_CALLS)
        chosen = await context.app.push_screen_wait(RecordDialog(entries))
        if chosen is None:
            return
        name, picked = chosen
        tools = context.session.catalog.tools
        calls, left_out = await asyncio.to_thread(calls_of, picked, history, tools)
        found = await asyncio.to_thread(recorded, name, calls)
    except JournalError as error:
        context.session.tell(str(error))
    except PlaybookError as error:
        context.app.notify(str(error), severity="warning", markup=False)
    else:
        await _edit(context, store, found.playbook, (*left_out, *found.notes), is_new=True)


async def _selection(context: ExplorerContext) -> Selection | None:
    """The objects of the marked rows, or the one at the cursor."""
    result, table = context.result.result, context.result.views.shown
    if result is None or not result.ok or not result.body:
        return None
    places: list[int] = []
    if table is not None and table.place is not None:
        places = list(table.marked) or [table.place]
        texts = [table.items[place] for place in places]
    else:
        tool = context.session.catalog.tools.get(result.tool)
        side = item_at_cursor(context, tool, result) if tool is not None else None
        texts = [side.body if side is not None else result.body]
        view = context.result.view
        if view.document is not None and view.row is not None and (at := place_of(result, view.document, view.row)) is not None:
            places = [at]
    try:
        read = await asyncio.to_thread(lambda: [loads(text) for text in texts])
    except NotJson:
        return None
    found = [one for one in read if isinstance(one, dict)]
    about = f" · for {len(found)} marked rows" if len(found) > 1 else " · for this object"
    return Selection(found, result.tool, about, places)
