"""The sentence that answers a question, from a template and what a call has returned.

``[count]`` is how many there are, with their noun; ``[sum amount]`` the sum of a property, by currency; ``[first created]`` a
property of the first one; ``[names user.summary]`` the different values of a property. What is not the whole list says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.results.cells import quoted
from registry.results.headline import headline_of, nouns, objects_in
from registry.results.names import Names
from registry.results.picking import values_of
from registry.results.templates import sums, values_at
from registry.text.readings import counted, is_amount, moment, money
from registry.text.safe_text import visible_line

_SLOT = re.compile(r"\[(?P<what>count|sum|first|names)(?: (?P<path>[\w.]+))?\]")
_MOST_NAMES = 5


def answer_of(template: str, title: str, tool: Tool, raw: Mapping[str, object], result: Result) -> str:
    """The sentence; without a template the call's title with how many there are and their sums. Empty if there are none."""
    items = [*filter(None, map(values_of, objects_in(result)))]
    if not items:
        return ""
    page = result.page
    rest = f" · first {len(items)}" if page is not None and (page.has_more or page.next is not None) else ""
    if not template:
        count, totals = counted(len(items), *nouns(tool)), headline_of(tool, raw, result, Names()).totals
        return visible_line(f"{title}: {' · '.join(filter(None, (count, totals)))}{rest}")
    return visible_line(_SLOT.sub(lambda slot: _words(slot["what"], slot["path"] or "", tool, items), template)) + rest


def _words(what: str, path: str, tool: Tool, items: Sequence[dict[str, Any]]) -> str:
    if what == "count":
        return counted(len(items), *nouns(tool))
    if what == "sum":
        return " + ".join(money(amount, currency) for currency, amount in sums(items, path).items())
    if what == "first":
        return next((_said(path.rpartition(".")[2], *one) for one in values_at(items[0], path)), "")
    names = list(dict.fromkeys(str(value) for item in items for value, _ in values_at(item, path) if value))
    return ", ".join(names[:_MOST_NAMES]) + (f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else "")


def _said(name: str, value: Any, currency: str) -> str:
    """A value as people read it: an amount of money, a day, or itself."""
    key, text = quoted(name), json.dumps(value)
    if (at := moment(key, text)) is not None:
        return f"{at.day} {at:%b %Y}"
    return money(value, currency) if currency and is_amount(key, text) else str(value)
