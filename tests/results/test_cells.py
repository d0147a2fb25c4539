"""What cells say, and what their values count as."""

import json
from decimal import Decimal

import pytest

from registry.results.cells import cell, moment_of, number
from registry.results.column import CellReader, Column
from registry.results.picking import Picker
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
    assert Picker([("a", "b"), ("z",), (), ("q",), ("z", "y")]).pick(item) == [b"null", b'"x"', item, None, None]
    assert Picker([('d"',), ("z",)]).pick(item) == [b"[1, 2]", b'"x"']
    assert Picker([("a",), ()]).pick(b"[1]") == [None, b"[1]"]
    assert Picker([("a",), ()]).pick(b'{"a": \xff') == [None, b'{"a": \xff']
    deep = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b',"b":1}'
    assert Picker([("b",)]).pick(deep) == [None]


def test_a_row_s_cells_take_the_currency_from_beside_the_amount() -> None:
    columns = [Column(("plan", "amount"), "money"), Column(("amount",), "money"), Column(("id",), "text")]
    item = b'{"id":"x","amount":5,"currency":"JPY","plan":{"amount":500,"currency":"usd"}}'
    assert [shown.text for shown in CellReader(columns).cells(item)] == ["5.00 USD", "5 JPY", "x"]
