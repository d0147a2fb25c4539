"""The rows of a list in groups, to draw them as bars: counted, and their amounts added up, by time or by another column.

Amounts of different currencies are never added: each currency has its own groups. Days, weeks (from Monday) and months are
those of UTC, as in a table's filter. Every group has the filter that shows its rows.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Literal, TypeVar

from msgspec import Struct

from registry.results.cells import cell, number
from registry.results.columns import CellReader, Column, Value
from registry.results.table import Check, go_on, watched
from registry.text.filter_line import quoted
from registry.text.shown import money, places

Key = TypeVar("Key", bound=Hashable)
Unit = Literal["hour", "day", "week", "month", "year"]

# The unit of a list whose times are at most so many days apart.
_UNITS: tuple[tuple[int, Unit], ...] = ((2, "hour"), (14, "day"), (120, "week"), (1_827, "month"))
_LENGTHS: dict[Unit, timedelta] = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}
_MOST, _MOST_PICTURES = 100, 8
_BARE = re.compile(r"[\w.@-]+")


class Picture(Struct, frozen=True):
    """What bars show: the column that makes the groups, and that of the amounts to add up; None to count rows."""

    by: Column
    amount: Column | None = None


class Bar(Struct, frozen=True):
    """A group of rows: its label, how many they are, their sum in whole units of the currency, and the filter that shows them.

    `share` is its length beside the longest bar of its currency; None for the heading of a currency. `filter` is empty for what
    is left of more than a hundred groups.
    """

    label: str
    rows: int
    filter: str
    currency: str = ""
    total: Decimal = Decimal(0)
    share: float | None = None

    @property
    def words(self) -> str:
        """Its number: of rows, or the sum before that: ``1,240.00 USD · 3``."""
        return f"{self.sum} · {self.rows:,}" if self.currency else f"{self.rows:,}"

    @property
    def sum(self) -> str:
        """Its sum: ``1,240.00 USD``."""
        return money(int(self.total.scaleb(places(self.currency))), self.currency)


class Grouping(Struct, frozen=True):
    """A list in groups, the currency of most rows first; `without` rows have no amount. `unit` is that of times."""

    picture: Picture
    bars: tuple[Bar, ...]
    unit: Unit | None = None
    without: int = 0


def pictures(shown: Sequence[Column], every: Sequence[Column], sample: Sequence[bytes]) -> list[Picture]:
    """What can be drawn of a list, the most telling first: amounts by time, their number, then by state and by name.

    Columns whose values are all different make no groups, and neither do those whose values are all the same; amounts that
    most rows lack say little.
    """
    times = [one for one in shown if one.kind == "time"] or [one for one in every if one.kind == "time"][:1]
    others = [one for one in shown if one.kind in ("text", "whole", "word") and one.path != ("id",)]
    cells = list(zip(*map(CellReader(others).cells, sample), strict=True)) if others and sample else []
    repeated = [one for one, column in zip(others, cells, strict=False) if 1 < len(set(column)) < len(sample)]
    by = [*times[:2], *sorted(repeated, key=lambda one: not one.is_state)]
    money_columns = [one for one in shown if one.kind == "money"]
    filled = list(map(CellReader(money_columns).cells, sample)) if money_columns else []
    amounts = [
        one for at, one in enumerate(money_columns) if 2 * sum(row[at].kind != "nothing" for row in filled) >= len(filled)
    ]
    return [Picture(one, amount) for one in by for amount in (*amounts[:1], None)][:_MOST_PICTURES]


def grouped(items: Sequence[bytes], rows: Iterable[int], picture: Picture, check: Check = go_on) -> Grouping:
    """These rows of a list in groups."""
    by, amount = picture.by, picture.amount
    reader = CellReader([by] if amount is None else [by, amount])
    found: dict[str, list[tuple[Value, Decimal]]] = defaultdict(list)
    without = 0
    for row in watched(rows, check):
        value, *amounts = reader.values(items[row])
        if not amounts:
            found[""].append((value, Decimal(0)))
        elif amounts[0][2] and cell(*amounts[0]).kind == "money" and (counts_as := number(*amounts[0])) is not None:
            found[amounts[0][2]].append((value, counts_as))
        else:
            without += 1
    times = [at for of in found.values() for value, _ in of if (at := _at(value)) is not None]
    unit: Unit | None = None
    if times and by.kind == "time":
        span = max(times) - min(times)
        unit = next((unit for days, unit in _UNITS if span <= timedelta(days=days)), "year")
    several = amount is not None and len(found) > 1
    bars = list[Bar]()
    for currency, of in sorted(found.items(), key=lambda one: (-len(one[1]), one[0])):
        condition = f" {Column(amount.usual_currency, 'text').title}={currency}" if several and amount is not None else ""
        groups = _by_time(of, by, unit) if unit else _by_value(of, by)
        sizes = [total if amount is not None else Decimal(count) for _, _, count, total in groups]
        longest = max(map(abs, sizes)) or 1
        if several:
            bars.append(Bar("", len(of), condition.strip(), currency, sum((one for _, one in of), Decimal(0))))
        for (label, words, count, total), size in zip(groups, sizes, strict=True):
            bars.append(Bar(label, count, f"{words}{condition}" if words else "", currency, total, float(size / longest)))
    return Grouping(picture, tuple(bars), unit, without)


_Group = tuple[str, str, int, Decimal]  # the label, the filter, the rows, the sum


def _tally(of: Iterable[tuple[Key, Decimal]]) -> dict[Key, tuple[int, Decimal]]:
    found: dict[Key, tuple[int, Decimal]] = {}
    for key, amount in of:
        count, total = found.get(key, (0, Decimal(0)))
        found[key] = count + 1, total + amount
    return found


def _by_time(of: Sequence[tuple[Value, Decimal]], by: Column, unit: Unit) -> list[_Group]:
    """Every period from the first to the last, also those without rows; then the rows without a time."""
    found = _tally((period(at, unit) if (at := _at(value)) is not None else None, amount) for value, amount in of)
    unset, groups = found.pop(None, None), list[_Group]()
    starts = [one for one in found if one is not None]
    start, last = min(starts, default=None), max(starts, default=None)
    while start is not None and last is not None and start <= last:
        end = following(start, unit)
        words = f"{by.title}>={_moment(start, unit)} {by.title}<{_moment(end, unit)}"
        label = period_words(start, unit, with_year=min(starts).year != last.year)
        groups.append((label, words, *found.get(start, (0, Decimal(0)))))
        start = end
    return [*groups, ("not set", f'{by.title}=""', *unset)] if unset is not None else groups


def _by_value(of: Sequence[tuple[Value, Decimal]], by: Column) -> list[_Group]:
    """Every value, the largest first; what is left of very many is one group."""
    cells = ((cell(*value), amount) for value, amount in of)
    found = _tally(("" if one.kind == "nothing" else one.text, amount) for one, amount in cells)
    in_order = sorted(found.items(), key=lambda one: (-abs(one[1][1]), -one[1][0], one[0]))
    groups = list[_Group]()
    for text, one in in_order[:_MOST]:
        words = text if _BARE.fullmatch(text) and text not in ("AND", "OR") else quoted(text)
        groups.append((text or "not set", f"{by.title}={words}", *one))
    if rest := [one for _, one in in_order[_MOST:]]:
        total = sum((one for _, one in rest), Decimal(0))
        groups.append((f"{len(rest):,} others", "", sum(count for count, _ in rest), total))
    return groups


def _at(value: Value) -> datetime | None:
    seconds = number(*value) if cell(*value).kind == "time" else None
    return datetime.fromtimestamp(float(seconds), UTC) if seconds is not None else None


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
    if unit == "month":
        return (start + timedelta(days=32)).replace(day=1)
    return start.replace(year=start.year + 1) if unit == "year" else start + _LENGTHS[unit]


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
