"""Going on from a call that was made: its answer as it was then, the same call again, its form, or what has changed since."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from registry.journal.errors import JournalError
from tui.compare.screen import CompareScreen
from tui.dialogs.history import HistoryDialog
from tui.explorer.comparing import now, side_of
from tui.settings import key_of

if TYPE_CHECKING:
    from registry.journal.recalled import Recalled
    from registry.journal.schema import Entry
    from tui.explorer.screen import ExplorerScreen


async def look_back(ground: ExplorerScreen) -> None:
    """Let the user choose a call that was made, and go on from it."""
    await ground.session.ready()
    history = ground.session.history
    if history is None:
        ground.say("Calls are not remembered: CALLBOARD_NO_JOURNAL is set.")
        return
    picked = await ground.app.push_screen_wait(HistoryDialog(history, ground.session.gone))
    if picked is None:
        return
    entry, way = picked
    tool = ground.session.catalog.tools.get(entry.tool)
    if tool is None:
        ground.say(f"There is no tool {entry.tool} any more.")
        return
    try:
        recalled = await asyncio.to_thread(history.recall, entry.id, tool)
    except JournalError as error:
        ground.session.tell(str(error))
        return
    if recalled is None:
        ground.say("That call was forgotten in the meantime.")
    elif way == "compare":
        await _compare(ground, recalled)
    else:
        await _open(ground, entry, recalled, way)


async def _open(ground: ExplorerScreen, entry: Entry, recalled: Recalled, way: str) -> None:
    """Open the form as it was, and what came then; or run it again, where it only reads and nothing is missing."""
    raw = {name: [*value] if isinstance(value, (list, tuple)) else _raw(value) for name, value in recalled.arguments.items()}
    await ground.visit(entry.tool, raw, run=way == "again").wait()
    here = ground.trail.here
    if here is None:
        return
    # It was not followed from what was on screen.
    here.parent = None
    ground.result.show_crumbs([])
    elsewhere = ground.session.connection(entry.toolkit).name != entry.connection
    if elsewhere and way != "open":
        ground.say(f"It went through {entry.connection} then; {key_of(ground.app, 'connections')} chooses where calls go.")
    if way != "open":
        return
    if entry.outcome == "cancelled":
        ground.say(f"It was cancelled then, so there is no answer. {key_of(ground.app, 'run')} runs it again.")
        return
    here.asked = raw
    ground.session.results.add(recalled)
    ground.present(recalled)
    ground.go_to_pane("result")
    ground.result.focus_answer()


async def _compare(ground: ExplorerScreen, recalled: Recalled) -> None:
    tool = ground.session.catalog.tools[recalled.tool]
    candidate = next(iter(now(ground, tool, recalled)), None)
    if not recalled.ok or not recalled.body:
        ground.say("There is no answer from then to compare with.")
    elif candidate is None:
        ground.say(f"{tool.name} is not run again just to compare.")
    else:
        await ground.app.push_screen_wait(CompareScreen(side_of(tool, recalled), candidate))


def _raw(value: object) -> object:
    """An argument as a form has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
