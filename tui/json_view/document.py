"""One JSON result as the view needs it: its rows, what is folded, paths, and the texts to copy."""

import json
import re
from collections.abc import Sequence
from itertools import islice
from typing import Literal

from registry.calling.receiving import MASKED
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
