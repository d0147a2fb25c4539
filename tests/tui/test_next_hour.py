"""The next hour of the dashboard: the number of pages at the same time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tui.oncall.next_hour import burst


@pytest.mark.parametrize(
    ("minutes", "told"),
    [
        ([0, 4], ""),
        ([0, 2, 4], "3 in 4 min"),
        ([0, 2, 5], ""),
        ([9, 0, 1, 30, 31, 32, 33, 9, 34.9], "5 in 5 min"),
        ([20, 20, 20], "3 in 1 min"),
        ([40, 41, 43, 0, 1, 2], "3 in 3 min"),
    ],
)
def test_the_most_pages_within_five_minutes_are_counted(minutes: list[float], told: str) -> None:
    assert burst(cast("Any", [SimpleNamespace(at=minute * 60) for minute in minutes])) == told
