"""The operation that returns a page of a search."""

from __future__ import annotations

from typing import NamedTuple

from registry.sandbox.payments import expanding
from registry.sandbox.payments.calls import Call
from registry.sandbox.payments.lists import DEFAULT_LIMIT, HIGHEST_LIMIT
from registry.sandbox.payments.parameters import Parameter, arguments
from registry.sandbox.payments.rendering import Json
from registry.sandbox.payments.searching.run import condition, page_token, place_of

_PARAMETERS = (
    Parameter("query", required=True),
    Parameter("limit", "integer", lowest=1, highest=HIGHEST_LIMIT),
    Parameter("page"),
)


class Search(NamedTuple):
    """A search among the objects of a kind, newest first."""

    kind: str

    def answer(self, call: Call) -> Json:
        """The page; `next_page` names the next one, or is null."""
        asked = arguments(call.query, _PARAMETERS, expands=True)
        tree = expanding.tree(asked.expand, (self.kind,), listed=True)
        query = asked.text("query") or ""
        wanted = condition(self.kind, query)
        reader, token = call.reader, asked.text("page")
        after = place_of(reader.world, self.kind, query, token) if token is not None else None
        rows, last_place = [], None
        if reader.has(self.kind):
            reader.ensure((self.kind,))
            limit = asked.integer("limit", DEFAULT_LIMIT)
            finding = reader.store.find(self.kind, wanted.sql, wanted.values, limit=limit, after=after)
            rows, last_place = finding.rows, finding.after
        members = tree.get("data")
        return {
            "object": "search_result",
            "url": call.path,
            "has_more": last_place is not None,
            "next_page": last_place and page_token(reader.world, self.kind, query, last_place),
            "data": [call.renderer.object(self.kind, row, members) for row in rows],
        }
