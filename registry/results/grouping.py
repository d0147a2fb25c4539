"""The rows of a list in groups, to draw them as bars: counted, and their amounts added up, by time or by another column.

Amounts of different currencies are never added: each currency has its own groups. Days, weeks (from Monday) and months are
those of UTC, as in a table's filter. Every group has the filter that shows its rows.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Literal

from msgspec import Struct

from registry.results.cells import cell, number
from registry.results.column import CellReader, Column, Value
from registry.results.table import EVERY, Check, go_on
from registry.text.readings import money, places

Unit = Literal["hour", "day", "week", "month", "year"]

# The unit of a list whose times are at most so many days apart.
_UNITS: tuple[tuple[int, Unit], ...] = ((2, "hour"), (14, "day"), (120, "week"), (1_827, "month"))
_MOST, _MOST_PICTURES = 100, 8
_BARE = re.compile(r"[\w.@-]+")


class Picture(Struct, frozen=True):
    """What bars show: the column that makes the groups, and that of the amounts to add up; None to count rows."""

    by: Column
    amount: Column | None = None


class Bar(Struct, frozen=True):
    """A group of rows: its label, how many they are, their sum in the currency's whole units, and the filter that shows them.

    `filter` is empty for what is left of more than a hundred groups.
    """

    label: str
    rows: int
    filter: str
    total: Decimal = Decimal(0)


class Bars(Struct, frozen=True):
    """The groups of one currency, or of all rows (without a currency); `rows` and `total` are those of all its groups."""

    currency: str
    bars: tuple[Bar, ...]
    rows: int
    total: Decimal
    filter: str = ""

    def words(self, of: Bar | Bars) -> str:
        """The sum, or the number of rows, of a group or of all groups."""
        return in_words(of.total, self.currency) if self.currency else f"{of.rows:,}"

    def size(self, of: Bar) -> Decimal:
        """How long a group's bar is."""
        return of.total if self.currency else Decimal(of.rows)


class Grouping(Struct, frozen=True):
    """A list in groups, one part for each currency, most rows first; `without` rows have no amount. `unit` is that of times."""

    picture: Picture
    parts: tuple[Bars, ...]
    unit: Unit | None = None
    without: int = 0


def in_words(total: Decimal, currency: str) -> str:
    """A sum in whole units of its currency: ``1,240.00 USD``."""
    return money(int(total.scaleb(places(currency))), currency)


def pictures(shown: Sequence[Column], every: Sequence[Column], sample: Sequence[bytes]) -> list[Picture]:
    """What can be drawn of a list, the most telling first: amounts by time, their number, then by state and by name.

    Columns whose values are all different make no groups, and neither do those whose values are all the same.
    """
    times = [one for one in shown if one.kind == "time"] or [one for one in every if one.kind == "time"][:1]
    others = [one for one in shown if one.kind in ("text", "whole", "word") and one.path != ("id",)]
    cells = list(zip(*map(CellReader(others).cells, sample), strict=True)) if others and sample else []
    repeated = [one for one, column in zip(others, cells, strict=False) if 1 < len(set(column)) < len(sample)]
    by = [*times[:2], *sorted(repeated, key=lambda one: not one.is_state)]
    amounts = [one for one in shown if one.kind == "money"][:1]
    return [Picture(one, amount) for one in by for amount in (*amounts, None)][:_MOST_PICTURES]


def grouped(items: Sequence[bytes], rows: Iterable[int], picture: Picture, check: Check = go_on) -> Grouping:
    """These rows of a list in groups."""
    by, amount = picture.by, picture.amount
    reader = CellReader([by] if amount is None else [by, amount])
    found: dict[str, list[tuple[Value, Decimal]]] = defaultdict(list)
    without = 0
    for done, row in enumerate(rows):
        if done % EVERY == 0:
            check(done)
        value, *amounts = reader.values(items[row])
        if not amounts:
            found[""].append((value, Decimal(0)))
        elif amounts[0][2] and cell(*amounts[0]).kind == "money" and (counts_as := number(*amounts[0])) is not None:
            found[amounts[0][2]].append((value, counts_as))
        else:
            without += 1
    unit = (
        _unit([at for of in found.values() for value, _ in of if (at := _at(value)) is not None]) if by.kind == "time" else None
    )
    in_order = sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))
    several = len(found) > 1 and amount is not None
    parts = []
    for currency, of in in_order:
        condition = f"{_title(amount.currency_paths[0])}={currency}" if several and amount is not None else ""
        bars = _by_time(of, by, unit, condition) if unit else _by_value(of, by, condition)
        parts.append(Bars(currency, tuple(bars), len(of), sum((value for _, value in of), Decimal(0)), condition))
    return Grouping(picture, tuple(parts), unit, without)


