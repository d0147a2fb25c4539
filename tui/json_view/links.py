"""What the rows of a result lead to, from where a row is in it.

Only the direct properties of the branches around a row are read, and of very large branches the first few hundred, so that the
cost does not grow with the size of the result.
"""

import json
from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import islice
from weakref import proxy

from registry.catalog.model import Tool
from registry.pages.page import ObjectLink
from registry.references.naming import (
    ELEMENT,
    Branch,
    JsonLocation,
    Members,
    Value,
    expand_at,
    holders,
    named,
    objects_at,
    text_of,
)
from registry.references.routes import Routes
from registry.references.targets import Target, offers, pages_of, targets, words_for
from tui.json_view.document import Document

_MOST_MEMBERS, _MOST_INSIDE, _MOST_AROUND = 400, 40, 64
_LONGEST = 2_100


class Locations:
    """The locations in one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        # Every row on screen needs those around it. Without a proxy, the cache would keep the document until a collection.
        self._members = lru_cache(maxsize=500)(partial(Locations._read, proxy(self)))

    def at(self, row: int) -> JsonLocation:
        """The location of a row; of a closing row, that of what it closes."""
        rows = self.document.rows
        row = rows.opener(row)
        value = self._members(row, _MOST_MEMBERS) if self.document.opens(row) else _value(rows.row(row, _LONGEST).value)
        around: list[Branch] = []
        above = rows.parent(row)
        while above is not None and len(around) < _MOST_AROUND:
            around.append(Branch(self._step(above), self._members(above, _MOST_MEMBERS)))
            above = rows.parent(above)
        return JsonLocation(self._step(row), value, tuple(around))

    def _step(self, row: int) -> str:
        key = self.document.rows.row(row, 0).key
        if key is not None:
            name = _value(key)
            return name if isinstance(name, str) else key
        return ELEMENT if self.document.rows.depth(row) else ""

    def _read(self, opener: int, most: int) -> Members:
        """An object's direct properties; of the objects among them, their scalars. Empty for a list."""
        rows, members = self.document.rows, dict[str, Value]()
        if rows.row(opener, 1).value != "{":
            return members
        for row in islice(rows.inside(opener), most):
            key, value, _ = rows.row(row, _LONGEST)
            if key is not None and isinstance(name := _value(key), str):
                if value[:1] not in ("{", "["):
                    members[name] = _value(value)
                elif most > _MOST_INSIDE and value == "{":
                    members[name] = self._members(row, _MOST_INSIDE)
                elif most > _MOST_INSIDE and value == "{}":
                    members[name] = {}
        return members


def _value(token: str) -> Value:
    """A JSON token as far as following needs it: a text that can be sent, true or false, a whole number, which may be an id."""
    if token in ("true", "false"):
        return token == "true"
    if not token.startswith('"'):
        return {} if token in ("{}", "[]") else token if token.isdecimal() else None
    try:
        text = json.loads(token)
        text.encode()
    except ValueError:  # cut, or with halves of surrogate pairs in it
        return None
    return str(text)


class Links:
    """What the rows of one call's result lead to.

    Args:
        tool: the tool that was called.
        arguments: what it was called with, as in the form.
        ways: how tools reach objects.
    """

    def __init__(self, tool: Tool, arguments: Mapping[str, object], ways: Routes) -> None:
        self._tool = tool
        self._arguments = arguments
        self._ways = ways
        self._locations = lru_cache(maxsize=1)(Locations)
        self._known = ways.of(tool).known

    def targets(self, document: Document, row: int) -> list[Target]:
        """Where following a row leads, without what is on screen already."""
        found = targets(self._place(document, row), self._tool, self._arguments, self._ways)
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
        found = objects_at(self._place(document, row), self._tool, self._known)
        return " or ".join(f"{words_for(one.type)} {one.id}" for one in found)

    def object_at(self, document: Document, row: int) -> ObjectLink | None:
        """The object that a row names or is inside of, with the ids of those around it; None if there is no object."""
        place = self._place(document, row)
        found = objects_at(place, self._tool, self._known)
        if not found:
            return None
        first = found[0]
        assert first.id is not None
        around = [(one.type, one.id) for one in holders(place, self._tool, self._known) if one.id is not None]
        owners = [one for one in around if one != (first.type, first.id)]
        for parameter in self._tool.parameters:
            value = text_of(self._arguments.get(parameter.name))
            if parameter.role == "id" and value is not None and value != first.id:
                owners += [(type_, value) for type_ in parameter.refers_to]
        return ObjectLink(self._tool.toolkit, first.type if len(found) == 1 else "", first.id, tuple(owners))

    def why_not(self, document: Document, row: int) -> str:
        """Why there is nothing to follow at a row, in words."""
        place = self._place(document, row)
        if targets(place, self._tool, self._arguments, self._ways):
            return "This object is already open."
        found = named(place, self._tool, self._known)
        return (
            f"No tool can open a {words_for(found[0].type)} by its id." if found else "No link here: this value is not an id."
        )

    def _place(self, document: Document, row: int) -> JsonLocation:
        return self._locations(document).at(row)
