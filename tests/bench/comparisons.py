"""The time to compare two large responses, without the screen."""

from __future__ import annotations

import json
import time

from registry.results.comparison import compare
from tests.bench.table import Rows, TableRow
from tests.large_responses import response_of

_SIZE = 10_000_000


def comparison_rows(rounds: int) -> Rows:
    """The time to compare 10 MB with 10 MB that differ in one member, against parsing both."""
    row = TableRow("comparing 10 MB with 10 MB, × json.loads of both", "≤ 6", [])
    left = response_of(_SIZE)
    right = left.replace(b'"delinquent":false', b'"delinquent":true', 1)
    for _ in range(min(rounds, 3)):
        started = time.perf_counter()
        json.loads(left)
        json.loads(right)
        floor = time.perf_counter() - started
        started = time.perf_counter()
        compare(left, right)
        row.ratios.append((time.perf_counter() - started) / floor)
    return [row]
