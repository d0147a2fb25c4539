"""An example query that works on the given document: its list, and a property of the list's items."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from registry.catalog.properties import every_property, in_order
from registry.results.jmespath_query.json_values import RedactedText

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHORT = re.compile(r"[A-Za-z0-9_-]{1,20}")
_AMOUNTS = ("amount", "total", "count", "quantity")
_STATES = ("status", "state", "type", "role", "name")
_LOOKED_AT = 20


def example(value: Any) -> str:
    """A filter on the items of a document's list, or a property of an object; empty if neither is useful.

    Args:
        value: the document, as read by `JsonSource`.
    """
    if isinstance(value, list):
        return _filter("", value)
    if not isinstance(value, dict):
        return ""
    lists = [(name, one) for name, one in value.items() if _PLAIN.fullmatch(name) and isinstance(one, list)]
    found = next((query for name, one in lists if (query := _filter(name, one))), "")
    return found or next((name for name in value if _PLAIN.fullmatch(name)), "")


def _filter(path: str, items: list[Any]) -> str:
    """A filter for items with a property above the lowest value, or equal to the first item's value."""
    objects = [item for item in items[:_LOOKED_AT] if isinstance(item, dict)]
    for name in in_order(every_property().sentence.amounts, _AMOUNTS):
        numbers = list(_whole(item.get(name) for item in objects))
        if len(numbers) > 1:
            return f"{path}[?{name} > `{min(numbers)}`]"
    for name in _STATES:
        for item in objects[:1]:
            text = item.get(name)
            if isinstance(text, str) and not isinstance(text, RedactedText) and _SHORT.fullmatch(text):
                return f"{path}[?{name} == '{text}']"
    return f"{path}[].id" if objects and "id" in objects[0] else ""


def _whole(values: Iterable[Any]) -> Iterable[int]:
    return (one for one in values if isinstance(one, int) and not isinstance(one, bool | Decimal))
