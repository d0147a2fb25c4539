"""What cells say, and what their values count as."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from registry.results.cells import Cell, cell, moment_of, number
from registry.results.column import CellReader, Column
from registry.results.picking import Picker
from tests.hostile import CONTROLS, MARKUP, forbidden_in_output


@pytest.mark.parametrize(
    ("key", "value", "currency", "shown"),
    [
        ('"amount"', b"4200", "usd", Cell("42.00 USD", "money")),
        ('"amount"', b"4200", None, Cell("4200", "number")),
        ('"count"', b"4200", "usd", Cell("4200", "number")),
        ('"created"', b"1755000000", None, Cell("2025-08-12 12:00", "time")),
        ('"at"', b'"2025-08-12T14:00:00+02:00"', None, Cell("2025-08-12 12:00", "time")),
        ('"at"', b'"2025-02-30T14:00:00Z"', None, Cell("2025-02-30T14:00:00Z", "text")),
        ('"n"', b"1.10", None, Cell("1.10", "number")),
        ('"n"', b"1e400", None, Cell("1e400", "number")),
        ('"n"', b"12345678901234567890123", None, Cell("12345678901234567890123", "number")),
        ('"a"', None, None, Cell("", "nothing")),
        ('"a"', b"null", None, Cell("null", "nothing")),
        ('"a"', b'""', None, Cell('""', "nothing")),
        ('"a"', b"[]", None, Cell("[]", "nothing")),
        ('"a"', b"{}", None, Cell("{}", "nothing")),
        ('"a"', b"true", None, Cell("true", "word")),
        ('"a"', rb'"\u00e9 \"q\""', None, Cell('é "q"', "text")),
        ('"a"', b'"\xff"', None, Cell("�", "text")),
        ('"client_secret"', b'"x"', None, Cell("••••••••", "nothing")),
        ('"number"', b'"4242424242424242"', None, Cell("••••••••", "nothing")),
        ('"service"', b'{"id":"P1","summary":"pricing"}', None, Cell("pricing", "whole")),
        ('"customer"', b'{"id":"cus_1","name":null}', None, Cell("cus_1", "whole")),
        ('"counts"', b'{"all":3,"open":1}', None, Cell("all 3, open 1", "whole")),
        ('"ids"', b'["1","2"]', None, Cell("1, 2", "whole")),
        ('"ids"', b"[1,2,3,4]", None, Cell("4 items", "whole")),
        ('"ids"', b"[[1]]", None, Cell("1 item", "whole")),
        ('"teams"', b'[{"id":"P1","summary":"A"},{"id":"P2"}]', None, Cell("A, P2", "whole")),
        ('"items"', b'{"object":"list","data":[{"id":"si_1"}],"has_more":true}', None, Cell("1+ items", "whole")),
        (None, b'"text"', None, Cell("text", "text")),
    ],
)
def test_cells(key: str | None, value: bytes | None, currency: str | None, shown: Cell) -> None:
    assert cell(key, value, currency) == shown


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
    deep = b'{"a":' + b"[" * 5_000 + b"]" * 5_000 + b',"b":1}'
    assert Picker([("b",)]).pick(deep) == [None]


def test_a_row_s_cells_take_the_currency_from_beside_the_amount() -> None:
    columns = [Column(("plan", "amount"), "money"), Column(("amount",), "money"), Column(("id",), "text")]
    item = b'{"id":"x","amount":5,"currency":"JPY","plan":{"amount":500,"currency":"usd"}}'
    assert [shown.text for shown in CellReader(columns).cells(item)] == ["5.00 USD", "5 JPY", "x"]
