"""Actions that lead out of the program: a result to a file, the clipboard or a pager, a call as text, a form to an editor."""

import asyncio
import os
from collections.abc import Callable, Sequence

from registry.accounts.links import BrowserNotOpened, LinkRefused, has_browser, open_in_browser
from registry.calling.arguments import ArgumentError, Arguments
from registry.calling.listing import listing_of
from registry.calling.receiving import is_sensitive
from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts
from registry.json_text import NotJson
from registry.references.targets import words_for
from registry.results.columns import Column
from registry.results.formats import ExportOptions, NotExported, ending_of, named
from registry.results.list_fetch import ListFetch, without_position
from registry.results.saving import as_text, header_lines
from registry.results.snippets import Snippet, command
from registry.results.spool import PropertyPath, Spool
from registry.text.shown import counted, visible_line
from tui.dialogs.choose import Choice, ChooseDialog, CopyDialog
from tui.dialogs.export import ExportDialog, Offer
from tui.dialogs.questions import CODE_TITLES, OpenLink, Reader, ShowAs
from tui.explorer.explorer import Explorer
from tui.explorer.fields.field import Field
from tui.explorer.fields.json_area import JsonArea
from tui.explorer.fields.structured import JsonField
from tui.explorer.result_pane import ResultPane
from tui.explorer.row_actions import place_of
from tui.explorer.running_call import ResultWindow
from tui.json_view.document import WHAT, copied
from tui.state.settings import downloads_folder
from tui.terminal.external_programs import NotOpened, copy, copy_out, edit, show_in_pager

_DONE = "$text-success"


def _with_body(context: Explorer) -> Result | None:
    """The result on screen; None, with a message, if there is none or its response has no body."""
    result = context.result.result
    if result is None or not result.body:
        context.say(context.result.missing if result is None else "The response has no body.")
        return None
    return result


async def export(context: Explorer) -> None:
    """Ask what to save of the result on screen, and save or copy it."""
    if (result := _with_body(context)) is None:
        return
    offers, warning = await offers_on_screen(context, result), ""
    if isinstance(result, SeveralAccounts) and (result.failed or result.partial):
        warning = f"Incomplete: {visible_line(result.words)}."
    words = await context.app.push_screen_wait(ExportDialog(offers, result.tool, result.at, downloads_folder(), warning))
    if words is not None:
        context.say(words, _DONE)


async def copy_as(context: Explorer) -> None:
    """Choose what to copy: of the value at the cursor, its row in the table, or the call."""
    pane, view = context.result, context.result.view
    texts = await view.offered()
    if pane.views.shows_table:
        texts.pop("csv", None)
        texts["row"] = "the row as CSV", pane.table.row_as_csv
    links, document, row = view.links, view.document, view.row
    if links is not None and document is not None and row is not None and (link := links.object_at(document, row)):
        texts = {"id": (f"the id of the {words_for(link.type)}", visible_line(link.id)), **texts}
    forms, _ = _as_code(context)
    texts |= {form.kind: (f"the call as {CODE_TITLES[form.kind]}", form.text) for form in forms}
    if not texts:
        context.say(context.result.missing)
    elif (chosen := await context.app.push_screen_wait(CopyDialog(texts))) in WHAT:
        view.copy_part(chosen)
    elif chosen is not None:
        title, text = texts[chosen]
        copy_out(context, text, title)


async def show_as(context: Explorer) -> None:
    """Show the call on screen, or the call in the form, as text that somebody else can run."""
    snippets, problem = _as_code(context)
    if problem:
        context.say(problem)
    elif words := await context.app.push_screen_wait(ShowAs(context.tool.name if context.tool else "", snippets)):
        context.say(words, _DONE)


