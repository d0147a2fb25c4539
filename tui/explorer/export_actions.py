"""Export actions: a result to a file, the clipboard or a pager, a call as text, a link to the browser."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from registry.accounts.links import LinkRefused, has_browser, open_in_browser
from registry.accounts.problems import BrowserNotOpened
from registry.calling.arguments import Arguments
from registry.calling.sensitive import is_sensitive
from registry.calling.several_accounts import SeveralAccounts
from registry.results.callboard_command import command
from registry.results.formats import ExportOptions, NotExported
from registry.results.saving import as_text, header_lines
from registry.results.snippets import Snippet
from registry.text.safe_text import visible_line
from tui.dialogs.export import ExportDialog
from tui.dialogs.questions import OpenLink
from tui.dialogs.reader import Reader, ShowAs
from tui.explorer.explorer import Explorer
from tui.explorer.export_offers import offers_on_screen
from tui.explorer.fetch_windows import ResultWindow
from tui.explorer.several_accounts import place_of
from tui.json_view.copying import copied
from tui.state.downloads import usual_folder
from tui.state.settings import key_of
from tui.terminal.clipboard import copy
from tui.terminal.external_programs import NotOpened, show_in_pager

_DONE = "$text-success"


def _nothing(context: Explorer) -> str:
    return f"No result yet. Press {key_of(context.app, 'run')} to run the tool."


async def export(context: Explorer) -> None:
    """Ask what to save of the result on screen, and save or copy it."""
    result = context.result.result
    if result is None or not result.body:
        context.say(_nothing(context) if result is None else "The response has no body.")
        return
    offers, warning = await offers_on_screen(context, result), ""
    if isinstance(result, SeveralAccounts) and (result.failed or result.partial):
        warning = f"Incomplete: {visible_line(result.words)}."
    words = await context.app.push_screen_wait(ExportDialog(offers, result.tool, result.at, usual_folder(), warning))
    if words is not None:
        context.say(words, _DONE)


async def show_as(context: Explorer) -> None:
    """Show the call on screen, or the call in the form, as text that somebody else can run."""
    tool, result, session = context.tool, context.result.result, context.session
    if tool is None:
        context.say("Open a tool first.")
        return
    options: list[str] = []
    if result is not None and result.tool == tool.name:
        if isinstance(result, ResultWindow):
            most = result.fetch.list_fetch.most
            options = ["--all"] if most is None else ["--all", f"--most={most}"]
        arguments, connection = Arguments(dict(result.arguments)), result.connection  # type: ignore[arg-type]
    else:
        arguments, connection = session.check(tool, context.form.raw), session.connection(tool.toolkit).name
    if arguments.errors:
        context.say(f"Complete the form first: {arguments.errors[0].parameter} {arguments.errors[0].message}.")
        return
    if isinstance(result, SeveralAccounts) and result.tool == tool.name:
        # Only the command line reads from several accounts at once.
        snippets: Sequence[Snippet] = [Snippet("callboard", command(tool, arguments, *result.accounts), ())]
    else:
        snippets = session.snippets(tool, arguments, connection, options)
    words = await context.app.push_screen_wait(ShowAs(tool.name, snippets))
    if words is not None:
        context.say(words, _DONE)


async def read_in_pager(context: Explorer) -> None:
    """Open the whole result in the user's pager, laid out, with secrets redacted."""
    result = context.result.result
    if result is None or not result.body:
        context.say(_nothing(context) if result is None else "The response has no body.")
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
        context.say(_nothing(context))
        return
    row = view.document.rows.row(view.row, 200)
    if is_sensitive(row.key, row.value):
        context.say("This link is a secret: it opens without a password. Copy it if you want to use it.")
        return
    try:
        text = await asyncio.to_thread(copied, view.document, view.row, "value")
        place = place_of(result, view.document, view.row)
        link = context.session.link(tool, text, result.connection_of(place or 0))
    except LinkRefused as error:
        context.say(str(error))
        return
    if not has_browser(os.environ):
        outcome = await copy(context.app, link.url)
        context.say(f"No browser found. {outcome.about('the link')}")
        return
    if await context.app.push_screen_wait(OpenLink(link)):
        try:
            await open_in_browser(link.url)
        except BrowserNotOpened as error:
            context.say(error.cause)
        else:
            context.say(f"✓ Opened {link.host}", _DONE)


async def show_headers(context: Explorer) -> None:
    """Show the headers of the response, secrets redacted."""
    result = context.result.result
    if result is None or not result.headers:
        context.say(_nothing(context) if result is None else "This response has no headers.")
        return
    status = f"HTTP {result.status}" if result.status is not None else "No response"
    await context.app.push_screen_wait(Reader(f"{status} · headers", "\n".join(header_lines(result))))
