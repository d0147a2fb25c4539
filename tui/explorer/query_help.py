"""What helps to write the query of a tool: its fields, ids that were seen, and a count of what it finds.

A count is a call with a limit of one. Live data is not counted unless its account is named in `CALLBOARD_COUNT_LIVE`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.calling.query_fields import QueryFields, query_fields

if TYPE_CHECKING:
    from registry.catalog.model import Parameter, Tool
    from tui.session import Session

COUNT_LIVE = "CALLBOARD_COUNT_LIVE"


class QueryHelp:
    """Helps with one parameter of one tool."""

    def __init__(self, session: Session, tool: Tool, parameter: Parameter, known: QueryFields) -> None:
        self._session = session
        self._tool = tool
        self._parameter = parameter
        self._known = known

    @property
    def known(self) -> QueryFields:
        """The fields that there are."""
        return self._known

    @property
    def counts(self) -> bool:
        """Whether matches may be counted where the tool's calls go at present."""
        connection = self._session.connection(self._tool.toolkit)
        endpoint = connection.endpoint(self._tool.toolkit)
        allowed = self._session.environment.get(COUNT_LIVE, "").replace(",", " ").split()
        return not endpoint.needs and (endpoint.mode != "live" or connection.name in allowed)

    def now(self) -> float:
        """The present, in Unix seconds."""
        return self._session.clock()

    def ids(self, kind: str, typed: str) -> list[tuple[str, str]]:
        """Ids of a type of object that results have named, with labels. Blocks."""
        return self._session.seen_ids(self._tool.toolkit, [kind], typed)

    async def count(self, query: str) -> str:
        """How many a query finds: the number where the service tells it, else whether there are some; empty on failure."""
        raw: dict[str, object] = {self._parameter.name: query}
        limit, expand = self._tool.with_role("limit"), self._tool.with_role("expand")
        if limit is not None:
            raw[limit.name] = "1"
        if expand is not None and self._known.count:
            raw[expand.name] = [self._known.count]
        if self._session.check(self._tool, raw).errors:
            return ""
        result = await self._session.engine.run(self._tool, raw, self._session.connection(self._tool.toolkit), remember=False)
        page = result.page
        if not result.ok or page is None:
            return "not counted"
        if page.total is not None:
            return f"{page.total:,} found" if page.total else "none"
        return ("some" if page.has_more else f"{page.items} found") if page.items else "none"


def query_help(session: Session, tool: Tool, parameter: Parameter) -> QueryHelp | None:
    """What helps with a parameter; None where it is no query, or nothing is known of its fields."""
    known = query_fields(tool) if parameter.role == "query" else None
    return QueryHelp(session, tool, parameter, known) if known is not None else None
