"""The offers of the export dialog for the result on screen, each with distinguishing words.

A page of a longer list is never saved as if it were the list: the offer of all pages comes first and fetches them before
saving, and the offer of one page says so in its name and after saving. Rows that the user chose, by marks or a filter, come
before both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from registry.calling.arguments import ArgumentError
from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts
from registry.json_text.reading import NotJson
from registry.results.columns import Column
from registry.results.formats import NotExported
from registry.results.list_fetch import ListFetch, can_fetch_all, without_position
from registry.results.picking import Path
from registry.results.returned_files import ending_of, named
from registry.results.spool import Spool
from registry.text.readings import counted
from tui.dialogs.export import Offer
from tui.explorer.explorer import Explorer
from tui.explorer.fetch_windows import ResultWindow
from tui.explorer.result_pane import ResultPane
from tui.table.arranging import SelectedItems

_ONE_PAGE = "this page only"


async def offers_on_screen(context: Explorer, result: Result) -> list[Offer]:
    """Everything that can be saved of the result on screen, the likeliest first."""
    table, pages = _table(context.result), _all_pages(context, result)
    # Rows chosen by marks or a filter are what the user means; the unfiltered table is only a page.
    chosen = bool(table) and bool(context.result.table.marked or context.result.table.wanted.strip())
    ordered = [*table[:1], *pages, *table[1:]] if chosen else [*pages, *table]
    return [*files_of(result), *ordered, *await asyncio.to_thread(offers_of, result)]


def files_of(result: Result) -> list[Offer]:
    """The images and other files of a result, each as received."""
    return [Offer(named(one), one[1], ending=ending_of(one[0])) for one in result.files]


def _all_pages(context: Explorer, result: Result) -> list[Offer]:
    tool, session = context.tool, context.session
    connection = session.connections.get(result.connection)
    if not _has_more(result) or isinstance(result, SeveralAccounts) or tool is None or tool.name != result.tool:
        return []
    if connection is None or not can_fetch_all(tool):
        return []
    shown, raw = context.result.views.shown, without_position(tool, result.arguments)
    columns = columns_with_currencies(shown.columns) if shown is not None else None
    fetch: ListFetch | None = None

    async def gather(report: Callable[[int], None]) -> tuple[Sequence[bytes], str]:
        """Fetch all pages; after a failure the next call goes on."""
        nonlocal fetch
        if fetch is None:
            try:
                spool = await asyncio.to_thread(Spool)
                fetch = session.engine.fetch_all(tool, raw, connection, spool, observer=lambda one: report(one.count))
            except (OSError, ArgumentError) as error:
                cause = f"The pages cannot be fetched: {error.strerror if isinstance(error, OSError) else error}."
                raise NotExported(cause, "Choose this page only.", "items") from None
        fetched = await fetch.run()
        if not fetched.complete:
            failure = fetched.failure
            cause = f"{failure.title}. {failure.cause}" if failure is not None else "The fetch ended early"
            cause = f"{fetched.count:,} items fetched, then: {cause.removesuffix('.')}."
            raise NotExported(cause, "Press Enter to continue, or choose this page only.", "items")
        return fetched.items, fetched.twice

    which = "with the columns of the table" if columns is not None else "every property of each item"
    return [Offer("all pages", (), columns, "csv", about=f"Fetches the other pages first; {which}.", gather=gather)]


def offers_of(result: Result) -> list[Offer]:
    """The offers of a result: the items of its list, and the whole response. Reads all of it."""
    if isinstance(result, ResultWindow):
        fetched = result.list_fetch
        kept = ", ".join(filter(None, ("" if fetched.complete else "more items are available", fetched.twice)))
        which = "all" if fetched.complete else "the first" if fetched.from_start else "the"
        everything = Offer(f"{which} {fetched.count:,} fetched items", fetched.items, format="csv", about=_EVERY, kept=kept)
        if result.end - result.start == fetched.count:
            return [everything]
        shown = f"items {result.start + 1:,}–{result.end:,}"
        return [everything, Offer(f"{shown} as JSON", result.body, about="What the JSON view shows.", kept=f"{shown} only")]
    page, kept = ("this page: ", _ONE_PAGE) if _has_more(result) else ("", "")
    about = "Exactly what the service sent, with what surrounds the items."
    whole = Offer(f"{page}the full response", result.body, items_at=result.items_at, kept=kept)
    try:
        listing = result.listing
    except NotJson:
        listing = None
    if listing is None:
        return [whole]
    whole = Offer(whole.title, whole.source, items_at=whole.items_at, about=about, kept=kept)
    count = len(listing.items)
    items = counted(count, "item")
    return [whole, Offer(f"{page}{items}, every property", listing.items, format="csv", about=_EVERY, kept=kept)]


_EVERY = "Every property of each item, also those that the table does not show."


def _has_more(result: Result) -> bool:
    return result.page is not None and result.page.next is not None


def _table(pane: ResultPane) -> list[Offer]:
    """The table on screen: its marked rows, then all rows in their order, without those that are filtered out."""
    result = pane.result
    if not pane.views.shows_table or result is None:
        return []
    table, marked = pane.table, pane.table.marked
    columns = columns_with_currencies(table.columns)
    page, kept = ("this page: ", _ONE_PAGE) if _has_more(result) else ("", "")
    if isinstance(result, ResultWindow) and not result.list_fetch.complete:
        kept = "more items are available"
    about = "The rows and columns on screen, in their order."
    rows = SelectedItems(table.items, list(table.rows))
    offers = [Offer(f"{page}the table, {counted(len(rows), 'row')}", rows, columns, "csv", about=about, kept=kept)]
    if marked:
        about = "The marked rows, with the columns on screen."
        chosen = SelectedItems(table.items, marked)
        offers.insert(0, Offer(counted(len(marked), "marked row"), chosen, columns, "csv", about))
    return offers


def columns_with_currencies(columns: Sequence[Column]) -> list[Path]:
    """The columns of a table for a file: an exact amount, for instance in cents, also gets a column with its currency."""
    shown = [column.path for column in columns]
    paths: list[Path] = []
    for column in columns:
        paths.append(column.path)
        if column.kind == "money" and column.currency_path not in (*shown, *paths):
            paths.append(column.currency_path)
    return paths
