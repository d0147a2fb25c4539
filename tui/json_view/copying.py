"""The texts to copy of the row at the cursor: exact, with control characters escaped."""

import json
from typing import Literal

from registry.calling.sensitive import MASKED
from registry.results.formats import line
from registry.text.safe_text import exact_json, exact_text
from tui.json_view.document import Document, Step, spelled

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
            return exact_text(_query(path))
        case "json":
            return exact_json(_text(document, row))
        case "csv":
            return _as_csv(document, row)


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


def _query(path: list[Step]) -> str:
    """The path in JMESPath: names that are not identifiers in quotes, indexes in brackets."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        else:
            name = step[1:-1] if step[1:-1].isidentifier() and step.isascii() else step
            parts.append(f".{name}" if parts else name)
    return "".join(parts) or "@"


def _as_csv(document: Document, row: int) -> str:
    """The properties or items directly inside, or a scalar itself, as one CSV row. Formula injection is escaped."""
    rows = document.rows
    inside = rows.inside(row) if document.opens(row) else (row,)
    return line((_plain(_text(document, one)) for one in inside), end="")
