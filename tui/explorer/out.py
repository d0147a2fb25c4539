"""What leaves the explorer: an answer to a file, the clipboard or a pager, a call as text, an address to the browser."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from tui.clipboard import copy
from tui.downloads import usual_folder
from tui.outside import NotOpened, has_browser, open_in_browser, show_in_pager
from tui.settings import key_of

if TYPE_CHECKING:
    from registry.calling.result import Result
    from tui.dialogs.export import Offer
    from tui.explorer.ground import Ground
    from tui.explorer.result_pane import ResultPane

_DONE = "$text-success"


def _nothing(ground: Ground) -> str:
    return f"There is no answer yet. {key_of(ground.app, 'run')} runs the tool."


async def export(ground: Ground) -> None:
    """Ask what to save of the answer on screen, and save or copy it."""
    from tui.dialogs.export import ExportDialog

    result = ground.result.result
    if result is None or not result.body:
        ground.say(_nothing(ground) if result is None else "The answer is empty.")
        return
    table = _table_of(ground.result)
    offers = [*table, *await asyncio.to_thread(offers_of, result)]
    words = await ground.app.push_screen_wait(ExportDialog(offers, result.tool, result.at, usual_folder()))
    if words is not None:
        ground.say(words, _DONE)


def offers_of(result: Result) -> list[Offer]:
    """What there is to be saved of an answer: the items of its list, and the whole. Reads all of it."""
    from registry.calling.items import listing_in
    from registry.calling.json_text import NotJson
    from tui.dialogs.export import Offer
    from tui.explorer.fetched import Window

    if isinstance(result, Window):
        count, words = result.gathered.count, "everything" if result.gathered.complete else "what was"
        whole_set = Offer(f"{words} fetched, {count:,} items", result.gathered.items, format="csv")
        return [whole_set, Offer("the window on screen", result.body)]
    whole = Offer("the whole answer", result.body, items_at=result.items_at)
    try:
        listing = listing_in(result.body, result.items_at)
    except NotJson:
        listing = None
    if listing is None:
        return [whole]
    return [whole, Offer("its items" if result.page is None else "the items of the page", listing.items, format="csv")]


def _table_of(pane: ResultPane) -> list[Offer]:
    """The table in sight, as it is: its columns and rows in their order, without those that are filtered out."""
    from tui.dialogs.export import Offer
    from tui.table.picked import Picked

    if not pane.views.shows_table:
        return []
    table, marked = pane.table, pane.table.marked
    columns = [column.path for column in table.columns]
    rows = Offer(f"the table, {table.line_count:,} rows", Picked(table.items, list(table.rows)), columns, "csv")
    if not marked:
        return [rows]
    return [rows, Offer(f"the {len(marked):,} marked rows", Picked(table.items, marked), columns, "csv")]


async def show_as(ground: Ground) -> None:
    """Show the call on screen, or the one that the form stands for, as text that somebody else can run."""
    from registry.calling.arguments import Arguments
    from tui.dialogs.show_as import ShowAs

    tool, result, session = ground.tool, ground.result.result, ground.session
    if tool is None:
        ground.say("Open a tool first.")
        return
    if result is not None and result.tool == tool.name:
        arguments, connection = Arguments(dict(result.arguments)), result.connection  # type: ignore[arg-type]
    else:
        arguments, connection = session.check(tool, ground.form.raw), session.connection(tool.toolkit).name
    if arguments.errors:
        ground.say(f"The form is not complete: {arguments.errors[0].parameter} {arguments.errors[0].message}.")
        return
    words = await ground.app.push_screen_wait(ShowAs(tool.name, session.forms(tool, arguments, connection)))
    if words is not None:
        ground.say(words, _DONE)


async def read_in_pager(ground: Ground) -> None:
    """Lend the terminal to the user's pager for the whole answer, laid out, with secrets masked."""
    from registry.export.formats import NotExported, Wish
    from registry.export.saving import as_text

    result = ground.result.result
    if result is None or not result.body:
        ground.say(_nothing(ground) if result is None else "The answer is empty.")
        return
    try:
        text, _ = await asyncio.to_thread(as_text, result.body, Wish("json"), most=None)
    except NotExported:
        text, _ = await asyncio.to_thread(as_text, result.body, Wish("json", laid_out=False), most=None)
    try:
        await show_in_pager(ground.app, text)
    except NotOpened as error:
        ground.say(str(error))


async def open_link(ground: Ground) -> None:
    """Open the address at the cursor in the browser, once it was shown and agreed to."""
    from registry.calling.sensitive import is_sensitive
    from registry.connections.links import LinkRefused
    from tui.dialogs.open_link import OpenLink
    from tui.json_view.copying import copied

    tool, result, view = ground.tool, ground.result.result, ground.result.view
    if tool is None or result is None or view.document is None or view.row is None:
        ground.say(_nothing(ground))
        return
    row = view.document.rows.row(view.row, 200)
    if is_sensitive(row.key, row.value):
        ground.say("This address is a secret: whoever has it needs no password. Copy it if you want to use it.")
        return
    try:
        text = await asyncio.to_thread(copied, view.document, view.row, "value")
        link = ground.session.link(tool, text, result.connection)
    except LinkRefused as error:
        ground.say(str(error))
        return
    if not has_browser(os.environ):
        outcome = await copy(ground.app, link.url)
        ground.say(f"There is no browser here. {outcome.about('the address')}")
        return
    if await ground.app.push_screen_wait(OpenLink(link)):
        try:
            await open_in_browser(link.url)
        except NotOpened as error:
            ground.say(str(error))
        else:
            ground.say(f"✓ Opened {link.host}", _DONE)


WAYS: Mapping[str, Callable[[Ground], Awaitable[None]]] = {
    "export": export,
    "show_as": show_as,
    "pager": read_in_pager,
    "link": open_link,
}
