"""Deletions: what must hold before, what goes along, and that nothing is deleted twice."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from registry.sandbox.payments.builder import Builder
from tests.sandbox.payments_fakes import NOW, client, dataset, id_of, new

AMY, PLAIN, RESELLER = id_of("customer", "amy"), id_of("customer", "plain"), id_of("account", "reseller")
RUNNING = id_of("subscription", "running")
CLOCK = id_of("test_helpers.test_clock", "spring")

PLAIN_DELETIONS = [
    (f"/v1/accounts/{RESELLER}", "account"),
    (f"/v1/accounts/{id_of('account', 'live-empty')}", "account"),
    (f"/v1/accounts/{RESELLER}/persons/{id_of('person', 'owner')}", "person"),
    (f"/v1/accounts/{RESELLER}/people/{id_of('person', 'deputy')}", "person"),
    (f"/v1/accounts/{RESELLER}/external_accounts/{id_of('bank_account', 'spare')}", "bank_account"),
    (f"/v1/accounts/{RESELLER}/bank_accounts/{id_of('card', 'debit')}", "card"),
    (f"/v1/apple_pay/domains/{id_of('apple_pay_domain', 'shop')}", "apple_pay_domain"),
    ("/v1/coupons/SPRING10", "coupon"),
    (f"/v1/customers/{AMY}/tax_ids/{id_of('tax_id', 'amy')}", "tax_id"),
    (f"/v1/tax_ids/{id_of('tax_id', 'own')}", "tax_id"),
    (f"/v1/invoices/{id_of('invoice', 'draft')}", "invoice"),
    (f"/v1/invoiceitems/{id_of('invoiceitem', 'pending')}", "invoiceitem"),
    (f"/v1/invoiceitems/{id_of('invoiceitem', 'draft-1')}", "invoiceitem"),
    (f"/v1/plans/{id_of('price', 'desk-1')}", "plan"),
    (f"/v1/products/{id_of('product', 'empty')}", "product"),
    (f"/v1/products/{id_of('product', 'desk')}/features/{id_of('product_feature', 'desk')}", "product_feature"),
    (f"/v1/radar/value_lists/{id_of('radar.value_list', 'free')}", "radar.value_list"),
    (f"/v1/radar/value_list_items/{id_of('radar.value_list_item', 'used-1')}", "radar.value_list_item"),
    (f"/v1/test_helpers/test_clocks/{CLOCK}", "test_helpers.test_clock"),
    (f"/v1/webhook_endpoints/{id_of('webhook_endpoint', 'billing')}", "webhook_endpoint"),
    (f"/v1/customers/{PLAIN}", "customer"),
    (f"/v1/terminal/configurations/{id_of('terminal.configuration', 'other')}", "terminal.configuration"),
    (f"/v1/terminal/locations/{id_of('terminal.location', 'shop')}", "terminal.location"),
    (f"/v1/terminal/readers/{id_of('terminal.reader', '1')}", "terminal.reader"),
]
STAY_READABLE = ("customer", "terminal.configuration", "terminal.location", "terminal.reader")


async def get(api: Any, path: str) -> Any:
    response = await api.get(path)
    assert response.status_code == 200, response.text
    return response.json()


async def delete(api: Any, path: str) -> Any:
    response = await api.delete(path)
    assert response.status_code == 200, response.text
    return response.json()


async def refusal(api: Any, path: str, method: str = "DELETE") -> tuple[int, dict[str, Any]]:
    response = await api.request(method, path)
    return response.status_code, response.json()["error"]


@pytest.mark.parametrize(("path", "kind"), PLAIN_DELETIONS)
async def test_deleting_answers_in_short_and_only_once(path: str, kind: str) -> None:
    async with client() as api:
        gone = await delete(api, path)
        id_ = path.rsplit("/", 1)[1]
        assert gone == {"id": id_, "object": kind, "deleted": True}
        status, error = await refusal(api, path)
        assert (status, error["code"]) == (404, "resource_missing")
        if kind in STAY_READABLE:
            assert await get(api, path) == gone
        elif kind not in ("invoiceitem",):
            status, error = await refusal(api, path, "GET")
            assert status == 404


REFUSED = [
    (f"/v1/accounts/{id_of('account', 'fernway')}", "own account", None),
    (f"/v1/accounts/{id_of('account', 'independent')}", "This application is not authorized to delete this account.", None),
    (f"/v1/accounts/{id_of('account', 'live-standard')}", "dashboard", None),
    (f"/v1/accounts/{id_of('account', 'live-rich')}", "balance", None),
    (f"/v1/accounts/{RESELLER}/persons/{id_of('person', 'opener')}", "opened the account", None),
    (f"/v1/accounts/{RESELLER}/persons/{id_of('person', 'chief')}", "only verified executive", None),
    (f"/v1/accounts/{RESELLER}/external_accounts/{id_of('bank_account', 'payout')}", "default", None),
    (f"/v1/invoices/{id_of('invoice', 'paid')}", "draft", "invoice_not_editable"),
    (f"/v1/invoices/{id_of('invoice', 'draft-of-subscription')}", "subscription", None),
    (f"/v1/invoiceitems/{id_of('invoiceitem', 'paid-1')}", "no longer editable", "invoice_not_editable"),
    (
        f"/v1/products/{id_of('product', 'desk')}",
        "This product cannot be deleted because it has one or more user-created prices.",
        None,
    ),
    (f"/v1/radar/value_lists/{id_of('radar.value_list', 'used')}", "rules", None),
]


@pytest.mark.parametrize(("path", "about", "code"), REFUSED)
async def test_broken_preconditions_are_refused_and_change_nothing(path: str, about: str, code: str | None) -> None:
    async with client() as api:
        before = await get(api, path)
        status, error = await refusal(api, path)
        assert (status, error["type"], error.get("code")) == (400, "invalid_request_error", code)
        assert about in error["message"]
        assert await get(api, path) == before


async def test_a_deletion_takes_no_parameters() -> None:
    async with client() as api:
        status, error = await refusal(api, f"/v1/customers/{AMY}?expand[]=sources")
        assert (status, error["code"]) == (400, "parameter_unknown")
        assert (await get(api, f"/v1/customers/{AMY}"))["id"] == AMY


async def test_a_deleted_customer_ends_subscriptions_and_lets_go_of_everything() -> None:
    async with client() as api:
        assert (await delete(api, f"/v1/customers/{AMY}"))["deleted"]
        for key in ("running", "trial"):
            shown = await get(api, f"/v1/subscriptions/{id_of('subscription', key)}?expand[]=customer")
            assert (shown["status"], shown["canceled_at"], shown["ended_at"]) == ("canceled", NOW, NOW)
            assert shown["customer"] == {"id": AMY, "object": "customer", "deleted": True}
        ended = await get(api, f"/v1/subscriptions/{id_of('subscription', 'ended')}")
        assert ended["canceled_at"] < NOW
        schedule = await get(api, f"/v1/subscription_schedules/{id_of('subscription_schedule', 'amy')}")
        assert schedule["status"] == "canceled"
        assert (await get(api, f"/v1/payment_methods/{id_of('payment_method', 'amy-3')}"))["customer"] is None
        assert "customer" not in await get(api, f"/v1/sources/{id_of('source', 'amy')}")
        entitlement = f"/v1/entitlements/active_entitlements/{id_of('entitlements.active_entitlement', 'amy')}"
        for path in (f"/v1/customers/{AMY}/sources", f"/v1/customers/{AMY}/tax_ids", entitlement):
            status, error = await refusal(api, path, "GET")
            assert (status, error["code"]) == (404, "resource_missing")
        assert (await get(api, "/v1/customers/search?query=name~'Amy'"))["data"] == []
        assert (await refusal(api, f"/v1/quotes?customer={AMY}", "GET"))[1]["param"] == "customer"
        charge = await get(api, f"/v1/charges/{id_of('charge', '7')}")
        assert (charge["customer"], charge["source"]["brand"]) == (AMY, "Visa")


async def test_an_executive_may_go_when_another_one_is_verified() -> None:
    async with client() as api:
        people = f"/v1/accounts/{RESELLER}/persons"
        assert (await refusal(api, f"{people}/{id_of('person', 'chief')}"))[0] == 400
        assert (await delete(api, f"{people}/{id_of('person', 'deputy')}"))["deleted"]


async def test_an_item_leaves_its_draft_and_the_amounts_follow() -> None:
    draft = f"/v1/invoices/{id_of('invoice', 'draft')}"
    async with client() as api:
        await delete(api, f"/v1/invoiceitems/{id_of('invoiceitem', 'draft-1')}")
        shown = await get(api, draft)
        assert [one["id"] for one in shown["lines"]["data"]] == [id_of("line_item", "draft-0"), id_of("line_item", "draft-2")]
        assert (shown["subtotal"], shown["total"], shown["amount_due"], shown["amount_remaining"]) == (400, 440, 440, 440)
        assert (shown["subtotal_excluding_tax"], shown["total_excluding_tax"]) == (400, 400)
        assert [one["amount"] for one in shown["total_taxes"]] == [40]


async def test_a_deleted_draft_takes_its_lines_and_frees_its_items() -> None:
    draft = f"/v1/invoices/{id_of('invoice', 'draft')}"
    async with client() as api:
        await delete(api, draft)
        assert (await refusal(api, f"{draft}/lines", "GET"))[0] == 404
        item = f"/v1/invoiceitems/{id_of('invoiceitem', 'draft-1')}"
        assert (await get(api, item))["invoice"] is None
        assert (await delete(api, item))["deleted"]


async def test_a_deleted_coupon_stays_with_those_who_have_it() -> None:
    async with client() as api:
        await delete(api, "/v1/coupons/SPRING10")
        code = await get(api, f"/v1/promotion_codes/{id_of('promotion_code', 'spring')}")
        assert code["active"] is False
        customer = await get(api, f"/v1/customers/{AMY}?expand[]=discount.source.coupon")
        assert customer["discount"]["source"]["coupon"]["percent_off"] == 10.0
        assert customer["discount"]["source"]["coupon"]["deleted"] is True


async def test_a_deleted_plan_stays_with_its_subscribers() -> None:
    price = id_of("price", "desk-1")
    async with client() as api:
        await delete(api, f"/v1/plans/{price}")
        assert (await refusal(api, f"/v1/prices/{price}", "GET"))[0] == 404
        item = await get(api, f"/v1/subscription_items/{id_of('subscription_item', 'running-0')}")
        assert (item["price"]["unit_amount"], item["plan"]["id"]) == (1000, price)


async def test_a_product_goes_after_its_prices() -> None:
    product = f"/v1/products/{id_of('product', 'desk')}"
    async with client() as api:
        assert (await refusal(api, product))[0] == 400
        for number in range(3):
            await delete(api, f"/v1/plans/{id_of('price', f'desk-{number}')}")
        assert (await delete(api, product))["deleted"]
        assert (await refusal(api, f"{product}/features", "GET"))[0] == 404


async def test_a_test_clock_goes_with_its_customers_and_what_is_theirs() -> None:
    async with client() as api:
        subscription, quote = id_of("subscription", "clocked"), id_of("quote", "clocked")
        await delete(api, f"/v1/test_helpers/test_clocks/{CLOCK}")
        for path in (
            f"/v1/test_helpers/test_clocks/{CLOCK}",
            f"/v1/subscriptions/{subscription}",
            f"/v1/subscription_items/{id_of('subscription_item', 'clocked-0')}",
            f"/v1/quotes/{quote}",
            f"/v1/quotes/{quote}/line_items",
            f"/v1/billing/credit_grants/{id_of('billing.credit_grant', 'clocked')}",
        ):
            status, error = await refusal(api, path, "GET")
            assert (status, error["code"]) == (404, "resource_missing")
        customer = id_of("customer", "clocked")
        assert await get(api, f"/v1/customers/{customer}") == {"id": customer, "object": "customer", "deleted": True}
        assert (await get(api, f"/v1/subscriptions/{RUNNING}"))["status"] == "active"
        assert (await get(api, "/v1/test_helpers/test_clocks"))["data"] == []


async def test_a_test_clock_takes_what_its_deleted_customers_left() -> None:
    async with client() as api:
        await delete(api, f"/v1/customers/{id_of('customer', 'clocked')}")
        subscription = f"/v1/subscriptions/{id_of('subscription', 'clocked')}"
        assert (await get(api, subscription))["status"] == "canceled"
        await delete(api, f"/v1/test_helpers/test_clocks/{CLOCK}")
        assert (await refusal(api, subscription, "GET"))[0] == 404


DISCOUNTS: list[tuple[str, str, str, str, Any]] = [
    (f"/v1/customers/{AMY}/discount", "amy", f"/v1/customers/{AMY}", "discount", None),
    (f"/v1/subscriptions/{RUNNING}/discount", "running", f"/v1/subscriptions/{RUNNING}", "discounts", []),
    (f"/v1/customers/{AMY}/subscriptions/{RUNNING}/discount", "running", f"/v1/subscriptions/{RUNNING}", "discounts", []),
]


@pytest.mark.parametrize(("path", "key", "bearer", "field", "left"), DISCOUNTS)
async def test_a_discount_is_taken_off_once(path: str, key: str, bearer: str, field: str, left: Any) -> None:
    async with client() as api:
        gone = await delete(api, path)
        assert (gone["id"], gone["object"], gone["deleted"]) == (id_of("discount", key), "discount", True)
        assert {"source", "customer", "subscription"} <= gone.keys()
        assert (await get(api, bearer))[field] == left
        for method in ("DELETE", "GET"):
            if method == "GET" and path.startswith("/v1/subscriptions"):
                continue
            status, error = await refusal(api, path, method)
            assert (status, error["code"]) == (404, "resource_missing")
            assert "No active discount for" in error["message"]


async def test_of_many_deletions_at_once_one_succeeds() -> None:
    async with client() as api:
        responses = await asyncio.gather(*(api.delete(f"/v1/customers/{AMY}") for _ in range(8)))
        assert sorted(response.status_code for response in responses) == [200] + [404] * 7


def _advancing(builder: Builder) -> None:
    for key, status in (("summer", "advancing"), ("winter", "ready")):
        clock = new(builder, "test_helpers.test_clock", key, status=status, frozen_time=NOW)
        customer = new(builder, "customer", key, test_clock=clock, discount=builder.id("discount", key))
        new(builder, "discount", key, customer=customer, source={"type": "coupon", "coupon": "SPRING10"})
        new(builder, "tax_id", key, customer=customer, value="DE987654321")
        new(builder, "invoice", key, customer=customer, status="draft", test_clock=clock, parent=None)


ON_CLOCKS = dataset(_advancing, "test_helpers.test_clock", "customer", "discount", "tax_id", "invoice")


@pytest.mark.parametrize("key", ["summer", "winter"])
async def test_what_is_on_a_clock_that_advances_refuses_changes(key: str) -> None:
    customer, clock = id_of("customer", key), id_of("test_helpers.test_clock", key)
    paths = [
        f"/v1/invoices/{id_of('invoice', key)}",
        f"/v1/customers/{customer}/tax_ids/{id_of('tax_id', key)}",
        f"/v1/customers/{customer}/discount",
        f"/v1/customers/{customer}",
    ]
    async with client(ON_CLOCKS) as api:
        for path in paths:
            if key == "winter":
                await delete(api, path)
            else:
                status, error = await refusal(api, path)
                assert (status, f"{clock} is advancing" in error["message"]) == (400, True)
        if key == "summer":
            assert "deleted" not in await get(api, f"/v1/customers/{customer}")
            await delete(api, f"/v1/test_helpers/test_clocks/{clock}")
            assert (await get(api, f"/v1/customers/{customer}"))["deleted"] is True
