"""Counts the objects that a call or query would find, by reading its first page, and only where that is allowed.

Live data is not counted unless its account is named in `CALLBOARD_COUNT_LIVE`: typing must not use up a rate limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from registry.calling.search_queries import QueryFields, query_fields
from registry.catalog.model import Parameter, Tool
from tui.session import Session

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
