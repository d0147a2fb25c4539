"""A list fetched whole, continued, and paged through in windows; and a form filled from JSON or the user's editor."""

import asyncio

from registry.catalog.model import Tool
from registry.results.list_fetch import without_position
from registry.results.spool import Spool
from tui.dialogs.choose import Choice, ChooseDialog
from tui.dialogs.questions import ask_most, ask_page_size
from tui.explorer.explorer import Explorer
from tui.explorer.fields.field import Field
from tui.explorer.fields.json_area import JsonArea
from tui.explorer.fields.structured import JsonField
from tui.explorer.running_call import RunningFetch
from tui.explorer.trail import Direction
from tui.terminal.external_programs import NotOpened, edit


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


_DONE = "$text-success"


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
