"""What the program knows about the values of a tool's parameters, for the fields of its form."""

from collections.abc import Sequence

from registry.calling.search_queries import QueryFields, query_fields
from registry.calling.values import branch_of
from registry.catalog.model import Parameter, Tool
from registry.references.routes import sources_of
from registry.references.targets import wrong_kind
from tui.explorer.counting import counted, may_count
from tui.session import Session

_MOST_FIELDS = 40


class Aids:
    """Helpers for filling the form of a tool. `pick_key` opens the service's own list of objects, for ids.

    With `folds`, there are so many fields that structured values are one line each until they are unfolded.
    """

    def __init__(self, session: Session, tool: Tool, pick_key: str = "") -> None:
        self._session, self._tool, self._pick_key = session, tool, pick_key
        count, waiting = 0, list(tool.parameters)
        while waiting and count < _MOST_FIELDS:
            one = waiting.pop()
            count += 1
            waiting += (*one.properties, *one.branches)
        self.folds = count >= _MOST_FIELDS

    def reads(self, parameter: Parameter, text: str) -> str:
        """What a value means, or advice about it (⚠); empty if it is obvious."""
        return self._session.reading(parameter, text) or wrong_kind(self._tool.toolkit, parameter, text)

    def lookup(self, parameter: Parameter, before: Sequence[str], typed: str) -> list[tuple[str, str]]:
        """Values with their labels, best first, for the entries before this one and what was typed. Blocks."""
        return self._session.offers(self._tool, parameter, before, typed)

    def hint(self, parameter: Parameter) -> str:
        """How to find other ids; empty if the service has no list of such objects."""
        has_list = self._pick_key and sources_of(self._tool, parameter, {}, self._session.routes)
        return f"{self._pick_key} to pick" if has_list else ""

    def branch(self, parameter: Parameter, raw: object) -> Parameter | None:
        """The branch of ``one_of`` that a value belongs to; None if there is none."""
        return branch_of(self._tool, parameter, raw, self._session.clock())

    # Search queries

    def known(self, parameter: Parameter) -> QueryFields | None:
        """The fields of a search query; None for any other parameter, or if they are not known."""
        return query_fields(self._tool) if parameter.role == "query" else None

    @property
    def counts(self) -> bool:
        """Whether matches may be counted now, in the present account."""
        return may_count(self._session, self._tool.toolkit)

    async def count(self, parameter: Parameter, query: str) -> str:
        """How many objects a query finds, in a few words; empty if it is invalid. Makes a call."""
        return await counted(self._session, self._tool, {parameter.name: query})

    def ids(self, kind: str, typed: str) -> list[tuple[str, str]]:
        """Ids of a type of object from earlier results, with labels. Blocks."""
        return self._session.seen_ids(self._tool.toolkit, [kind], typed)

    def now(self) -> float:
        return self._session.clock()
