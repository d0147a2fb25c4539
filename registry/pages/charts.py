"""Small charts of a page's sections, as text: amounts or counts by time, or how long each object took.

They repeat what the rows say, so they may be left out where there is no room. Currencies are drawn one by one.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Any

from registry.pages.definition import ChartDefinition, SectionDefinition
from registry.pages.page import ObjectPage, spark
from registry.results.grouping import following, period, period_words
from registry.results.templates import Context, at_path, currency_along, holds, seconds, value_at
from registry.text.shown import lasted, money, visible_line

_FEWEST, _BARS, _CURRENCIES = 3, 12, 2


def charts_of(items: Sequence[Mapping[str, Any]], section: SectionDefinition, page: ObjectPage) -> tuple[str, ...]:
    """The charts of a section, each a line of text; none of fewer than three values."""
    lines = list[str]()
    for chart in section.charts:
        kept = [item for item in items if holds(chart.where, item, page.now)]
        lines += _lengths(kept, chart, section.time, page) if ".." in chart.of else _by_time(kept, chart, section.time, page)
    return tuple(map(visible_line, lines))


def _by_time(items: Sequence[Mapping[str, Any]], chart: ChartDefinition, time: str, page: ObjectPage) -> list[str]:
    found: defaultdict[str, Counter[datetime]] = defaultdict(Counter)
    for item in items:
        at, amount = seconds(at_path(item, time)), at_path(item, chart.of) if chart.of else 1
        currency = currency_along(item, chart.of) if chart.of else ""
        if at is not None and type(amount) is int and (currency or not chart.of):
            found[currency][period(datetime.fromtimestamp(at, page.zone), chart.unit)] += amount
    lines = []
    for currency, totals in sorted(found.items(), key=lambda one: -len(one[1]))[:_CURRENCIES]:
        starts, end = [min(totals)], period(datetime.fromtimestamp(page.now, page.zone), chart.unit)
        while starts[-1] < end:
            starts.append(following(starts[-1], chart.unit))
        starts = starts[-_BARS:]
        values = [totals[one] for one in starts]
        if len(values) >= _FEWEST and len([value for value in values if value > 0]) > 1:
            most = money(max(values), currency) if currency else f"{max(values):,}"
            first, last = (period_words(one, chart.unit, with_year=False) for one in (starts[0], starts[-1]))
            first = first.removesuffix(f" {starts[-1].year}") if chart.unit == "month" else first
            lines.append(f"{chart.title} {spark(values)} {first} – {last}, at most {most}")
    return lines


def _lengths(items: Sequence[Mapping[str, Any]], chart: ChartDefinition, time: str, page: ObjectPage) -> list[str]:
    """How long each of the last objects took, the newest at the right."""
    lengths = []
    for item in sorted(items, key=lambda item: seconds(at_path(item, time)) or 0.0):
        start, end = map(seconds, value_at(chart.of, Context(item, page.object or {})))
        if start is not None and end is not None and end >= start:
            lengths.append(end - start)
    lengths = lengths[-_BARS:]
    if len(lengths) < _FEWEST:
        return []
    between = f"{lasted(min(lengths))} to {lasted(max(lengths))}, half of them within {lasted(median(lengths))}"
    return [f"{chart.title} {spark(lengths)} {between}"]
