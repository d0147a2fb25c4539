"""Deletions: what they refuse, what goes along, and what they change elsewhere."""

from typing import Any

import pytest

from registry.sandbox.payments.shapes import Builder
from tests.sandbox.payments_fakes import NOW, dataset, delete, fresh, id_of, new, refusal

AMY, PLAIN, RESELLER = id_of("customer", "amy"), id_of("customer", "plain"), id_of("account", "reseller")
RUNNING, CLOCK = id_of("subscription", "running"), id_of("test_helpers.test_clock", "spring")
DRAFT = f"/v1/invoices/{id_of('invoice', 'draft')}"


def test_a_deleted_customer_ends_subscriptions_and_lets_go_of_everything() -> None:
    with fresh() as api:
        assert delete(api, f"/v1/customers/{AMY}")["deleted"]
        for key in ("running", "trial"):
            shown = api.get(f"/v1/subscriptions/{id_of('subscription', key)}?expand[]=customer")
            assert (shown["status"], shown["canceled_at"], shown["ended_at"]) == ("canceled", NOW, NOW)
            assert shown["customer"] == {"id": AMY, "object": "customer", "deleted": True}
        assert api.get(f"/v1/subscriptions/{id_of('subscription', 'ended')}")["canceled_at"] < NOW
        schedule = api.get(f"/v1/subscription_schedules/{id_of('subscription_schedule', 'amy')}")
        assert schedule["status"] == "canceled"
        assert api.get(f"/v1/payment_methods/{id_of('payment_method', 'amy-3')}")["customer"] is None
        assert "customer" not in api.get(f"/v1/sources/{id_of('source', 'amy')}")
        entitlement = f"/v1/entitlements/active_entitlements/{id_of('entitlements.active_entitlement', 'amy')}"
        for path in (f"/v1/customers/{AMY}/sources", f"/v1/customers/{AMY}/tax_ids", entitlement):
            assert refusal(path, "GET", api)[1]["code"] == "resource_missing"
        assert api.get("/v1/customers/search?query=name~'Amy'")["data"] == []
        assert refusal(f"/v1/quotes?customer={AMY}", "GET", api)[1]["param"] == "customer"
        charge = api.get(f"/v1/charges/{id_of('charge', '7')}")
        assert (charge["customer"], charge["source"]["brand"]) == (AMY, "Visa")


def test_an_item_leaves_its_draft_and_the_amounts_follow() -> None:
    with fresh() as api:
        delete(api, f"/v1/invoiceitems/{id_of('invoiceitem', 'draft-1')}")
        shown = api.get(DRAFT)
    assert [one["id"] for one in shown["lines"]["data"]] == [id_of("line_item", "draft-0"), id_of("line_item", "draft-2")]
    assert (shown["subtotal"], shown["total"], shown["amount_due"], shown["amount_remaining"]) == (400, 440, 440, 440)
    assert (shown["subtotal_excluding_tax"], shown["total_excluding_tax"]) == (400, 400)
    assert [one["amount"] for one in shown["total_taxes"]] == [40]


def test_a_deleted_draft_takes_its_lines_and_frees_its_items() -> None:
    item = f"/v1/invoiceitems/{id_of('invoiceitem', 'draft-1')}"
    with fresh() as api:
        delete(api, DRAFT)
        assert refusal(f"{DRAFT}/lines", "GET", api)[0] == 404
        assert api.get(item)["invoice"] is None
        assert delete(api, item)["deleted"]


def test_a_deleted_coupon_stays_with_those_who_have_it() -> None:
    with fresh() as api:
        delete(api, "/v1/coupons/SPRING10")
        assert api.get(f"/v1/promotion_codes/{id_of('promotion_code', 'spring')}")["active"] is False
        coupon = api.get(f"/v1/customers/{AMY}?expand[]=discount.source.coupon")["discount"]["source"]["coupon"]
    assert (coupon["percent_off"], coupon["deleted"]) == (10.0, True)


