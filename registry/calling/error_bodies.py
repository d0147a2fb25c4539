"""Reads error bodies by the paths that their service declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from registry.catalog.service import ErrorBody

_LONGEST_PERMISSION, _LONGEST_SENTENCE = 100, 2_000
_WORDS = ("message", "detail", "title", "description")
# Usual forms of services without a declaration, and of proxies; the second is RFC 9457.
_GENERAL = (
    ErrorBody(cause=("error.message", "message", "error", "error_description")),
    ErrorBody(cause=("detail", "title"), type=("type",)),
)


def error_in(content: Any, shapes: Sequence[ErrorBody]) -> dict[str, Any]:
    """The contents of an error body as fields of a failure; missing ones are left out.

    Args:
        content: the body as JSON values; None if it is not JSON.
        shapes: the forms that the service declares. The first that has a cause is used; then common property names are tried.
    """
    if not isinstance(content, dict):
        return {}
    for shape in (*shapes, *_GENERAL):
        if (cause := _first(content, shape.cause)) is not None:
            return {
                "cause": cause,
                "type": _first(content, shape.type),
                "code": _first(content, shape.code),
                "parameter": _first(content, shape.parameter),
                "documentation": _link(_first(content, shape.documentation)),
                "permission": _permission(content, shape),
                "details": tuple(text for text in _details(content, shape.details) if text != cause),
            }
    # Without a cause, type and code are still worth showing.
    fields = {"type": [one.type for one in shapes], "code": [one.code for one in shapes]}
    return {name: next((text for one in paths if (text := _first(content, one))), None) for name, paths in fields.items()}


def values_at(content: Any, path: str) -> Iterator[Any]:
    """The values at a path: dotted names, ``[]`` for every item of a list, ``*`` for the first property of an object."""
    found = [content]
    for step in path.split("."):
        following: list[Any] = []
        for one in found:
            if step == "[]":
                following += one if isinstance(one, list) else ()
            elif step == "*":
                following += list(one.values())[:1] if isinstance(one, dict) else ()
            elif isinstance(one, dict) and step in one:
                following.append(one[step])
        found = following
    yield from found


def _first(content: Any, paths: Sequence[str]) -> str | None:
    for path in paths:
        found = [text for value in values_at(content, path) if (text := _text(value)) is not None]
        if len(found) == 1:
            return found[0]
    return None


def _details(content: Any, paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        for value in values_at(content, path):
            text = _item_text(value) if isinstance(value, dict) else _text(value)
            if text:
                yield text


def _item_text(item: dict[str, Any]) -> str:
    """An object in a list of details: its message, and the lists inside it with their names."""
    parts = [next((text for name in _WORDS if (text := _text(item.get(name)))), "")]
    for value in item.values():
        if isinstance(value, dict):
            parts += [f"{name}: {', '.join(map(str, values))}" for name, values in value.items() if isinstance(values, list)]
    return " · ".join(part for part in parts if part)


def _text(value: Any) -> str | None:
    if isinstance(value, str | int) and not isinstance(value, bool):
        # Lone surrogates, which no database, file or address can hold, become escapes again, as they were received.
        return str(value).encode("utf-8", "backslashreplace").decode() or None
    return None


def _permission(content: Any, shape: ErrorBody) -> str | None:
    """The missing permission; if one of several is enough, the first."""
    texts = [text for path in shape.permission for value in values_at(content, path) if (text := _text(value)) is not None]
    if shape.permission_pattern is None:
        return texts[0][:_LONGEST_PERMISSION] if texts else None
    found = (re.search(shape.permission_pattern, text[:_LONGEST_SENTENCE]) for text in texts)
    return next((match.group(1)[:_LONGEST_PERMISSION] for match in found if match is not None), None)


def _link(text: str | None) -> str | None:
    try:
        return text if text is not None and urlsplit(text).scheme == "https" else None
    except ValueError:
        return None
