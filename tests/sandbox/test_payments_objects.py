"""Single objects: how they are shown, what `expand` adds, and what must hold before some of them are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from registry.sandbox import payments
from registry.sandbox.clock import Clock
from registry.sandbox.world import DAY, World
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import client, id_of, reader
from tests.sandbox.test_world_references import NOW as OWN_NOW
from tests.sandbox.test_world_references import WORLD as OWN
from tests.sandbox.test_world_references import written

AMY = id_of("customer", "amy")


async def get(api: Any, path: str) -> Any:
    response = await api.get(path)
    assert response.status_code == 200, response.text
    return response.json()


async def test_an_object_fills_in_what_its_body_does_not_say() -> None:
    async with reader() as api:
        shown = await get(api, f"/v1/charges/{id_of('charge', '7')}")
    assert (shown["id"], shown["object"], shown["livemode"], shown["customer"]) == (id_of("charge", "7"), "charge", False, AMY)
    assert shown["description"] is None
    assert shown["source"]["object"] == "card"
    assert "refunds" not in shown


async def test_whole_objects_and_lists_stand_in_their_owner() -> None:
    async with reader() as api:
        subscription = await get(api, f"/v1/subscriptions/{id_of('subscription', 'running')}")
        assert subscription["items"]["has_more"]
        assert len(subscription["items"]["data"]) == 10
        assert subscription["items"]["url"] == f"/v1/subscription_items?subscription={subscription['id']}"
        created = [one["created"] for one in subscription["items"]["data"]]
        assert created == sorted(created)
        assert subscription["items"]["data"][0]["price"]["object"] == "price"
        assert "tiers" not in subscription["items"]["data"][0]["price"]
        customer = await get(api, f"/v1/customers/{AMY}")
        assert customer["discount"]["object"] == "discount"
        assert not {"sources", "subscriptions", "tax_ids", "cash_balance"} & customer.keys()
        account = await get(api, f"/v1/accounts/{id_of('account', 'reseller')}")
        assert {one["object"] for one in account["external_accounts"]["data"]} == {"bank_account", "card"}


async def test_expansion_reaches_references_lists_and_hashes() -> None:
    async with reader() as api:
        charge = await get(
            api,
            f"/v1/charges/{id_of('charge', '7')}?expand[]=customer&expand[]=payment_intent.latest_charge&expand[2]=refunds",
        )
        assert charge["customer"]["email"] == "amy@meadow.example"
        assert charge["payment_intent"]["latest_charge"]["id"] == charge["id"]
        assert (len(charge["refunds"]["data"]), charge["refunds"]["has_more"]) == (10, True)
        customer = await get(
            api,
            f"/v1/customers/{AMY}?expand[]=sources&expand[]=subscriptions.data.latest_invoice"
            "&expand[]=default_source.customer&expand[]=invoice_settings.default_payment_method&expand[]=cash_balance"
            "&expand[]=discount.source.coupon",
        )
        assert {one["object"] for one in customer["sources"]["data"]} == {"card", "bank_account", "source"}
        assert {one["status"] for one in customer["subscriptions"]["data"]} == {"active", "trialing"}
        assert customer["subscriptions"]["data"][0]["latest_invoice"]["object"] == "invoice"
        assert customer["default_source"]["customer"]["id"] == AMY
        assert customer["invoice_settings"]["default_payment_method"]["object"] == "payment_method"
        assert customer["cash_balance"]["available"] == {"eur": 100}
        assert customer["discount"]["source"]["coupon"]["percent_off"] == 10.0
        subscription = await get(api, f"/v1/subscriptions/{id_of('subscription', 'running')}?expand[]=items.data.price.tiers")
        assert subscription["items"]["data"][0]["price"]["tiers"][0]["up_to"] == 10
        again = await get(api, f"/v1/customers/{AMY}")
        assert isinstance(again["invoice_settings"]["default_payment_method"], str)


async def test_expansion_in_lists_starts_with_data() -> None:
    async with reader() as api:
        path = f"/v1/charges/{id_of('charge', '7')}/refunds"
        page = await get(api, f"{path}?limit=2&expand[]=data.charge.customer")
        assert [one["charge"]["customer"]["id"] for one in page["data"]] == [AMY, AMY]
        found = await get(api, "/v1/charges/search?query=amount:700&expand[]=data.customer")
        assert [one["customer"]["id"] for one in found["data"]] == [AMY]


@pytest.mark.parametrize(
    ("path", "expand", "message"),
    [
        ("charges/{charge}", "a.b.c.d.e", "You cannot expand more than 4 levels of a property."),
        ("charges/{charge}", "metadata", "This property cannot be expanded (metadata)."),
        ("charges/{charge}", "amount", "This property cannot be expanded (amount)."),
        ("charges/{charge}", "payment_method", "This property cannot be expanded (payment_method)."),
        ("charges/{charge}", "nothing", "This property cannot be expanded (nothing)."),
        ("charges/{charge}", "customer.nothing", "This property cannot be expanded (customer.nothing)."),
        ("charges/{charge}", "refunds.charge", "This property cannot be expanded (refunds.charge)."),
        ("charges/{charge}", "customer.", "This property cannot be expanded (customer.)."),
        ("charges/{charge}", "outcome", "This property cannot be expanded (outcome)."),
        ("customers/{customer}", "invoice_settings", "This property cannot be expanded (invoice_settings)."),
        (
            "charges/{charge}/refunds",
            "charge",
            "This property cannot be expanded (charge). You may want to try expanding 'data.charge' instead.",
        ),
        ("charges/{charge}/refunds", "data", "This property cannot be expanded (data)."),
        ("charges/{charge}/refunds", "data.amount", "This property cannot be expanded (data.amount)."),
        ("charges/{charge}/refunds", "data.charge.customer.a.b", "You cannot expand more than 4 levels of a property."),
    ],
)
async def test_what_cannot_be_expanded(path: str, expand: str, message: str) -> None:
    path = path.format(charge=id_of("charge", "7"), customer=AMY)
    async with reader() as api:
        response = await api.get(f"/v1/{path}?expand[]={expand}")
    error = response.json()["error"]
    assert (response.status_code, error["message"], "code" in error) == (400, message, False)


async def test_the_number_of_an_issued_card_is_shown_only_when_asked_for() -> None:
    path = f"/v1/issuing/cards/{id_of('issuing.card', 'amy')}"
    async with reader() as api:
        assert not {"number", "cvc"} & (await get(api, path)).keys()
        shown = await get(api, f"{path}?expand[]=number&expand[]=cvc")
        assert (shown["number"], shown["cvc"], shown["cardholder"]["name"]) == ("4000009990000001", "123", "Amy")


async def test_a_capability_goes_by_its_name() -> None:
    account = id_of("account", "reseller")
    async with reader() as api:
        shown = await get(api, f"/v1/accounts/{account}/capabilities/transfers?expand[]=account")
        assert (shown["id"], shown["account"]["id"]) == ("transfers", account)
        assert (await api.get(f"/v1/accounts/{account}/capabilities/boats")).json()["error"]["param"] == "capability"


async def test_objects_without_an_id_show_none() -> None:
    async with reader() as api:
        for path in ("/v1/balance", "/v1/balance_settings", "/v1/tax/settings", f"/v1/customers/{AMY}/cash_balance"):
            assert "id" not in await get(api, path)
        nothing = await get(api, f"/v1/customers/{id_of('customer', 'plain')}/cash_balance")
        assert (nothing["available"], nothing["customer"]) == (None, id_of("customer", "plain"))
        without = await api.get(f"/v1/charges/{id_of('charge', '8')}/dispute")
        assert (without.status_code, without.json()["error"]["code"]) == (404, "resource_missing")


async def test_events_show_what_they_are_about_for_thirty_days() -> None:
    async with client() as api:
        event = await get(api, f"/v1/events/{id_of('event', 'about-7')}")
        assert (event["data"]["object"]["id"], event["data"]["object"]["amount"]) == (id_of("charge", "7"), 700)
        old = await api.get(f"/v1/events/{id_of('event', 'old')}")
        assert (old.status_code, old.json()["error"]["code"]) == (404, "resource_missing")
        plain = id_of("customer", "plain")
        await api.delete(f"/v1/customers/{plain}")
        event = await get(api, f"/v1/events/{id_of('event', 'about-plain')}")
        assert (event["data"]["object"]["id"], event["data"]["object"]["name"]) == (plain, "李 明")


async def test_a_verification_session_gives_its_secret_only_while_it_needs_input() -> None:
    async with reader() as api:
        kind, path = "identity.verification_session", "/v1/identity/verification_sessions/"
        waiting, done = await get(api, path + id_of(kind, "amy")), await get(api, path + id_of(kind, "done"))
        assert (waiting["client_secret"], waiting["url"]) == ("vs_1", "https://x.example")
        assert (done["client_secret"], done["url"]) == (None, None)


async def test_some_reports_need_a_live_key() -> None:
    async with reader() as api:
        assert (await get(api, "/v1/reporting/report_types/balance.summary.1"))["name"] == "balance.summary.1"
        response = await api.get("/v1/reporting/report_types/payouts.live.1")
        assert (response.status_code, "live mode" in response.json()["error"]["message"]) == (400, True)
    async with reader(key="sk_live_x") as api:
        assert (await get(api, "/v1/reporting/report_types/payouts.live.1"))["livemode"] is True


async def test_a_rendering_template_has_versions() -> None:
    path = f"/v1/invoice_rendering_templates/{id_of('invoice_rendering_template', 'letter')}"
    async with reader() as api:
        for query, nickname in (("", "New"), ("?version=2", "New"), ("?version=1", "Old")):
            assert (await get(api, path + query))["nickname"] == nickname
        response = await api.get(f"{path}?version=3")
        assert (response.status_code, response.json()["error"]["param"]) == (404, "version")


async def test_discounts_of_their_bearers() -> None:
    running = id_of("subscription", "running")
    async with reader() as api:
        assert (await get(api, f"/v1/customers/{AMY}/discount"))["id"] == id_of("discount", "amy")
        shown = await get(api, f"/v1/customers/{AMY}/subscriptions/{running}/discount")
        assert shown["id"] == id_of("discount", "running")
        for path in (
            f"/v1/customers/{id_of('customer', 'plain')}/discount",
            f"/v1/customers/{AMY}/subscriptions/{id_of('subscription', 'trial')}/discount",
        ):
            response = await api.get(path)
            assert (response.status_code, response.json()["error"]["code"]) == (404, "resource_missing")


async def test_old_addresses_lead_to_the_same_objects() -> None:
    account, charge = id_of("account", "reseller"), id_of("charge", "7")
    person, transaction = id_of("person", "owner"), id_of("balance_transaction", "7")
    linked = id_of("financial_connections.account", "amy")
    twins = [
        (f"/v1/accounts/{account}/people/{person}", f"/v1/accounts/{account}/persons/{person}"),
        (
            f"/v1/accounts/{account}/bank_accounts/{id_of('card', 'debit')}",
            f"/v1/accounts/{account}/external_accounts/{id_of('card', 'debit')}",
        ),
        (f"/v1/balance/history/{transaction}", f"/v1/balance_transactions/{transaction}"),
        (f"/v1/charges/{charge}/dispute", f"/v1/disputes/{id_of('dispute', '7')}"),
        (f"/v1/linked_accounts/{linked}", f"/v1/financial_connections/accounts/{linked}"),
    ]
    async with reader() as api:
        for old, new_one in twins:
            assert await get(api, old) == await get(api, new_one)


@pytest.fixture
def moving() -> Iterator[tuple[Clock, Direct]]:
    """The clock of the sandbox's own world, and a client of it."""
    clock = Clock(OWN_NOW)
    api, _ = payments.services(World(OWN.seed, OWN_NOW, clock))
    app = Starlette(routes=[Mount("/payments", app=api)])
    with Direct(app, "http://sandbox/payments", Authorization="Bearer sk_test_time") as direct:
        yield clock, direct


