"""Counts the objects that a call or query would find, by reading its first page, and only where that is allowed.

Live data is not counted unless its account is named in `CALLBOARD_COUNT_LIVE`: typing must not use up a rate limit.

The search is extended once typing pauses: words → the history's ids, in a thread → objects with their names · the first ready
calls → counts, at most four, side by side. Objects need no request to a service; the next key cancels the counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from registry.catalog.model import Tool
from registry.finding.find import KnownObject
from registry.journal.schema import SeenObject
from registry.pages.subjects import NoPage, subjects_of
from registry.references.targets import as_raw
from registry.text.safe_text import visible_line
from tui.explorer.found import Found
from tui.session import Session

SOON, LATER = 0.12, 0.3
"""Seconds without a key after which objects are looked up, and calls counted."""
MOST_COUNTED = 4
Counts = Mapping[tuple[str, str], str]
COUNT_LIVE = "CALLBOARD_COUNT_LIVE"
NOT_COUNTED = "not counted"
_LISTS = ("list", "search_result")
_MOST = 100


def may_count(session: Session, toolkit: str) -> bool:
    """Whether a toolkit's objects may be counted in its present account."""
    connection = session.connection(toolkit)
    endpoint = connection.endpoint(toolkit)
    allowed = session.environment.get(COUNT_LIVE, "").replace(",", " ").split()
    return not endpoint.needs and (endpoint.mode != "live" or connection.name in allowed)


def is_countable(tool: Tool, raw: Mapping[str, object]) -> bool:
    """Whether a call finds something that can be counted: a list, or one object by its arguments."""
    if tool.effect != "read" or tool.composed is not None:
        return False
    return tool.returns.kind in _LISTS or (tool.returns.kind == "object" and bool(raw))


async def counted(session: Session, tool: Tool, raw: Mapping[str, object]) -> str:
    """How many objects a call finds: the number on its first page, such as ``100+`` if there are more; empty if invalid."""
    limit = tool.with_role("limit")
    asked = dict(raw)
    if limit is not None:
        asked[limit.name] = str(min(int(limit.maximum or _MOST), _MOST))
    if session.check(tool, asked).errors:
        return ""
    result = await session.engine.run(tool, asked, session.connection(tool.toolkit), remember=False)
    page = result.page
    if tool.returns.kind == "object":
        return "1 found" if result.ok else "none" if result.status == 404 else NOT_COUNTED
    if not result.ok or page is None:
        return NOT_COUNTED
    if page.total is not None:
        return f"{page.total:,} found" if page.total else "none"
    return f"{page.items}{'+' if page.has_more else ''} found" if page.items else "none"


async def seen(session: Session, names: Sequence[str]) -> list[KnownObject]:
    """Objects from results of this run or earlier ones that can be shown."""
    found = []
    for one in await asyncio.to_thread(session.seen_objects, names):
        # Sandbox data is not mixed with an account's, and what was deleted in this run is gone.
        if one.connection == session.connection(one.toolkit).name and one.id not in session.deleted_ids.of(one.connection):
            found += known(session, one)
    return found


def known(session: Session, one: SeenObject) -> list[KnownObject]:
    """An object with the call that shows it; empty if no tool does."""
    try:
        subject = subjects_of(one.id, session.routes, type_=one.type)[0]
    except NoPage:
        return []
    return [KnownObject(one.type, one.id, visible_line(one.label), subject.tool, as_raw(subject.arguments))]


async def count_first(session: Session, ready: Sequence[Found], show: Callable[[Counts], None]) -> None:
    """Count what the first calls find, and show each count when it is known."""
    catalog = session.catalog.tools
    countable = [one for one in ready if one.tool.name in catalog and is_countable(catalog[one.tool.name], one.raw or {})]
    ones = [one for one in countable if may_count(session, one.tool.toolkit)][:MOST_COUNTED]
    counts: dict[tuple[str, str], str] = {}

    async def ask(one: Found) -> None:
        counts[one.key] = await counted(session, catalog[one.tool.name], one.raw or {})
        show(counts)

    async with asyncio.TaskGroup() as group:
        for one in ones:
            group.create_task(ask(one))
