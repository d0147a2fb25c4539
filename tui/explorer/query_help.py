"""Helpers for writing a tool's query: its fields, ids seen before, and the count of its results."""

from __future__ import annotations

from registry.calling.query_fields import QueryFields, query_fields
from registry.catalog.model import Parameter, Tool
from tui.explorer.counting import counted, may_count
from tui.session import Session


class QueryHelp:
    """Helps with one parameter of one tool."""

    def __init__(self, session: Session, tool: Tool, parameter: Parameter, known: QueryFields) -> None:
        self._session = session
        self._tool = tool
        self._parameter = parameter
        self._known = known

    @property
    def known(self) -> QueryFields:
        """The fields of the query."""
        return self._known

    @property
    def counts(self) -> bool:
        """Whether matches may be counted in the tool's present account."""
        return may_count(self._session, self._tool.toolkit)

    def now(self) -> float:
        """The present, in Unix seconds."""
        return self._session.clock()

    def ids(self, kind: str, typed: str) -> list[tuple[str, str]]:
        """Ids of a type of object from earlier results, with labels. Blocks."""
        return self._session.seen_ids(self._tool.toolkit, [kind], typed)

    async def count(self, query: str) -> str:
        """How many objects a query finds; empty if it is invalid."""
        return await counted(self._session, self._tool, {self._parameter.name: query})


def query_help(session: Session, tool: Tool, parameter: Parameter) -> QueryHelp | None:
    """The helper for a parameter; None if it is not a query, or its fields are not known."""
    known = query_fields(tool) if parameter.role == "query" else None
    return QueryHelp(session, tool, parameter, known) if known is not None else None
