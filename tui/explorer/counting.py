"""Counts the objects that a call or query would find, by reading its first page, and only where that is allowed.

Live data is not counted unless its account is named in `CALLBOARD_COUNT_LIVE`: typing must not use up a rate limit.

The search is extended once typing pauses: words → the history's ids, in a thread → objects with their names · objects that have
the typed name → counts of the first ready calls · the sentence that answers the question. The next key cancels all this.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.finding.find import Item
from registry.finding.ready_calls import QUESTION
from registry.journal.schema import SeenObject, ids_in
from registry.pages.subjects import NoPage, subjects_of
from registry.references.naming import KnownObject
from registry.references.targets import as_raw
from registry.results.headline import answer_of
from registry.text.safe_text import visible_line
from tui.explorer.found import Found, title_of
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


async def read(session: Session, tool: Tool, raw: Mapping[str, object]) -> Result | None:
    """The first page of what a call finds, as large as possible; None if the values are invalid."""
    limit = tool.with_role("limit")
    asked = dict(raw)
    if limit is not None:
        asked[limit.name] = str(min(int(limit.maximum or _MOST), _MOST))
    if session.check(tool, asked).errors:
        return None
    return await session.engine.run(tool, asked, session.connection(tool.toolkit), remember=False)


async def counted(session: Session, tool: Tool, raw: Mapping[str, object]) -> str:
    """How many objects a call finds, by its first page, such as ``100+ found`` if there are more; empty for invalid values."""
    if (result := await read(session, tool, raw)) is None:
        return ""
    page = result.page
    if tool.returns.kind == "object":
        return "1 found" if result.ok else "none" if result.status == 404 else NOT_COUNTED
    if not result.ok or page is None:
        return NOT_COUNTED
    if page.total is not None:
        return f"{page.total:,} found" if page.total else "none"
    return f"{page.items}{'+' if page.has_more else ''} found" if page.items else "none"


async def seen(session: Session, names: Sequence[str], text: str) -> list[KnownObject]:
    """Objects from results of this run or earlier ones that can be shown; for a request's id, the calls with it."""
    found = await asyncio.to_thread(session.requests, text)
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


async def found(session: Session, lookups: Sequence[Item]) -> list[KnownObject]:
    """The objects that calls find which look for a name, as far as they may be made."""
    objects = []
    for one in lookups:
        tool = session.catalog.tools[one.tool]
        if is_countable(tool, one.arguments) and may_count(session, tool.toolkit):
            result = await read(session, tool, one.arguments)
            ids = ids_in(result.body, tool) if result is not None and result.ok else []
            objects += [shown for each in ids if each.type in tool.returns.objects for shown in known(session, each)]
    return objects


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


async def answered(session: Session, text: str, ready: Sequence[Found]) -> Found | None:
    """The sentence that answers a question, by the first call that uses all its words; None if there is none."""
    asked = QUESTION.search(text)
    one = next((one for one in ready[:1] if not one.item.without and may_count(session, one.tool.toolkit)), None)
    if asked is None or one is None or not (one.item.answer or asked[1].lower().startswith("how")):
        return None
    tool, raw = session.catalog.tools[one.tool.name], one.raw or {}
    result = await read(session, tool, raw)
    if result is None or not result.ok:
        return None
    words = await asyncio.to_thread(answer_of, one.item.answer, title_of(one), tool, raw, result)
    return Found(replace(one.item, kind="call", title=words), one.tool, answers=True) if words else None