def test_tax_calculations_go_at_the_second_at_which_they_expire(moving: tuple[Clock, Direct]) -> None:
    clock, api = moving
    ends, id_ = min(
        (row.body["expires_at"], row.id)
        for row in written(OWN)["tax.calculation"]
        if (row.body.get("expires_at") or 0) > OWN_NOW
    )
    paths = [f"/v1/tax/calculations/{id_}", f"/v1/tax/calculations/{id_}/line_items"]
    clock.advance(ends - 1 - OWN_NOW)
    assert [api.send("GET", path).status_code for path in paths] == [200, 200]
    clock.advance(1)
    assert [api.send("GET", path).status_code for path in paths] == [404, 404]


def test_events_go_after_thirty_days(moving: tuple[Clock, Direct]) -> None:
    clock, api = moving
    row = min((row for row in written(OWN)["event"] if row.created >= OWN_NOW - 30 * DAY), key=lambda row: row.created)
    clock.advance(row.created + 30 * DAY - OWN_NOW)
    assert api.get(f"/v1/events/{row.id}")["id"] in [one["id"] for one in api.get("/v1/events", limit=100)["data"]]
    clock.advance(1)
    assert api.send("GET", f"/v1/events/{row.id}").status_code == 404
    assert row.id not in [one["id"] for one in api.get("/v1/events", limit=100)["data"]]


def test_what_is_ended_is_ended_at_the_present_moment(moving: tuple[Clock, Direct]) -> None:
    clock, api = moving
    subscription = next(row for row in written(OWN)["subscription"] if row.body["status"] == "active")
    clock.advance(3 * DAY)
    api.send("DELETE", f"/v1/customers/{subscription.body['customer']}")
    shown = api.get(f"/v1/subscriptions/{subscription.id}")
    assert (shown["status"], shown["canceled_at"], shown["ended_at"]) == ("canceled", OWN_NOW + 3 * DAY, OWN_NOW + 3 * DAY)
