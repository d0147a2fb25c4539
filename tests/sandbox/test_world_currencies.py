"""The world obeys the rule for currencies: who is billed in one pays prices that have an amount in it, and just that amount."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from registry.sandbox.store import StoredRow
from registry.sandbox.world import World
from tests.sandbox.test_world_references import LARGER, WORLD, by_id, written

Options = dict[str, dict[str, Any]]
worlds = pytest.mark.parametrize("world", [WORLD, LARGER], ids=["story", "larger"])


def options(world: World) -> dict[str, Options]:
    """What each price costs, by its id and the currency."""
    return {row.id: row.body["currency_options"] for row in written(world)["price"]}


@worlds
def test_every_subscription_can_be_billed_in_its_currency(world: World) -> None:
    prices, subscriptions = options(world), by_id(world, "subscription")
    items = written(world)["subscription_item"]
    wrong = [
        (row.body["subscription"], row.body["price"])
        for row in items
        if subscriptions[row.body["subscription"]].body["currency"] not in prices[row.body["price"]]
    ]
    assert wrong == []
    assert len(items) > 60
    others = {subscriptions[row.body["subscription"]].body["currency"] for row in items} - {"usd"}
    assert len(others) > 15


@worlds
def test_items_that_are_sold_cost_what_their_price_says(world: World) -> None:
    prices, checked = options(world), 0
    for row in written(world)["item"]:
        price = prices[row.body["price"]]
        assert row.body["currency"] in price, (row.id, row.body["currency"])
        unit = price[row.body["currency"]]["unit_amount"]
        if unit is not None and row.body["quantity"]:
            assert row.body["amount_subtotal"] == unit * row.body["quantity"], row.id
            checked += 1
    assert checked > 15


@worlds
def test_invoices_bill_what_the_prices_say(world: World) -> None:
    prices, checked = options(world), 0
    for row in written(world)["line_item"]:
        price = _price_of(row)
        if price is None:
            continue
        assert row.body["currency"] in prices[price], (row.id, row.body["currency"])
        unit = prices[price][row.body["currency"]]["unit_amount_decimal"]
        # Seats that were added within a period, and free trials, are billed in part.
        if unit is None or not row.body["amount"] or " time on " in row.body["description"]:
            continue
        assert round(Decimal(unit) * row.body["quantity"]) == row.body["amount"], (row.id, row.body["description"])
        checked += 1
    assert checked > 200


def _price_of(row: StoredRow) -> str | None:
    pricing = row.body.get("pricing") or {}
    found = (pricing.get("price_details") or {}).get("price")
    return found if isinstance(found, str) else None
