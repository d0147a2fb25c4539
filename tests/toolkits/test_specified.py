"""What the specification says of single tools, and a straightforward reading would miss; prices are shown where they are."""

import json
from typing import Any

import pytest

from registry.accounts.policy import Consent
from registry.calling.arguments import check
from registry.calling.request import plan
from registry.calling.sending import opening
from registry.catalog.loader import load
from registry.results.columns import CellReader, columns_in
from registry.results.declared import lists_of
from registry.results.table import Filter, order
from registry.sandbox.server import application
from tests.calling.network import TOOLS
from tests.opened import opened
from tests.pages.reading import page_of, reading

READ, DELETE = TOOLS["RetrieveWalletPayDomain"], TOOLS["DeleteWalletPayDomain"]
SHOP = "shop.fernway.example"


async def test_a_wallet_domain_is_read_and_deleted_by_its_name() -> None:
    async with opened(sandbox=application) as engine:
        listed = await engine.run("ListWalletPayDomains", {"domain_name_filter": SHOP})
        id_ = listed.json["data"][0]["id"]
        for given in (SHOP, SHOP.upper(), id_):
            found = await engine.run("RetrieveWalletPayDomain", {"wallet_pay_domain_name": given})
            assert (found.json["id"], found.json["domain_name"]) == (id_, SHOP), given
            steps = [exchange.url.partition("/v1/")[2] for exchange in found.exchanges]
            by_name = [f"apple_pay/domains?domain_name={SHOP}&limit=1"] if given != id_ else []
            assert steps == [*by_name, f"apple_pay/domains/{id_}"]
            assert [id_ in note for note in found.notes] == [True] * len(by_name)
        gone = await engine.run("DeleteWalletPayDomain", {"wallet_pay_domain_to_delete": SHOP}, consent=Consent.CONFIRMED)
        assert gone.json == {"id": id_, "object": "apple_pay_domain", "deleted": True}
        assert [exchange.method for exchange in gone.exchanges if exchange.method == "DELETE"] == ["DELETE"]
        again = await engine.run("RetrieveWalletPayDomain", {"wallet_pay_domain_name": SHOP})
        assert (again.status, again.ok) == (404, False)


def test_what_is_shown_before_a_wallet_domain_is_called() -> None:
    assert opening(READ, check(READ, {"wallet_pay_domain_name": SHOP})).path == "/v1/apple_pay/domains"
    assert opening(READ, check(READ, {"wallet_pay_domain_name": "apwc_1"})).path == "/v1/apple_pay/domains/apwc_1"
    deleting = opening(DELETE, check(DELETE, {"wallet_pay_domain_to_delete": SHOP}))
    assert (deleting.method, deleting.path) == ("DELETE", f"/v1/apple_pay/domains/{SHOP}")


@pytest.mark.parametrize(("given", "sent"), [(None, None), (False, None), ("no", None), (True, "true")])
def test_domains_that_are_not_only_enabled_ones_are_all(given: Any, sent: str | None) -> None:
    tool = TOOLS["ListPaymentMethodDomains"]
    planned = plan(tool, check(tool, {"include_enabled_domains": given}))
    assert dict(planned.query).get("enabled") == sent


def test_a_clock_is_named_with_its_customer() -> None:
    tool = TOOLS["RetrieveQuotesList"]
    (error,) = check(tool, {"test_clock_id": "clock_1"}).errors
    assert (error.parameter, "needs `customer_id`" in error.message) == ("test_clock_id", True)
    assert check(tool, {"test_clock_id": "clock_1", "customer_id": "cus_1"}).errors == ()


def test_the_page_size_is_always_sent() -> None:
    """Where nothing was typed, what the specification states; of two lists it states nothing."""
    unstated = {tool.name for tool in load().tools.values() if (limit := tool.with_role("limit")) and limit.default is None}
    assert unstated == {"GetExchangeRates", "FetchCrmUsersList"}
    for tool in load().tools.values():
        limit = tool.with_role("limit")
        if limit is not None and tool.name not in unstated:
            assert dict(plan(tool, check(tool, {})).query)[str(limit.wire_name)] == str(limit.default), tool.name


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
