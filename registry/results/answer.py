"""The sentence that answers a question, from a template and what a call has returned.

``[count]`` is how many there are, with their noun; ``[sum amount]`` the sum of a property, by currency; ``[first created]`` a
property of the first one; ``[names user.summary]`` the different values of a property. What is not the whole list says so.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.results.headline import headline_of, nouns, objects_in
from registry.results.names import Names
from registry.text.readings import counted, is_amount, moment, money
from registry.text.safe_text import visible_line

_SLOT = re.compile(r"\[(?P<what>count|sum|first|names)(?: (?P<path>[\w.]+))?\]")
_MOST_NAMES = 5


def answer_of(template: str, title: str, tool: Tool, raw: Mapping[str, object], result: Result) -> str:
    """The sentence; without a template the call's title with how many there are and their sums. Empty if there are none."""
    items = [item for text in objects_in(result) if isinstance(item := json.loads(text), dict)]
    if not items:
        return ""
    page = result.page
    rest = f" · first {len(items)}" if page is not None and (page.has_more or page.next is not None) else ""
    if not template:
        count, totals = counted(len(items), *nouns(tool)), headline_of(tool, raw, result, Names()).totals
        return visible_line(f"{title}: {' · '.join(filter(None, (count, totals)))}{rest}")
    return visible_line(_SLOT.sub(lambda slot: _words(slot, tool, items), template)) + rest


def _words(slot: re.Match[str], tool: Tool, items: Sequence[dict[str, Any]]) -> str:
    what, path = slot["what"], (slot["path"] or "").split(".")
    if what == "count":
        return counted(len(items), *nouns(tool))
    if what == "first":
        return next((_said(path[-1], value, around) for value, around in _values(items[0], path)), "")
    found = [(value, around) for item in items for value, around in _values(item, path)]
    if what == "names":
        names = [*dict.fromkeys(str(value) for value, _ in found if value)]
        return ", ".join(names[:_MOST_NAMES]) + (f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else "")
    sums: Counter[str] = Counter()
    for value, around in found:
        if type(value) is int and isinstance(currency := around.get("currency"), str):
            sums[currency.lower()] += value
    return " + ".join(money(amount, currency) for currency, amount in sorted(sums.items()))


def _values(holder: Any, path: Sequence[str]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The values at a path, through lists, each with the object that it is a property of."""
    if isinstance(holder, list):
        for one in holder:
            yield from _values(one, path)
    elif isinstance(holder, dict) and path[0] in holder:
        if len(path) == 1:
            yield holder[path[0]], holder
        else:
            yield from _values(holder[path[0]], path[1:])


def _said(name: str, value: Any, around: Mapping[str, Any]) -> str:
    """A value as people read it: an amount of money, a day, or itself."""
    key, text = json.dumps(name), json.dumps(value)
    if (at := moment(key, text)) is not None:
        return f"{at.day} {at:%b %Y}"
    currency = around.get("currency")
    return money(value, currency) if isinstance(currency, str) and is_amount(key, text) else str(value)
