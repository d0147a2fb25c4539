"""Intervals as people write them: one grammar for every place that takes one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC

import pytest

from registry.calling.invalid_value import InvalidValue
from registry.calling.times import instant, interval_seconds
from registry.doors.cli_sync import _interval as of_sync
from registry.oncall.clocks import moment_of

SHORTEST, LONGEST = 2.0, 3_600.0
RIGHT = [
    ("15", 15),
    ("0.5", 0.5),
    ("90s", 90),
    ("10m", 600),
    ("30 s", 30),
    ("2M", 120),
    ("1.5h", 5_400),
    ("1h30m", 5_400),
    ("1d 12h", 129_600),
    ("2w", 1_209_600),
    (" 7 ", 7),
]
WRONG = ["", "soon", "m", "1x", "-5m", "+5m", "1h30", "1.h", ".5", "1e3", "1" * 10, "5m ago", "1h\x00"]


@pytest.mark.parametrize(("text", "seconds"), RIGHT)
def test_what_people_write(text: str, seconds: float) -> None:
    assert interval_seconds(text) == seconds


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_interval(text: str) -> None:
    with pytest.raises(InvalidValue, match="must be an interval such as 90s, 10m or 1h30m; got"):
        interval_seconds(text)


@pytest.mark.parametrize("text", ["1s", "61m", "1h1s", "2w"])
def test_the_bounds_are_in_the_rule(text: str) -> None:
    with pytest.raises(InvalidValue, match="from 2s to 1h; got"):
        interval_seconds(text, SHORTEST, LONGEST)
    assert (interval_seconds("2", SHORTEST, LONGEST), interval_seconds("1h", SHORTEST, LONGEST)) == (2, 3_600)


PLACES: list[Callable[[str], float]] = [
    lambda text: of_sync(text),
    lambda text: 2_000_000 - (moment_of(f"-{text}", UTC, 2_000_000) or 0),
    lambda text: 2_000_000 - instant(text, 2_000_000).at.timestamp(),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("10m", 600), ("1h30m", 5_400), ("1d12h", 129_600)])
def test_every_place_has_the_same_grammar(place: Callable[[str], float], text: str, seconds: float) -> None:
    assert place(text) == seconds
