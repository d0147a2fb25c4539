"""Pages of a list: how many items they have; the whole list fetched, continued, and paged through in windows."""

import asyncio

from registry.catalog.model import Tool
from registry.results.list_fetch import without_position
from registry.results.spool import Spool
from tui.dialogs.questions import ask_most, ask_page_size
from tui.explorer.explorer import Explorer
from tui.explorer.running_call import RunningFetch
from tui.explorer.trail import Direction


async def fetch_all(context: Explorer) -> None:
    """Ask how many items at most, and fetch the list of the open tool, or continue the incomplete fetch on screen."""
    tool = context.tool
    if tool is None or not tool.is_list:
        context.say(f"{tool.name} does not return a list, so there is nothing more to fetch." if tool else "No tool is open.")
        return
    if context.result.has_class("-running"):
        context.say("Already running. Press Esc to stop it.")
        return
    here, raw = context.trail.here, context.form.raw
    if here is not None and here.was_run and context.result.has_focus_within and not here.asks(tool, raw):
        raw = dict(here.asked)  # the list on screen, and not what was typed in the form since
    raw = without_position(tool, raw)
    if errors := context.session.check(tool, raw).errors:
        context.say(str(errors[0]))
        return
    window = context.result.window
    connection = context.session.connection(tool.toolkit)
    asked = (raw, connection.name)
    if window is not None and (window.fetch.raw, window.connection) == asked and not window.list_fetch.complete:
        await _go_on(context, tool, window.fetch)
        return
    cap = await _cap(context, tool, 0)
    if cap is None:
        return
    try:
        spool = await asyncio.to_thread(Spool)
    except OSError as error:
        context.say(f"Could not store the fetched items: {error.strerror}.", "$text-error")
        return
    fetch = context.session.engine.fetch_all(tool, raw, connection, spool, most=cap or None)
    context.launch(tool, raw, fetch=RunningFetch(fetch, raw))


async def turn_window(context: Explorer, way: Direction) -> None:
    """Show the window after or before the one on screen."""
    window = context.result.window
    starts = window.starts_around(way) if window is not None else None
    if window is None or starts is None:
        context.say("Last fetched item." if way == "next" else "First fetched item.")
        return
    turned = await asyncio.to_thread(window.fetch.window, starts)
    context.session.results.add(turned)
    context.present(turned)


async def _go_on(context: Explorer, tool: Tool, fetch: RunningFetch) -> None:
    if fetch.list_fetch.capped:
        cap = await _cap(context, tool, fetch.list_fetch.count)
        if cap is None:
            return
        fetch.list_fetch.most = cap or None
    context.launch(tool, dict(fetch.raw), fetch=fetch)


async def _cap(context: Explorer, tool: Tool, there: int) -> int | None:
    """The most items to fetch, 0 for no limit; None if the user cancelled."""
    cap = await context.app.push_screen_wait(ask_most(tool.name, context.session.cap, there))
    if cap is not None and not there:
        context.session.cap = cap or None
    return cap


async def resize_pages(context: Explorer) -> None:
    """Ask for a page size, and show the page of that size with the same start as the one on screen."""
    tool, here = context.tool, context.trail.here
    limit = tool.with_role("limit") if tool is not None else None
    result = context.result.result if tool is not None else None
    if tool is None or here is None or limit is None or result is None or result.page is None:
        context.say("This result has no pages.")
        return
    size = await context.app.push_screen_wait(ask_page_size(limit, result.arguments.get(limit.name, limit.default)))
    if size is not None:
        raw = here.at(here.pages.here.place)
        context.form.fill(context.form.raw | {limit.name: size})
        here.pages.resized()
        context.launch(tool, raw | {limit.name: context.form.raw[limit.name]})