def _as_code(context: Explorer) -> tuple[Sequence[Snippet], str]:
    """The call on screen, or the call in the form, as code; or a problem in words."""
    tool, result, session = context.tool, context.result.result, context.session
    if tool is None:
        return (), "Open a tool first."
    options: list[str] = []
    if result is not None and result.tool == tool.name:
        if isinstance(result, ResultWindow):
            most = result.fetch.list_fetch.most
            options = ["--all"] if most is None else ["--all", f"--most={most}"]
        arguments, connection = Arguments(dict(result.arguments)), result.connection  # type: ignore[arg-type]
    else:
        arguments, connection = session.check(tool, context.form.raw), session.connection(tool.toolkit).name
    if arguments.errors:
        return (), f"Complete the form first: {arguments.errors[0].parameter} {arguments.errors[0].message}."
    if isinstance(result, SeveralAccounts) and result.tool == tool.name:
        # Only the command line reads from several accounts at once.
        return [Snippet("callboard", command(tool, arguments, *result.accounts), ())], ""
    return session.snippets(tool, arguments, connection, options), ""


async def read_in_pager(context: Explorer) -> None:
    """Open the whole result in the user's pager, laid out, with secrets redacted."""
    if (result := _with_body(context)) is None:
        return
    try:
        text, _ = await asyncio.to_thread(as_text, result.body, ExportOptions("json"), most=None)
    except NotExported:
        text, _ = await asyncio.to_thread(as_text, result.body, ExportOptions("json", laid_out=False), most=None)
    try:
        await show_in_pager(context.app, text)
    except NotOpened as error:
        context.say(str(error))


async def open_link(context: Explorer) -> None:
    """Open the address at the cursor in the browser, after the user has seen and confirmed it."""
    tool, result, view = context.tool, context.result.result, context.result.view
    if tool is None or result is None or view.document is None or view.row is None:
        context.say(context.result.missing)
        return
    row = view.document.rows.row(view.row, 200)
    if is_sensitive(row.key, row.value):
        context.say("This link is a secret: it opens without a password. Copy it if you want to use it.")
        return
    try:
        text = await asyncio.to_thread(copied, view.document, view.row, "value")
        host = context.session.host(tool, text, result.connection_of(place_of(result, view.document, view.row) or 0))
    except LinkRefused as error:
        context.say(str(error))
        return
    if not has_browser(os.environ):
        context.say(f"No browser found. {(await copy(context.app, text)).about('the link')}")
        return
    if await context.app.push_screen_wait(OpenLink(text, host)):
        try:
            await open_in_browser(text)
        except BrowserNotOpened as error:
            context.say(error.cause)
        else:
            context.say(f"✓ Opened {host}", _DONE)


async def show_headers(context: Explorer) -> None:
    """Show the headers of the response, secrets redacted."""
    result = context.result.result
    if result is None or not result.headers:
        context.say(context.result.missing if result is None else "This response has no headers.")
        return
    status = f"HTTP {result.status}" if result.status is not None else "No response"
    await context.app.push_screen_wait(Reader(f"{status} · headers", "\n".join(header_lines(result))))


_ONE_PAGE = "this page only"


async def offers_on_screen(context: Explorer, result: Result) -> list[Offer]:
    """Everything that can be saved of the result on screen, the likeliest first, each with distinguishing words.

    A page of a longer list is never saved as if it were the list: the offer of all pages comes first and fetches them, that of
    one page says so in its name and after saving. Rows that the user chose, by marks or a filter, come before both.
    """
    table, pages = _table(context.result), _all_pages(context, result)
    # Rows chosen by marks or a filter are what the user means; the unfiltered table is only a page.
    chosen = bool(table) and bool(context.result.table.marked or context.result.table.wanted.strip())
    ordered = [*table[:1], *pages, *table[1:]] if chosen else [*pages, *table]
    files = [Offer(named(one), one[1], ending=ending_of(one[0])) for one in result.files]
    return [*files, *ordered, *await asyncio.to_thread(offers_of, result)]


