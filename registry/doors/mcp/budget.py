"""Results and schemas within a budget of tokens: a cut is reported, and the rest is kept under a cursor.

Lists are cut between items; anything else that is too long is returned as parts of its JSON text. A token is counted as
three bytes of JSON, which is more tokens than any of the usual tokenizers needs.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from registry.accounts.connection import Connection
from registry.catalog.model import Tool
from registry.catalog.schema import json_schema
from registry.text.safe_text import visible

BYTES_PER_TOKEN = 3
MOST_DESCRIBED = 5
"""The most tools whose schemas are returned at once."""

_KEPT = ("type", "properties", "required", "enum", "items", "minimum", "maximum", "minItems", "maxItems", "description")
_MOST_CURSORS = 64


@dataclass(frozen=True, slots=True)
class Call:
    """The call that returns the next page of a list."""

    tool: Tool
    arguments: Mapping[str, object]
    connection: Connection


@dataclass(frozen=True, slots=True)
class Rest:
    """The rest of a result that was cut.

    Attributes:
        items: remaining items of a list that was fetched.
        text: the remaining JSON text of a value that is too long.
        call: returns the next page.
        head: the values at the start of every part: where the result is from.
    """

    head: Mapping[str, object]
    items: tuple[Any, ...] = ()
    text: str = ""
    call: Call | None = None


class Cursors:
    """The rests of the last results, by random names; the oldest are dropped first."""

    def __init__(self) -> None:
        self._kept: dict[str, Rest] = {}

    def keep(self, rest: Rest) -> str:
        """Keep a rest; returns its cursor."""
        name = secrets.token_urlsafe(12)
        self._kept[name] = rest
        if len(self._kept) > _MOST_CURSORS:
            del self._kept[next(iter(self._kept))]
        return name

    def get(self, name: str) -> Rest | None:
        """The rest for a cursor; None if there is none, or not any more."""
        return self._kept.get(name)


def fitted(data: Any, items: list[Any] | None, rest: Rest, tokens: int) -> tuple[dict[str, object], Rest | None]:
    """As much of a result as fits the budget, and the rest.

    Args:
        data: the result.
        items: its items, if it is a list.
        rest: what follows it; its `call` and `head` are kept.
        tokens: the budget.

    Returns:
        ``data`` or ``items`` or ``part_of_json``, with ``cut`` if something is missing; and the rest, None if there is
        no rest.
    """
    most = max(tokens, 1) * BYTES_PER_TOKEN
    if _size(data) <= most:
        return {"data": data}, (rest if rest.call is not None else None)
    if items and _size(items[0]) <= most:
        return fitted_items(items, rest, tokens)
    return fitted_text(json.dumps(data, ensure_ascii=False, indent=1), rest, tokens)


def fitted_items(items: list[Any] | tuple[Any, ...], rest: Rest, tokens: int) -> tuple[dict[str, object], Rest | None]:
    """As many items as fit the budget."""
    most, size, count = max(tokens, 1) * BYTES_PER_TOKEN, 0, 0
    for item in items:
        size += _size(item) + 1
        if size > most:
            break
        count += 1
    if count == 0:
        part, text = fitted_text(json.dumps(items[0], ensure_ascii=False, indent=1), rest, tokens)
        part["cut"] = f"This item exceeds the budget; only its beginning is given, as text. {len(items) - 1} more items follow."
        return part, (replace(rest, items=tuple(items[1:]), text=text.text if text is not None else ""))
    left = len(items) - count
    shown: dict[str, object] = {"items": list(items[:count])}
    if left:
        shown["cut"] = f"{left} of {len(items)} items exceed the budget; next_page returns them."
        return shown, replace(rest, items=tuple(items[count:]), text="")
    return shown, (replace(rest, items=(), text="") if rest.call is not None else None)


def fitted_text(text: str, rest: Rest, tokens: int) -> tuple[dict[str, object], Rest | None]:
    """As much of a JSON text as fits the budget."""
    most = max(tokens, 1) * BYTES_PER_TOKEN
    part = text.encode()[:most].decode(errors="ignore")
    left = text[len(part) :]
    shown: dict[str, object] = {"part_of_json": part}
    if left:
        shown["cut"] = f"{len(left)} more characters of its JSON exceed the budget; next_page returns them."
    elif rest.items:
        shown["cut"] = f"{len(rest.items)} more items exceed the budget; next_page returns them."
    after = replace(rest, text=left)
    return shown, (after if left or after.items or after.call is not None else None)


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
    schema = _slim(json_schema(tool), longest)
    schema.pop("description", None)
    return schema


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
