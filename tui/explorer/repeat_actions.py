"""Makes the call of the result on screen once more: for the whole list, in other pages, the same now, or to compare.

A result is compared with the same call now or elsewhere, with another result of its tool, or two of its rows with each other.
Looking again makes the call once more, and says what has changed since.
"""

import asyncio
from functools import partial
from itertools import islice

from registry.accounts.connection import Connection, ConnectionSettingsError
from registry.calling.arguments import ArgumentError
from registry.calling.receiving import MASKED
from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts
from registry.catalog.model import Tool
from registry.results.comparison import Change, changes
from registry.results.list_fetch import without_position
from registry.results.spool import Spool
from registry.text.shown import counted, local_moment, shortened, visible_line
from tui.compare.screen import Candidate, CompareScreen, CompareWith, NoSide, Side, differing
from tui.dialogs.questions import ask_most, ask_page_size
from tui.explorer.explorer import Explorer
from tui.explorer.running_call import RunningFetch
from tui.state.settings import key_of
from tui.widgets.texts import MODES, in_words

_MOST, _LONGEST = 40, 24


async def compare(context: Explorer) -> None:
    """Compare the two marked rows, or else the result on screen with what the user chooses."""
    tool, result = context.tool, context.result.result
    if tool is None or result is None or not result.ok or not result.body:
        context.say(context.result.missing)
        return
    if (pair := _two_marked(context, tool, result)) is not None:
        first, second = pair
        await context.app.push_screen_wait(CompareScreen(first, Candidate(second.part, "", partial(_ready, second))))
        return
    if isinstance(result, SeveralAccounts):  # not the response of one account: only its rows are compared
        context.say("Mark two rows to compare them.")
        return
    here = side_of(tool, result)
    candidates = [*now(context, tool, result), *_before(context, tool, result, here)]
    if not candidates:
        context.say("Nothing to compare with yet. Run the tool again first, or mark two rows of a table.")
        return
    chosen = await context.app.push_screen_wait(CompareWith(tool.name, candidates))
    if chosen is not None:
        await context.app.push_screen_wait(CompareScreen(here, chosen))


def side_of(tool: Tool, result: Result) -> Side:
    """A result as one side of a comparison; secrets among its arguments are redacted."""
    arguments = {
        parameter.name: MASKED.strip('"') if parameter.role == "secret" else in_words(result.arguments[parameter.name])
        for parameter in tool.parameters
        if parameter.name in result.arguments
    }
    page = counted(result.page.items, "item") if result.page is not None else ""
    return Side(tool.name, result.body, result.connection, result.at, arguments, page=page)


def now(context: Explorer, tool: Tool, result: Result) -> list[Candidate]:
    """The same call again, in every account that has this service; for tools that only read."""
    if tool.effect != "read" or tool.returns.kind == "file":
        return []
    candidates: list[Candidate] = []
    known = [one for one in context.session.connections.values() if tool.toolkit in one.endpoints]
    for connection in sorted(known, key=lambda one: one.name != result.connection):
        mode = connection.endpoint(tool.toolkit).mode
        where = connection.title if mode == "sandbox" else f"{connection.title} · {MODES[mode]}"
        title = "Run again now" if connection.name == result.connection else f"The same call in {connection.title}"
        candidates.append(Candidate(title, where, partial(_run, context, tool, result, connection)))
    return candidates


def _before(context: Explorer, tool: Tool, result: Result, here: Side) -> list[Candidate]:
    """Other results of the tool that are still kept: other pages, other objects, the same at another time."""
    candidates: list[Candidate] = []
    others = (one for one in context.session.results.of(tool.name) if one.ok and one.body and one is not result)
    for other in islice((one for one in others if not isinstance(one, SeveralAccounts)), _MOST):
        side = side_of(tool, other)
        when = "earlier" if other.at < result.at else "later"
        facts = " · ".join(one for one in (local_moment(other.at), side.connection, side.page) if one)
        candidates.append(Candidate(differing(side, here) or f"The same call, {when}", facts, partial(_ready, side)))
    return candidates


