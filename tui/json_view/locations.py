"""Where a row is in the result, for following links from it.

Only the direct properties of the branches around a row are read, and of very large branches the first few hundred, so that the
cost does not grow with the size of the result.
"""

from __future__ import annotations

import json

from registry.references.json_location import ELEMENT, Branch, JsonLocation, Members, Value
from tui.json_view.document import Document

_MOST_MEMBERS, _MOST_INSIDE, _MOST_AROUND = 400, 40, 64
_LONGEST = 2_100
_KEPT = 500


class Locations:
    """The locations in one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._known: dict[int, Members] = {}
        self._around: dict[int, tuple[Branch, ...]] = {}

    def at(self, row: int) -> JsonLocation:
        """The location of a row; of a closing row, that of what it closes."""
        rows = self._document.rows
        row = rows.opener(row)
        value = self._members(row) if self._document.opens(row) else _value(rows.row(row, _LONGEST).value)
        return JsonLocation(self._step(row), value, self._branches(rows.parent(row)))

    def _branches(self, row: int | None) -> tuple[Branch, ...]:
        """What lies around the rows directly inside a branch, which is the same for all of them: from that branch outwards."""
        if row is None:
            return ()
        if row not in self._around:
            found: list[Branch] = []
            above: int | None = row
            while above is not None and len(found) < _MOST_AROUND:
                found.append(Branch(self._step(above), self._members(above)))
                above = self._document.rows.parent(above)
            if len(self._around) > _KEPT:
                self._around.clear()
            self._around[row] = tuple(found)
        return self._around[row]

    def _step(self, row: int) -> str:
        key = self._document.rows.row(row, 0).key
        if key is not None:
            name = _value(key)
            return name if isinstance(name, str) else key
        return ELEMENT if self._document.rows.depth(row) else ""

    def _members(self, opener: int) -> Members:
        known = self._known.get(opener)
        if known is None:
            known = self._read(opener, _MOST_MEMBERS, deeper=True)
            if len(self._known) > _KEPT:
                self._known.clear()
            self._known[opener] = known
        return known

    def _read(self, opener: int, most: int, *, deeper: bool) -> Members:
        """An object's direct properties; of the objects among them, their scalars. Empty for a list."""
        rows, members = self._document.rows, dict[str, Value]()
        if not self._document.opens(opener) or rows.row(opener, 1).value != "{":
            return members
        row, last = opener + 1, rows.closer(opener)
        while row < last and len(members) < most:
            read = rows.row(row, _LONGEST)
            if read.key is not None and isinstance(name := _value(read.key), str):
                if read.value[:1] not in ("{", "["):
                    members[name] = _value(read.value)
                elif deeper and read.value[0] == "{":
                    members[name] = self._read(row, _MOST_INSIDE, deeper=False)
            row = rows.closer(row) + 1
        return members


def _value(token: str) -> Value:
    """A JSON token as far as following needs it: texts that can be sent, true and false. Numbers are never ids."""
    if token in ("true", "false"):
        return token == "true"
    if not token.startswith('"'):
        return {} if token in ("{}", "[]") else None
    try:
        text = json.loads(token)
        text.encode()
    except ValueError:  # cut, or with halves of surrogate pairs in it
        return None
    return str(text)
