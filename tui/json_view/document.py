"""One JSON result as the view needs it: its rows, what is folded, paths, the texts to copy, and what rows lead to.

For that only the direct properties of the branches around a row are read, and of very large branches the first few hundred,
so that the cost does not grow with the size of the result.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Literal
from weakref import proxy

from registry.calling.receiving import MASKED
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
from registry.results.formats import line
from registry.text.shown import exact_json, exact_text
from tui.json_view.rows import CLOSES, OPENS, Folds, JsonRow, JsonRows

_PLAIN_NAME = re.compile(r'"[A-Za-z_][A-Za-z0-9_]*"')
_PREVIEWED, _FEW = 12, 200

Step = str | int


class Document:
    """A document on screen: its rows, and those that are visible."""

    def __init__(self, body: bytes) -> None:
        """Make it of a JSON text.

        Raises:
            NotJson: the text is not JSON; the message says where.
        """
        self.rows = JsonRows(body)
        self.folds = Folds(self.rows)

    def opens(self, row: int) -> bool:
        """Whether a row opens an object or a list with something in it."""
        return self.rows.kind(row) == OPENS

    def closes(self, row: int) -> bool:
        """Whether a row closes an object or a list."""
        return self.rows.kind(row) == CLOSES

    def preview(self, row: int) -> list[JsonRow]:
        """The first scalars directly inside a branch."""
        return [self.rows.row(one, 200) for one in islice(self.rows.inside(row), _PREVIEWED) if not self.rows.kind(one)]

    def own_id(self, row: int) -> str:
        """The id of the object that a row opens; empty if there is none among its first properties."""
        return next((one.value[1:-1] for one in self.preview(row) if one.key == '"id"'), "")

    @property
    def is_page(self) -> bool:
        """Whether most of the document is one list directly inside the root: a page of items."""
        rows = self.rows
        lists = (row for row in islice(rows.inside(0), _FEW) if self.opens(row) and rows.row(row, 1).value == "[")
        return self.opens(0) and any(2 * (rows.closer(row) - row) > len(rows) for row in lists)

    def beside(self, row: int, name: str) -> str | None:
        """The text of a property of the same object as a row; None if it is not among the first ones."""
        above = self.rows.parent(row)
        beside = islice(self.rows.inside(above), _FEW) if above is not None else ()
        found = (self.rows.row(one, 8) for one in beside)
        return next((one.value.strip('"') for one in found if one.key == f'"{name}"'), None)

    def shown_path(self, row: int) -> str:
        """The path to a row as most languages write it."""
        return spelled(self.path(row)) or "(root)"

    def row_at(self, path: Sequence[Step]) -> int | None:
        """The row at a path; None when there is no such row. Of duplicate properties the last one counts."""
        rows, row = self.rows, 0
        for step in path:
            places = rows.inside(row) if rows.kind(row) == OPENS else iter(())
            if isinstance(step, int):
                found = [place for place in islice(places, step, step + 1) if rows.row(place, 0).key is None]
            else:
                found = [place for place in places if _same_name(rows.row(place, 0).key, step)][-1:]
            if not found:
                return None
            row = found[0]
        return row

    def path(self, row: int) -> list[Step]:
        """Property names, as in the text with their quotes, and indexes, from the root value to a row."""
        row = self.rows.opener(row)
        steps: list[Step] = []
        above = self.rows.parent(row)
        while above is not None:
            key = self.rows.row(row, 0).key
            steps.append(key if key is not None else self.rows.place(row))
            row, above = above, self.rows.parent(above)
        return steps[::-1]


def _same_name(key: str | None, name: str) -> bool:
    """Whether two names are the same, though one may be written with escapes."""
    if key is None or "\\" not in key + name:
        return key == name
    try:
        return bool(json.loads(key) == json.loads(name))
    except ValueError:
        return False


def spelled(path: list[Step], *, as_query: bool = False) -> str:
    """A path as most languages write it: ``data[0].id``, names that are not identifiers in brackets; in JMESPath in quotes."""
    parts: list[str] = []
    for step in path:
        is_plain = isinstance(step, str) and _PLAIN_NAME.fullmatch(step) is not None
        if isinstance(step, str) and (is_plain or as_query):
            name = step[1:-1] if is_plain else step
            parts.append(f".{name}" if parts else name)
        else:
            parts.append(f"[{step}]")
    return "".join(parts)


What = Literal["value", "path", "query", "json", "csv"]

WHAT: dict[What, str] = {
    "value": "the value",
    "path": "the path",
    "query": "the JMESPath query",
    "json": "JSON",
    "csv": "a CSV row",
}


def copied(document: Document, row: int, what: What) -> str:
    """The text to copy. Control characters are escaped, so that pasting into a terminal runs nothing."""
    rows = document.rows
    row = rows.opener(row)
    path = document.path(row)
    match what:
        case "value":
            return _plain(_text(document, row))
        case "path":
            return exact_text(spelled(path))
        case "query":
            return exact_text(spelled(path, as_query=True) or "@")
        case "json":
            return exact_json(_text(document, row))
        case "csv":
            # The properties or items directly inside, or a scalar itself. Formula injection is escaped.
            inside = rows.inside(row) if document.opens(row) else (row,)
            return line((_plain(_text(document, one)) for one in inside), end="")


def offered(document: Document, row: int, *, masked: bool) -> dict[str, tuple[str, str]]:
    """What can be copied of a row: a title and the text for each. Run it in a thread: a large branch takes time."""
    hidden = ("value", "json", "csv") if masked else ()
    return {what: (title, MASKED if what in hidden else copied(document, row, what)) for what, title in WHAT.items()}


def _text(document: Document, row: int) -> str:
    return document.rows.value(row).decode("utf-8", errors="surrogateescape")


def _plain(text: str) -> str:
    """A string without its quotes; anything else as JSON."""
    if not text.startswith('"'):
        return exact_json(text)
    try:
        return exact_text(json.loads(text))
    except ValueError:
        return exact_text(text[1:-1])


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