def _by_time(of: Sequence[tuple[Value, Decimal]], by: Column, unit: Unit, condition: str) -> list[Bar]:
    """A bar for each period from the first to the last, also for those without rows; then one for rows without a time."""
    rows: Counter[datetime | None] = Counter()
    totals: defaultdict[datetime | None, Decimal] = defaultdict(Decimal)
    for value, amount in of:
        at = _at(value)
        start = period(at, unit) if at is not None else None
        rows[start] += 1
        totals[start] += amount
    starts = [one for one in rows if one is not None]
    bars = []
    if starts:
        start, last = min(starts), max(starts)
        one_year = start.year == last.year
        while start <= last:
            end = following(start, unit)
            words = f"{by.title}>={_moment(start, unit)} {by.title}<{_moment(end, unit)} {condition}".strip()
            bars.append(Bar(period_words(start, unit, with_year=not one_year), rows[start], words, totals[start]))
            start = end
    if rows[None]:
        bars.append(Bar("not set", rows[None], f'{by.title}="" {condition}'.strip(), totals[None]))
    return bars


def _by_value(of: Sequence[tuple[Value, Decimal]], by: Column, condition: str) -> list[Bar]:
    """A bar for each value, the largest first; what is left of very many together."""
    rows: Counter[str] = Counter()
    totals: defaultdict[str, Decimal] = defaultdict(Decimal)
    for value, amount in of:
        shown = cell(*value)
        label = "" if shown.kind == "nothing" else shown.text
        rows[label] += 1
        totals[label] += amount
    labels = sorted(rows, key=lambda one: (-abs(totals[one]), -rows[one], one))
    bars = [Bar(one or "not set", rows[one], f"{by.title}={_quoted(one)} {condition}".strip(), totals[one]) for one in labels]
    rest = bars[_MOST:]
    if rest:
        left = Bar(f"{len(rest):,} others", sum(one.rows for one in rest), "", sum((one.total for one in rest), Decimal(0)))
        return [*bars[:_MOST], left]
    return bars


def _at(value: Value) -> datetime | None:
    seconds = number(*value) if cell(*value).kind == "time" else None
    return datetime.fromtimestamp(float(seconds), UTC) if seconds is not None else None


def _unit(times: Sequence[datetime]) -> Unit:
    return unit_for(max(times) - min(times)) if times else "day"


def unit_for(span: timedelta) -> Unit:
    """The unit in which so long a time has a readable number of bars."""
    return next((unit for days, unit in _UNITS if span <= timedelta(days=days)), "year")


def period(at: datetime, unit: Unit) -> datetime:
    """The start of the hour, day, week, month or year of a moment, in its zone."""
    if unit == "hour":
        return at.replace(minute=0, second=0, microsecond=0)
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day if unit == "day" else day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def following(start: datetime, unit: Unit) -> datetime:
    """The start of the next period."""
    steps: dict[Unit, Callable[[], datetime]] = {
        "hour": lambda: start + timedelta(hours=1),
        "day": lambda: start + timedelta(days=1),
        "week": lambda: start + timedelta(days=7),
        "month": lambda: (start + timedelta(days=32)).replace(day=1),
        "year": lambda: start.replace(year=start.year + 1),
    }
    return steps[unit]()


def period_words(start: datetime, unit: Unit, *, with_year: bool) -> str:
    """A period in words: ``16 Nov 14:00``, ``16 Nov``, ``Nov 2026``, ``2026``; a week is called by its Monday."""
    if unit == "year":
        return f"{start.year}"
    if unit == "month":
        return f"{start:%b %Y}"
    day = f"{start.day} {start:%b}" + (f" {start.year}" if with_year else "")
    return f"{day} {start:%H:%M}" if unit == "hour" else day


def _moment(at: datetime, unit: Unit) -> str:
    return f"{at:%Y-%m-%dT%H:%M}" if unit == "hour" else f"{at:%Y-%m-%d}"


def _title(path: Sequence[str]) -> str:
    return Column(tuple(path), "text").title


def _quoted(text: str) -> str:
    if _BARE.fullmatch(text) and text not in ("AND", "OR"):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
