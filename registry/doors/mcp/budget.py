"""Results and schemas within a budget of tokens: a cut is reported, and the rest is kept under a cursor.

Lists are cut between items; anything else that is too long is returned as parts of its JSON text. A token is counted as
three bytes of JSON, which is more tokens than any of the usual tokenizers needs.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from registry.accounts.connection import Connection
from registry.catalog.model import Tool
from registry.catalog.schema import json_schema
from registry.text.shown import visible

BYTES_PER_TOKEN = 3
MOST_DESCRIBED = 5
"""The most tools whose schemas are returned at once."""

_KEPT = ("type", "properties", "required", "enum", "items", "minimum", "maximum", "minItems", "maxItems", "description")


class Rest(NamedTuple):
    """The rest of a result: a value's remaining JSON text, then the remaining items of a list, then the call of its next page.

    `head` is at the start of every part: where the result is from. `call` has the tool, its arguments and the account.
    """

    head: Mapping[str, object]
    items: Sequence[Any] = ()
    text: str = ""
    call: tuple[Tool, Mapping[str, object], Connection] | None = None


Part = tuple[dict[str, object], Rest | None]
"""``data``, ``items`` or ``part_of_json``, with ``cut`` if something is missing; and the rest, None if nothing is left."""


def first_part(data: Any, items: Sequence[Any] | None, rest: Rest, tokens: int) -> Part:
    """As much of a result, with its items if it is a list, as fits the budget; `rest` is what follows it."""
    most = max(tokens, 1) * BYTES_PER_TOKEN
    if _size(data) <= most:
        return {"data": data}, (rest if rest.call is not None else None)
    if items and _size(items[0]) <= most:
        return next_part(rest._replace(items=items), tokens)
    return next_part(rest._replace(text=_text(data)), tokens)


def next_part(rest: Rest, tokens: int) -> Part:
    """As much of a rest as fits the budget: whole items, or the beginning of one that is too long, as text."""
    most, size, count = max(tokens, 1) * BYTES_PER_TOKEN, 0, 0
    text, items = rest.text, rest.items
    while not text and count < len(items) and (size := size + _size(items[count]) + 1) <= most:
        count += 1
    shown: dict[str, object]
    if count:
        shown, text, items = {"items": list(items[:count])}, "", items[count:]
    else:
        if not text:
            text, items = _text(items[0]), items[1:]
        part = text.encode()[:most].decode(errors="ignore")
        shown, text = {"part_of_json": part}, text[len(part) :]
    if text:
        shown["cut"] = f"{len(text)} more characters of its JSON exceed the budget; next_page returns them."
    elif items:
        shown["cut"] = f"{len(items)} more items exceed the budget; next_page returns them."
    after = rest._replace(items=items, text=text)
    return shown, (after if text or items or rest.call is not None else None)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def safe(value: Any) -> Any:
    """A JSON value with control characters and invisible characters in its texts escaped."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(str(name)): safe(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [safe(one) for one in value]
    return value


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace"))


def slim_schema(tool: Tool, longest: int | None = None) -> dict[str, Any]:
    """A tool's schema, reduced to the keywords that every MCP host supports; with a limit, descriptions are one sentence."""
    slim = {key: value for key, value in _slim(json_schema(tool), longest).items() if key != "description"}
    return slim | {"additionalProperties": False}


def _slim(schema: dict[str, Any], longest: int | None) -> dict[str, Any]:
    kept = {key: value for key, value in schema.items() if key in _KEPT}
    if "anyOf" in schema:  # the first accepted form; an error names the others
        kept = _slim(schema["anyOf"][0], longest) | kept
    if longest is not None and isinstance(text := kept.get("description"), str):
        kept["description"] = text.partition(". ")[0][:longest]
    if "properties" in kept:
        kept["properties"] = {name: _slim(one, longest) for name, one in kept["properties"].items()}
    if isinstance(kept.get("items"), dict):
        kept["items"] = _slim(kept["items"], longest)
    return {key: value for key, value in kept.items() if value not in ([], {}) or key == "properties"}
