"""The time to sort a table, without the screen."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

from registry.results.columns import columns_in, sample
from registry.results.table import order
from tests.bench.table import Rows, TableRow

_BY = ("amount", "created", "billing_details.name")


def charges(count: int) -> Sequence[bytes]:
    """A list of `count` charges in random order."""
    return [
        json.dumps(
            {
                "id": f"ch_{place * 7_919 % count:09}",
                "object": "charge",
                "amount": place * 104_729 % 99_991,
                "currency": "usd",
                "created": 1_755_000_000 + place * 31 % count,
                "billing_details": {"name": f"Customer {place}", "address": {"city": "Berlin", "line1": None}},
                "description": "A charge for something that was bought, told in as many words as is usual",
                "status": "succeeded",
            }
        ).encode()
        for place in range(count)
    ]


def table_rows(rounds: int) -> Rows:
    """Sorting 10 000 rows, compared with parsing them."""
    items = charges(10_000)
    rows = {name: TableRow(f"10 000 rows in order by {name}, × json.loads of them", "", []) for name in _BY}
    for _ in range(rounds):
        started = time.perf_counter()
        for item in items:
            json.loads(item)
        floor = time.perf_counter() - started
        times = sort_times(items)
        for name, row in rows.items():
            row.ratios.append(times[name] / floor)
    return list(rows.values())


def sort_times(items: Sequence[bytes]) -> dict[str, float]:
    """The seconds to find the columns of a table, and to sort it by an amount, a time and a text."""
    started = time.perf_counter()
    columns = {column.title: column for column in columns_in(sample(items)).all}
    times = {"columns": time.perf_counter() - started}
    for name in _BY:
        started = time.perf_counter()
        order(items, columns[name], descending=True)
        times[name] = time.perf_counter() - started
    return times