def _two_marked(context: Explorer, tool: Tool, result: Result) -> tuple[Side, Side] | None:
    """The two marked rows of a table, or a marked one and the one at the cursor; None for any other number of rows.

    None as well if the table does not show the result's own list.
    """
    table = context.result.views.shown
    if table is None or context.result.window is not None:
        return None
    places = list(table.marked)
    if len(places) == 1 and table.place is not None and table.place not in places:
        places.append(table.place)
    if len(places) != 2:
        return None
    whole = side_of(tool, result)
    path = "" if result.items_at is None else result.items_at
    first, second = (
        Side(tool.name, table.items[place], result.connection_of(place), result.at, whole.arguments, f"{path}[{place}]")
        for place in places
    )
    return first, second


async def _ready(side: Side) -> Side:
    return side


async def _run(context: Explorer, tool: Tool, result: Result, connection: Connection) -> Side:
    try:
        came = await context.session.call(tool, result.arguments, connection=connection)
    except (ArgumentError, ConnectionSettingsError) as error:
        raise NoSide(str(error)) from None
    if came.failure is not None:
        raise NoSide(f"{came.failure.title}: {came.failure.cause}")
    return side_of(tool, came)


async def look_again(context: Explorer) -> None:
    """Repeat the read of the result on screen, show the new result in its place, and what differs in the key bar."""
    result, visit, tool = context.result.result, context.trail.here, context.tool
    connection = context.session.connections.get(result.connection) if result is not None else None
    if result is None or visit is None or tool is None or connection is None or not result.tool == visit.tool == tool.name:
        context.say("Nothing to look at again. Run the tool first.")
    elif tool.effect != "read":
        context.say(f"{tool.name} changes data; only what reads is repeated.")
    elif isinstance(result, SeveralAccounts) or context.result.window is not None:
        context.say("Only one page of one account can be looked at again.")
    elif not context.result.has_class("-running"):
        context.say("Looking again…", "$text-accent")
        # Relative times are computed again.
        new = await context.session.call(tool, dict(visit.asked), connection=connection)
        if context.result.result is not result:
            return
        if new.failure is not None:
            context.say(visible_line(f"✗ {new.failure.title}: {new.failure.cause}"), "$text-error")
            return
        found = await asyncio.to_thread(changes, result.body, new.body)
        context.present(new, stays=True)
        if not found.total:
            context.say("✓ Nothing has changed.", "$text-success")
            return
        told = [_changed(one) for one in found.first[:3]]
        more = f" · {key_of(context.app, 'compare')} compares" if found.total > 1 else ""
        context.say(visible_line(f"{counted(found.total, 'change')}: {' · '.join(told)}{more}"), "$text-warning")


def _changed(one: Change) -> str:
    values = " → ".join(shortened(value, _LONGEST) for value in (one.before, one.after) if value)
    return f"{one.kind} {one.path or 'the result'} {values}".rstrip()


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
    goes_on = window is not None and (window.fetch.raw, window.connection) == asked and not window.list_fetch.complete
    fetch, cap = window.fetch if window is not None and goes_on else None, context.session.cap
    if fetch is None or fetch.list_fetch.capped:
        there = fetch.list_fetch.count if fetch is not None else 0
        most = await context.app.push_screen_wait(ask_most(tool.name, cap, there))
        if most is None:
            return
        cap = most or None  # 0 is no limit
        if not there:
            context.session.cap = cap
        if fetch is not None:
            fetch.list_fetch.most = cap
    if fetch is None:
        try:
            spool = await asyncio.to_thread(Spool)
        except OSError as error:
            context.say(f"Could not store the fetched items: {error.strerror}.", "$text-error")
            return
        fetch = RunningFetch(context.session.engine.fetch_all(tool, raw, connection, spool, most=cap), raw)
    context.launch(tool, dict(fetch.raw), fetch=fetch)


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