def test_a_product_goes_after_its_plans_which_stay_with_their_subscribers() -> None:
    product, price = f"/v1/products/{id_of('product', 'desk')}", id_of("price", "desk-1")
    with fresh() as api:
        for number in range(3):
            delete(api, f"/v1/plans/{id_of('price', f'desk-{number}')}")
        assert refusal(f"/v1/prices/{price}", "GET", api)[0] == 404
        item = api.get(f"/v1/subscription_items/{id_of('subscription_item', 'running-0')}")
        assert (item["price"]["unit_amount"], item["plan"]["id"]) == (1000, price)
        assert delete(api, product)["deleted"]
        assert refusal(f"{product}/features", "GET", api)[0] == 404


@pytest.mark.parametrize("customer_first", [False, True])
def test_a_test_clock_goes_with_its_customers_and_what_is_theirs(customer_first: bool) -> None:
    customer, subscription = id_of("customer", "clocked"), f"/v1/subscriptions/{id_of('subscription', 'clocked')}"
    with fresh() as api:
        if customer_first:
            delete(api, f"/v1/customers/{customer}")
            assert api.get(subscription)["status"] == "canceled"
        delete(api, f"/v1/test_helpers/test_clocks/{CLOCK}")
        for path in (
            f"/v1/test_helpers/test_clocks/{CLOCK}",
            subscription,
            f"/v1/subscription_items/{id_of('subscription_item', 'clocked-0')}",
            f"/v1/quotes/{id_of('quote', 'clocked')}",
            f"/v1/quotes/{id_of('quote', 'clocked')}/line_items",
            f"/v1/billing/credit_grants/{id_of('billing.credit_grant', 'clocked')}",
        ):
            assert refusal(path, "GET", api)[1]["code"] == "resource_missing"
        assert api.get(f"/v1/customers/{customer}") == {"id": customer, "object": "customer", "deleted": True}
        assert api.get(f"/v1/subscriptions/{RUNNING}")["status"] == "active"


@pytest.mark.parametrize(
    ("path", "key", "bearer", "field", "left"),
    [
        (f"/v1/customers/{AMY}", "amy", f"/v1/customers/{AMY}", "discount", None),
        (f"/v1/subscriptions/{RUNNING}", "running", f"/v1/subscriptions/{RUNNING}", "discounts", []),
        (f"/v1/customers/{AMY}/subscriptions/{RUNNING}", "running", f"/v1/subscriptions/{RUNNING}", "discounts", []),
    ],
)
def test_a_discount_is_taken_off_once(path: str, key: str, bearer: str, field: str, left: Any) -> None:
    with fresh() as api:
        gone = delete(api, f"{path}/discount")
        assert (gone["id"], gone["object"], gone["deleted"]) == (id_of("discount", key), "discount", True)
        assert {"source", "customer", "subscription"} <= gone.keys()
        assert api.get(bearer)[field] == left
        status, error = refusal(f"{path}/discount", "DELETE", api)
        assert (status, error["code"], "No active discount for" in error["message"]) == (404, "resource_missing", True)


def _advancing(builder: Builder) -> None:
    for key, status in (("summer", "advancing"), ("winter", "ready")):
        clock = new(builder, "test_helpers.test_clock", key, status=status, frozen_time=NOW)
        customer = new(builder, "customer", key, test_clock=clock, discount=builder.id("discount", key))
        new(builder, "discount", key, customer=customer, source={"type": "coupon", "coupon": "SPRING10"})
        new(builder, "tax_id", key, customer=customer, value="DE987654321")
        new(builder, "invoice", key, customer=customer, status="draft", test_clock=clock, parent=None)


@pytest.mark.parametrize("key", ["summer", "winter"])
def test_what_is_on_a_clock_that_advances_refuses_changes(key: str) -> None:
    customer, clock = f"/v1/customers/{id_of('customer', key)}", id_of("test_helpers.test_clock", key)
    invoice, tax_id = f"/v1/invoices/{id_of('invoice', key)}", f"{customer}/tax_ids/{id_of('tax_id', key)}"
    with fresh(dataset(_advancing, "test_helpers.test_clock", "customer", "discount", "tax_id", "invoice")) as api:
        for path in (invoice, tax_id, f"{customer}/discount", customer):
            if key == "winter":
                delete(api, path)
            else:
                status, error = refusal(path, "DELETE", api)
                assert (status, f"{clock} is advancing" in error["message"]) == (400, True)
        if key == "summer":
            delete(api, f"/v1/test_helpers/test_clocks/{clock}")
            assert api.get(customer)["deleted"] is True
