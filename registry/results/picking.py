"""Picks values out of an item's JSON text by their paths, each as the original text.

Only the requested parts are parsed, so that one column of a million large items costs little more than reading them. An item
that is invalid, or not an object, has no properties. Of duplicate properties the last one counts.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

Path = tuple[str, ...]


class Cancelled(Exception):
    """Work on a result was cancelled: a query, a comparison, an export, a table's order or filter."""


_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_LARGEST = 2_000_000


def _read(decoder: msgspec.json.Decoder[Any], text: bytes, otherwise: Any) -> Any:
    try:
        return decoder.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return otherwise


def members(text: bytes) -> dict[str, bytes]:
    """An object's direct properties; empty if the text is invalid or not an object."""
    return {name: bytes(raw) for name, raw in _read(_OBJECT, text, {}).items()} if text.startswith(b"{") else {}


def elements(text: bytes) -> list[bytes]:
    """The items of a list; empty if the text is invalid or not a list."""
    return [bytes(raw) for raw in _read(_LIST, text, [])] if text.startswith(b"[") else []


def string(text: bytes) -> str | None:
    """The text of a JSON string; None for any other value."""
    if not text.startswith(b'"'):
        return None
    inside = text[1:-1].decode("utf-8", errors="replace")
    return str(json.loads(f'"{inside}"', strict=False)) if "\\" in inside else inside


def values_of(text: bytes) -> dict[str, Any]:
    """An object's properties as values; empty if the text is very large, invalid or not an object."""
    if len(text) > _LARGEST:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def pick(item: bytes, paths: Sequence[Path]) -> list[bytes | None]:
    """The value at each path, None if there is none. The empty path is the item itself; a number is a place in a list."""
    inside = _read(_OBJECT, item, {}) if item.startswith(b"{") else {}
    return [_at(inside, path) if path else item for path in paths]


def _at(inside: Mapping[str, msgspec.Raw], path: Path) -> bytes | None:
    first, *further = path
    value = bytes(inside[first]) if first in inside else None
    for name in further:
        if value is None:
            return None
        value = _item(value, int(name)) if value.startswith(b"[") and name.isdecimal() else members(value).get(name)
    return value


def _item(text: bytes, place: int) -> bytes | None:
    inside = elements(text)
    return inside[place] if place < len(inside) else None