def _all_pages(context: Explorer, result: Result) -> list[Offer]:
    tool, session = context.tool, context.session
    connection = session.connections.get(result.connection)
    if not _has_more(result) or isinstance(result, SeveralAccounts) or tool is None or tool.name != result.tool:
        return []
    if connection is None or not tool.is_list:
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
    try:
        listing = listing_of(result)
    except NotJson:
        listing = None
    about = "Exactly what the service sent, with what surrounds the items." if listing is not None else ""
    whole = Offer(f"{page}the full response", result.body, items_at=result.items_at, about=about, kept=kept)
    if listing is None:
        return [whole]
    items = counted(len(listing.items), "item")
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
    about = "The rows of the table in their order, with all its columns."
    rows = [table.items[place] for place in table.rows]
    offers = [Offer(f"{page}the table, {counted(len(rows), 'row')}", rows, columns, "csv", about=about, kept=kept)]
    if marked:
        about = "The marked rows, with all columns of the table."
        chosen = [table.items[place] for place in marked]
        offers.insert(0, Offer(counted(len(marked), "marked row"), chosen, columns, "csv", about))
    return offers


def columns_with_currencies(columns: Sequence[Column]) -> list[PropertyPath]:
    """The columns of a table for a file: each value, and with an exact amount, such as cents, its currency."""
    paths = (path for one in columns for path in (*one.paths, *([one.usual_currency] if one.currency_paths else [])))
    return list(dict.fromkeys(paths))


async def raw_json(context: Explorer) -> None:
    """Switch between the fields and JSON; invalid text is discarded only when the user confirms."""
    form = context.form
    if context.tool is None:
        context.say("Open a tool first.")
        return
    if form.text is None:
        await form.open_text()
        form.focus_first()
        return
    form.text.read()
    if form.text.blocked:
        choices = [Choice("Keep editing", "go to the error"), Choice("Discard the text", "go back to the last valid values")]
        if not await context.app.push_screen_wait(ChooseDialog("The JSON is not valid", choices, (False, True), "Select")):
            form.text.go_to_mistake()
            return
    await form.close_text()
    form.focus_again()


async def in_editor(context: Explorer) -> None:
    """Open the field that has the focus, or the JSON, in the user's editor."""
    form = context.form
    if context.tool is None:
        context.say("Open a tool first.")
        return
    try:
        if form.text is not None:
            words = await _edit_area(context, form.text.area, "JSON")
        elif form.field is not None:
            words = await _edit_field(context, form.field)
        else:
            raise NotOpened("Go to a field first.")
    except NotOpened as error:
        context.say(str(error))
    else:
        context.say(words, _DONE)


async def _edit_area(context: Explorer, area: JsonArea, name: str) -> str:
    edited = (await edit(context.app, area.text + "\n", ".json")).rstrip("\n")
    if edited == area.text:
        return "Nothing was changed."
    area.put(edited)
    return f"✓ {name} updated"


async def _edit_field(context: Explorer, field: Field) -> str:
    parameter = field.parameter
    if parameter.role == "secret":
        raise NotOpened(f"{parameter.name} is a secret and cannot be edited in a file. Type it here.")
    if isinstance(field, JsonField):
        return await _edit_area(context, field.area, parameter.name)
    if parameter.type in ("boolean", "one_of", "object") or parameter.enum:
        raise NotOpened(f"{parameter.name} has fixed values: choose with ← and →.")
    is_list, before = parameter.type == "array", field.raw
    text = "\n".join(map(str, before)) if isinstance(before, list) else str(before or "")
    edited = await edit(context.app, text + "\n" if text else "", ".txt")
    # Editors add a line break at the end of a text.
    edited = edited.removesuffix("\n")
    if edited == text:
        return "Nothing was changed."
    lines = edited.split("\n")
    given = [line for line in lines if line.strip()] if is_list else edited
    field.raw = given if edited.strip("\n") else None
    field.changed()
    if field.raw is None:
        return f"{parameter.name} is now not set."
    return f"✓ {parameter.name} updated" + ("" if is_list or len(lines) == 1 else f" ({len(lines)} lines)")
