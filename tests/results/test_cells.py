"""What cells say and count as; the order of rows, what a filter leaves, rows to choose from, and lists in groups for bars."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from registry.results.cells import cell, moment_of, number
from registry.results.columns import Candidates, CellReader, Column, Columns, columns_in
from registry.results.grouping import Grouping, Picture, grouped, pictures
from registry.results.spool import pick
from registry.results.table import BadFilter, Filter, order
from tests.cases import cases_beside
from tests.hostile import CONTROLS, MARKUP, forbidden_in_output

CASES = cases_beside(__file__)


@pytest.mark.parametrize(("key", "value", "currency", "text", "kind"), CASES["cells"])
def test_cells(key: str | None, value: str | None, currency: str | None, text: str, kind: str) -> None:
    assert cell(key, value.encode() if value is not None else None, currency) == (text, kind)
    assert cell('"a"', b'"\xff"') == ("�", "text")


@pytest.mark.parametrize("text", MARKUP + CONTROLS)
def test_cells_hold_nothing_that_a_terminal_obeys(text: str) -> None:
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        text = text.encode("utf-8", "replace").decode()
    for ascii_only in (True, False):
        value = json.dumps(text, ensure_ascii=ascii_only)
        for raw in (value, f'{{"id":{value}}}', f"[{value}]", f'[{{"name":{value}}}]'):
            assert forbidden_in_output(cell('"a"', raw.encode()).text.encode()) == []
            assert "\n" not in cell('"a"', raw.encode()).text


def test_what_values_count_as() -> None:
    assert number('"amount"', b"4200", "usd") == 42
    assert number('"amount"', b"500", "jpy") == 500
    assert number('"created"', b"1755000000") == 1_755_000_000
    assert number('"at"', b'"2025-08-12T12:00:00Z"') == moment_of("2025-08-12 12:00", 0.0) == 1_755_000_000
    assert number('"n"', b"12345678901234567890123") == Decimal("12345678901234567890123")
    assert number('"n"', b"1e999999999999999999999") == Decimal("Infinity")
    assert number('"n"', b"-1e999999999999999999999") == Decimal("-Infinity")
    assert [number('"n"', value) for value in (None, b'"1"', b"true", b"null", b"[1]")] == [None] * 5
    assert moment_of("soon", 0.0) is None


def test_values_are_picked_by_their_paths() -> None:
    item = rb'{"a":{"b":{"c":1.10}},"d\"":[1, 2],"\u0061":{"b":null},"z":"x"}'
    assert pick(item, [("a", "b"), ("z",), (), ("q",), ("z", "y")]) == [b"null", b'"x"', item, None, None]
    assert pick(item, [('d"',), ("z",)]) == [b"[1, 2]", b'"x"']
    assert pick(b"[1]", [("a",), ()]) == [None, b"[1]"]
    assert pick(b'{"a": \xff', [("a",), ()]) == [None, b'{"a": \xff']
    deep = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b',"b":1}'
    assert pick(deep, [("b",)]) == [None]


def test_a_row_s_cells_take_the_currency_from_beside_the_amount() -> None:
    columns = [Column(("plan", "amount"), "money"), Column(("amount",), "money"), Column(("id",), "text")]
    item = b'{"id":"x","amount":5,"currency":"JPY","plan":{"amount":500,"currency":"usd"}}'
    assert [shown.text for shown in CellReader(columns).cells(item)] == ["5.00 USD", "5 JPY", "x"]


def test_rows_come_page_after_page_each_id_once() -> None:
    found = Candidates(lambda item: isinstance(item, dict) and item.get("object") != "source", {})
    people = [{"id": f"cus_{place}", "object": "customer", "name": f"N {place}", "email": None} for place in range(3)]
    found.add(json.dumps({"data": [*people[:2], {"id": "src_1", "object": "source"}]}).encode())
    found.add(json.dumps({"data": people[1:]}).encode())
    found.add(b'[1, {}, {"id": 7, "name": "\\u001b[31mred"}]')
    found.add(b"not JSON")
    assert found.titles == ("name",)
    assert [(row.id, row.cells) for row in found.rows] == [
        ("cus_0", ("N 0",)),
        ("cus_1", ("N 1",)),
        ("cus_2", ("N 2",)),
        ("7", ("\\u001b[31mred",)),
    ]
    half = Candidates(lambda item: True, {})
    some = {"phone": "1", "city": "Bern"}
    half.add(
        json.dumps(
            {"data": [person | (some if place < 1 else {"city": "Rom"}) for place, person in enumerate(people)]}
        ).encode()
    )
    assert half.titles == ("name", "city"), "the phone is there in a third of them"
    assert found.rows[2].texts == ("N 2", "cus_2")


N = Column(("n",), "number")


def by_n(*values: str | None, descending: bool = False) -> list[str | None]:
    """The values in the order of the table, given as JSON texts."""
    items = [b"{}" if value is None else b'{"n":%s}' % value.encode() for value in values]
    return [values[place] for place in order(items, N, descending=descending)]


def test_numbers_of_any_size_then_text_then_null_then_nothing() -> None:
    values = ["null", '"b"', None, "1e400", "10", "9", "-1e400", "9007199254740993", '"A"', "9007199254740992", "1.5", "true"]
    up = ["-1e400", "1.5", "9", "10", "9007199254740992", "9007199254740993", "1e400", '"A"', '"b"', "true", "null", None]
    assert by_n(*values) == up
    assert by_n(*values, descending=True) == [*up[:10][::-1], "null", None]


def test_amounts_in_whole_units_and_times_however_written() -> None:
    amount = Column(("amount",), "money")
    items = [
        b'{"amount":%d,"currency":"%s"}' % pair for pair in ((4200, b"usd"), (500, b"jpy"), (45000, b"kwd"), (100, b"usd"))
    ]
    assert order(items, amount) == [3, 0, 2, 1]
    at = Column(("created_at",), "time")
    items = [b'{"created_at":%s}' % text for text in (b'"2025-08-12T14:00:00+02:00"', b"1754999999", b'"2025-08-12T12:00:01Z"')]
    assert order(items, at) == [1, 0, 2]


ITEMS = [json.dumps(one).encode() for one in CASES["customers"]]
COLUMNS = columns_in(ITEMS)


@pytest.mark.parametrize(("text", "rows"), CASES["filters"])
def test_filters(text: str, rows: list[int]) -> None:
    assert Filter(text, COLUMNS.first, COLUMNS.all).matching(ITEMS) == rows


@pytest.mark.parametrize(("text", "words"), CASES["wrong filters"])
def test_what_is_wrong_with_a_filter_is_said_in_words(text: str, words: str) -> None:
    every = [*COLUMNS.all] if not text.startswith("name") else [Column(("a", "name"), "text"), Column(("b", "name"), "text")]
    with pytest.raises(BadFilter) as caught:
        Filter(text, COLUMNS.first, every)
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


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
    few, columns = rows(*(paid("2026-11-03", 100 if n == 1 else None) for n in range(3))), [Column(("amount",), "money")]
    by_time = [*columns, Column(("created",), "time")]
    assert [one.amount for one in pictures(by_time, by_time, few)] == [None], "most rows have no amount"


def test_what_is_left_of_very_many_groups_is_one_bar() -> None:
    items = rows(*({"name": f"n{n % 150}", "n": n} for n in range(300)))
    found, _, _ = drawn(items)
    assert len(found.bars) == 101
    assert (found.bars[-1].label, found.bars[-1].rows, found.bars[-1].filter) == ("50 others", 100, "")
