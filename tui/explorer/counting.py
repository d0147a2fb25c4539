"""Counts the objects that a call or query would find, by reading its first page, and only where that is allowed.

Live data is not counted unless its account is named in `CALLBOARD_COUNT_LIVE`: typing must not use up a rate limit.

The search is extended once typing pauses: words → the history's ids, in a thread → objects with their names · the first ready
calls → counts, at most four, side by side. Objects need no request to a service; the next key cancels the counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from registry.calling.search_queries import QueryFields, query_fields
from registry.catalog.listing import ToolSummary
from registry.catalog.model import Parameter, Tool
from registry.journal.id_index import SeenObject
from registry.pages.subjects import NoPage, subjects_of
from registry.references.targets import as_raw
from registry.text.safe_text import visible_line
from tui.explorer.finder import Found
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


@dataclass
class QueryHelp:
    """Helps with writing a tool's query: its `known` fields, ids seen before, and the count of its results."""

    session: Session
    tool: Tool
    parameter: Parameter
    known: QueryFields

    @property
    def counts(self) -> bool:
        """Whether matches may be counted in the tool's present account."""
        return may_count(self.session, self.tool.toolkit)

    def now(self) -> float:
        """The present, in Unix seconds."""
        return self.session.clock()

    def ids(self, kind: str, typed: str) -> list[tuple[str, str]]:
        """Ids of a type of object from earlier results, with labels. Blocks."""
        return self.session.seen_ids(self.tool.toolkit, [kind], typed)

    async def count(self, query: str) -> str:
        """How many objects a query finds; empty if it is invalid."""
        return await counted(self.session, self.tool, {self.parameter.name: query})


def query_help(session: Session, tool: Tool, parameter: Parameter) -> QueryHelp | None:
    """The helper for a parameter; None if it is not a query, or its fields are not known."""
    known = query_fields(tool) if parameter.role == "query" else None
    return QueryHelp(session, tool, parameter, known) if known is not None else None


class FoundMore:
    """Finds objects and counts."""

    def __init__(self, session: Session, tools: Mapping[str, ToolSummary]) -> None:
        self._session = session
        self._tools = tools

    async def seen(self, names: Sequence[str]) -> list[Found]:
        """Objects from results of this run or earlier ones that have a page."""
        seen = await asyncio.to_thread(self._session.seen_objects, names)
        return [found for one in seen if (found := self._of(one)) is not None]

    def _of(self, seen: SeenObject) -> Found | None:
        if seen.connection != self._session.connection(seen.toolkit).name:
            return None  # sandbox data is not mixed with an account's
        try:
            subject = subjects_of(seen.id, self._session.routes, type_=seen.type)[0]
        except NoPage:
            return None
        gone = seen.id in self._session.deleted_ids.of(seen.connection)
        title = visible_line(seen.label or seen.id)
        return Found(
            self._tools[subject.tool],
            (),
            "deleted in this session" if gone else "",
            as_raw(subject.arguments),
            title=f"✗ {title}" if gone else title,
            kind="object",
            id=seen.id,
            type=seen.type,
        )

    async def count(self, ready: Sequence[Found], show: Callable[[Counts, str], None]) -> None:
        """Count what the first calls find, and show each count when it is known."""
        catalog = self._session.catalog.tools
        countable = [one for one in ready if one.tool.name in catalog and is_countable(catalog[one.tool.name], one.raw or {})]
        ones = [one for one in countable if may_count(self._session, one.tool.toolkit)][:MOST_COUNTED]
        heading = "results now" if ones else "counts: off" if countable else ""
        counts: dict[tuple[str, str], str] = {}
        show(counts, heading)

        async def ask(one: Found) -> None:
            counts[one.key] = await counted(self._session, catalog[one.tool.name], one.raw or {})
            show(counts, heading)

        async with asyncio.TaskGroup() as group:
            for one in ones:
                group.create_task(ask(one))
