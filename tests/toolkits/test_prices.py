"""A price is shown wherever one is, also one without an amount of its own."""

import json
from typing import Any

import pytest

from registry.results.column import CellReader
from registry.results.columns import columns_in
from registry.results.declared import lists_of
from registry.results.table import Filter, order
from tests.opened import opened
from tests.pages.reading import page_of, reading

COLUMNS = {name: one.columns for name, one in lists_of("PaymentsApi").objects.items()}
TIERS = [{"unit_amount": 900, "flat_amount": 100, "up_to": 10}, {"unit_amount": 500, "flat_amount": None, "up_to": None}]
FLAT = [{"unit_amount": None, "unit_amount_decimal": None, "flat_amount": 2000, "up_to": 5}]


def price(**properties: Any) -> dict[str, Any]:
    usual = {"id": "price_A1b2C3d4", "object": "price", "active": True, "currency": "usd", "nickname": "Calls"}
    return {**usual, "unit_amount": None, **properties}


@pytest.mark.parametrize(
    ("one", "amount", "interval"),
    [
        (price(unit_amount=1000, recurring={"interval": "month", "interval_count": 1}), "10.00 USD", "month"),
        (price(unit_amount=1000, recurring={"interval": "month", "interval_count": 3}), "10.00 USD", "3 month"),
        (price(unit_amount_decimal="0.05", recurring={"interval": "month"}), "0.0005 USD", "month"),
        (price(unit_amount_decimal="1050.5"), "10.505 USD", ""),
        (price(currency="jpy", unit_amount_decimal="0.5"), "0.5 JPY", ""),
        (price(tiers=TIERS, tiers_mode="volume"), "from 9.00 USD and 1.00 USD", ""),
        (price(tiers=FLAT, tiers_mode="volume"), "from 20.00 USD", ""),
        (price(custom_unit_amount={"minimum": 500, "preset": None}), "from 5.00 USD", ""),
        (price(custom_unit_amount={"minimum": 500, "preset": 900}), "9.00 USD suggested", ""),
        (price(unit_amount=1000, transform_quantity={"divide_by": 10, "round": "up"}), "10.00 USD for 10", ""),
    ],
)
async def test_s10_a_price_is_in_every_list_and_on_its_page(one: dict[str, Any], amount: str, interval: str) -> None:
    says = f"{amount} per {interval}" if interval else amount
    for type_, item, expected in (
        ("price", one, {"amount": amount}),
        ("product", {"default_price": one}, {"price": says}),
        ("subscription", {"items": {"data": [{"price": one}]}}, {"price": says}),
        ("subscription_item", {"price": one}, {"price": amount} | ({"per": interval} if interval else {})),
        ("item", {"price": one, "description": "Calls"}, {"unit price": amount}),
    ):
        text = json.dumps({"id": "it_A1b2C3d4", "name": "Relay"} | item).encode()
        columns = columns_in([text], COLUMNS[type_]).first
        shown = {column.heading: cell.text for column, cell in zip(columns, CellReader(columns).cells(text), strict=True)}
        assert shown == shown | expected, type_
    async with opened() as engine:
        page = await page_of(engine, one["id"], reading({"RetrievePaymentsPrice": one}))
    assert page.headline == f"Price Calls: {says}" + (", by volume tiers" if "tiers" in one else "")


def test_s10_prices_in_words_are_sorted_and_filtered_as_amounts() -> None:
    some = [price(unit_amount=1000), price(unit_amount_decimal="0.05"), price(unit_amount=5), price(tiers=TIERS)]
    items = [json.dumps(one).encode() for one in some]
    columns = columns_in(items, COLUMNS["price"])
    amount = next(column for column in columns.first if column.heading == "amount")
    assert (amount.kind, order(items, amount)) == ("money", [1, 2, 3, 0])
    assert Filter("amount<0.05", columns.first, columns.all).matching(items) == [1]
    assert Filter('amount="9.00 USD"', columns.first, columns.all).matching(items) == [3]
