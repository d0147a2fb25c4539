"""Compares the result on screen: with the same call now or elsewhere, with another result of its tool, or two rows.

Looking again makes its call once more, and says what has changed since.
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
from registry.text.shown import counted, local_moment, shortened, visible_line
from tui.compare.screen import Candidate, CompareScreen, CompareWith, NoSide, Side, differing
from tui.explorer.explorer import Explorer
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
