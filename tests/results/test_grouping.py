"""Lists in groups for bars: sums by currency, periods without gaps, and filters that show exactly a bar's rows."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from registry.results.columns import Columns, columns_in
from registry.results.grouping import Grouping, Picture, grouped, pictures
from registry.results.table import Filter
from tests.cases import cases_beside

CASES = cases_beside(__file__)


def rows(*of: dict[str, Any]) -> list[bytes]:
    return [json.dumps(one).encode() for one in of]


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def drawn(items: list[bytes], place: int = 0) -> tuple[Grouping, list[Picture], Columns]:
    columns = columns_in(items)
    found = pictures(columns.first, columns.all, items)
    return grouped(items, range(len(items)), found[place]), found, columns


def told(found: Grouping) -> list[str]:
    return [f"{one.label} {one.words}".replace(" · ", " ") for one in found.bars if one.share is not None]


def paid(when: str, amount: int | None, currency: str = "usd", **more: Any) -> dict[str, Any]:
    return {"created": at(when), "amount": amount, "currency": currency, "status": "succeeded", **more}


@pytest.mark.parametrize(("items", "unit", "said"), CASES["amounts by time"])
def test_amounts_by_time(items: list[dict[str, Any]], unit: str, said: list[str]) -> None:
    found, _, _ = drawn(rows(*items))
    assert found.unit == unit
    assert len(told(found)) == len(said)
    assert all(one.startswith(start) for one, start in zip(told(found), said, strict=True)), told(found)
    assert found.without == sum(one["amount"] is None for one in items)


def test_every_bar_has_the_filter_that_shows_its_rows() -> None:
    names = ['a "b"', "C:\\d", "", None, "AND", "plain", "plain"]
    items = rows(
        *(
            paid(f"2026-11-{3 + n:02}", 100 + n, "usd" if n % 2 else "eur", name=one, status="paid" if n else "open")
            for n, one in enumerate(names)
        )
    )
    for place in range(len(drawn(items)[1])):
        found, _, columns = drawn(items, place)
        for bar in found.bars:
            assert len(Filter(bar.filter, columns.first, columns.all).matching(items)) == bar.rows, bar.filter
        assert sum(bar.rows for bar in found.bars if bar.share is not None) == len(items)
        assert max(bar.share for bar in found.bars if bar.share is not None) == 1


def test_without_time_or_money_rows_are_counted_by_state_and_by_what_repeats() -> None:
    items = rows(*({"name": f"n{n}", "team": f"t{n % 3}", "status": "open" if n < 3 else "closed"} for n in range(7)))
    found, every, _ = drawn(items)
    assert [(one.by.title, one.amount) for one in every] == [("status", None), ("team", None)]
    assert told(found) == ["closed 4", "open 3"]
    assert drawn(items, 1)[0].bars[0].label == "t0"
    assert pictures([], [], []) == []


def test_what_is_left_of_very_many_groups_is_one_bar() -> None:
    items = rows(*({"name": f"n{n % 150}", "n": n} for n in range(300)))
    found, _, _ = drawn(items)
    assert len(found.bars) == 101
    assert (found.bars[-1].label, found.bars[-1].rows, found.bars[-1].filter) == ("50 others", 100, "")
