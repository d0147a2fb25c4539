"""Results as lines to read one at a time: a sentence first, then numbered items or fields by name."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from registry.accounts.policy import NotAllowed
from registry.accounts.secrets import MASK
from registry.calling.arguments import ArgumentError
from registry.calling.result import Failure, Result
from registry.calling.sensitive import is_sensitive, mask
from registry.json_text.reading import NotJson, read_json
from registry.results.column import CellReader
from registry.results.columns import columns_in, sample
from registry.results.declared import Texts
from registry.text.readings import reading
from registry.text.safe_text import shortened, visible_line

_LONGEST = 300
_DEEPEST = 6


def failure_lines(failure: Failure) -> list[str]:
    """Why there is no result, and what to do next."""
    kind = "" if failure.kind == "refused" else "Error: "
    parts = [f"{kind}{failure.title}.", failure.cause, *failure.details, f"What to do: {failure.next_step}"]
    return [visible_line(part) for part in parts if part.strip()]


def error_lines(error: Exception) -> list[str]:
    """Why something that was typed cannot be done."""
    wrongs: Sequence[object] = error.errors if isinstance(error, ArgumentError) else [error]
    if isinstance(error, NotAllowed):
        wrongs = [f"not sent. {error.decision.reason} {error.decision.way_out}"]
    return [f"Error: {str(one).rstrip('.')}." for one in wrongs]


def items_of(result: Result) -> list[bytes] | None:
    """The items of a result that is a list; None for one object."""
    try:
        listing = result.listing if result.body else None
    except NotJson:
        return None
    return [bytes(item) for item in listing.items] if listing is not None else None


def item_lines(items: Sequence[bytes], declared: Mapping[str, Texts] | None = None) -> list[str]:
    """One line per item of a list: the columns that its table would show, each with its name; empty ones left out."""
    columns = columns_in(sample(items), declared).first if items else ()
    reader = CellReader(columns)
    cells = (zip(columns, reader.cells(item), strict=True) for item in items)
    told = (
        ", ".join(f"{column.title.replace('_', ' ')} {cell.text}" for column, cell in row if cell.kind != "nothing")
        for row in cells
    )
    return [shortened(visible_line(line) or "empty", _LONGEST) for line in told]


def field_lines(text: bytes, now: float) -> list[str]:
    """An object in JSON as lines ``name: value``, nested properties with their path; secrets are redacted."""
    try:
        value = read_json(mask(text)[0])
    except NotJson as error:
        return [visible_line(f"The response cannot be read: {error}")]
    own = [name for name, one in value.items() if not isinstance(one, dict | list)] if isinstance(value, dict) else []
    # The object's own values come before nested ones.
    fields = sorted(_fields("", value, value, now), key=lambda one: one[0] not in own)
    empty = [name for name, words in fields if not words]
    lines = [f"{name}: {words}" for name, words in fields if words]
    lines += [f"Not set: {', '.join(empty)}"] if empty else []
    return [shortened(visible_line(line), _LONGEST) for line in lines]


def _fields(path: str, value: Any, around: Any, now: float, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Names with their values in words; the words are empty for values that are not set."""
    name = path or "value"
    if isinstance(value, dict) and value and depth < _DEEPEST:
        for key, one in value.items():
            yield from _fields(f"{path}.{key}" if path else str(key), one, value, now, depth + 1)
    elif isinstance(value, dict):
        yield name, f"an object with {len(value)} fields" if value else ""
    elif isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        yield name, f"a list of {len(value)}"
        for number, one in enumerate(value if depth < _DEEPEST else (), 1):
            yield from _fields(f"{name} {number}", one, around, now, depth + 1)
    elif isinstance(value, list):
        yield name, ", ".join(map(_said, value))
    else:
        yield name, f"{_said(value)}{_meaning(path, value, around, now)}" if value not in (None, "") else ""


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value is None else str(value)


def _meaning(path: str, value: Any, around: Any, now: float) -> str:
    """The meaning of a number or text, such as an amount or a time, if the value alone does not show it."""
    if value is None or isinstance(value, bool):
        return ""
    key, text = json.dumps(path.rpartition(".")[2]), json.dumps(value, ensure_ascii=False, default=str)
    if is_sensitive(key, text) or text == f'"{MASK}"':
        return ""
    words = reading(key, text, (around if isinstance(around, dict) else {}).get, now)
    return f", {words}" if words else ""
