"""The rows of a result that lead to another tool; cached, because this is needed for every row drawn."""

from __future__ import annotations

from collections.abc import Mapping

from registry.catalog.model import Tool
from registry.pages.page import ObjectLink
from registry.references.expanding import expand_at
from registry.references.json_location import JsonLocation
from registry.references.knowledge import knowledge
from registry.references.naming import enclosing, holders, named
from registry.references.routes import Routes
from registry.references.targets import Target, offers, pages_of, targets, words_for
from tui.json_view.document import Document
from tui.json_view.locations import Locations

_KEPT = 20_000


class Links:
    """What the rows of one call's result lead to.

    Args:
        tool: the tool that was called.
        arguments: what it was called with, as in the form.
        routes: how tools reach objects.
    """

    def __init__(self, tool: Tool, arguments: Mapping[str, object], ways: Routes) -> None:
        self._tool = tool
        self._arguments = arguments
        self._ways = ways
        self._document: Document | None = None
        self._places: Locations | None = None
        self._leads: dict[int, bool] = {}
        self._known = knowledge(tool.toolkit)

    def leads(self, document: Document, row: int) -> bool:
        """Whether a row leads somewhere else."""
        known = self._leads.get(row) if document is self._document else None
        if known is None:
            known = bool(self.targets(document, row))
            if len(self._leads) > _KEPT:
                self._leads.clear()
            self._leads[row] = known
        return known

    def targets(self, document: Document, row: int) -> list[Target]:
        """Where following a row leads, without what is on screen already."""
        found = targets(self._place(document, row), self._tool, self._arguments, self._ways, self._known)
        return [target for target in found if not target.is_shown_by(self._tool, self._arguments)]

    def offers(self, document: Document, row: int) -> list[Target]:
        """Every tool that accepts the object at a row, or around it; first the one that pages through the list there."""
        place = self._place(document, row)
        pages = pages_of(place, self._tool, self._ways)
        found = [*([pages] if pages is not None else []), *offers(place, self._tool, self._arguments, self._ways)]
        return [target for target in found if not target.is_shown_by(self._tool, self._arguments)]

    def expanded(self, document: Document, row: int) -> dict[str, object] | None:
        """The arguments that expand the id at a row in place; None where that is not possible."""
        return expand_at(self._place(document, row), self._tool, self._arguments)

    def subject(self, document: Document, row: int) -> str:
        """The object that a row names or is inside of, in words; they contain text from outside."""
        place = self._place(document, row)
        found = [one for one in named(place, self._tool) if one.id is not None]
        if not found and (around := enclosing(place, self._tool)) is not None:
            found = [around]
        return " or ".join(f"{words_for(one.type)} {one.id}" for one in found)

    def object_at(self, document: Document, row: int) -> ObjectLink | None:
        """The object that a row names or is inside of, with the ids of those around it; None if there is no object."""
        place = self._place(document, row)
        found = [one for one in named(place, self._tool) if one.id is not None]
        if not found and (around := enclosing(place, self._tool)) is not None:
            found = [around]
        if not found:
            return None
        first = found[0]
        assert first.id is not None
        owners = [(one.type, one.id) for one in holders(place, self._tool) if one.id is not None and one.id != first.id]
        for parameter in self._tool.parameters:
            value = self._arguments.get(parameter.name)
            if parameter.role == "id" and isinstance(value, str) and value and value != first.id:
                owners += [(type_, value) for type_ in parameter.refers_to]
        return ObjectLink(self._tool.toolkit, first.type if len(found) == 1 else "", first.id, tuple(owners))

    def why_not(self, document: Document, row: int) -> str:
        """Why there is nothing to follow at a row, in words."""
        place = self._place(document, row)
        if targets(place, self._tool, self._arguments, self._ways):
            return "This object is already open."
        found = named(place, self._tool)
        return (
            f"No tool can open a {words_for(found[0].type)} by its id." if found else "No link here: this value is not an id."
        )

    def _place(self, document: Document, row: int) -> JsonLocation:
        if self._places is None or self._document is not document:
            self._document, self._places = document, Locations(document)
            self._leads.clear()
        return self._places.at(row)
