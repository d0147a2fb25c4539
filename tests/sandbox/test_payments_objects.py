"""Single objects: how they are shown, what `expand` adds, and what must hold before some of them are shown."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from registry.sandbox import payments
from registry.sandbox.clock import Clock
from registry.sandbox.world import DAY, World
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import delete, fresh, get, id_of
from tests.sandbox.written_worlds import NOW as OWN_NOW
from tests.sandbox.written_worlds import WORLD as OWN
from tests.sandbox.written_worlds import written

AMY, CHARGE = id_of("customer", "amy"), f"/v1/charges/{id_of('charge', '7')}"
RUNNING = f"/v1/subscriptions/{id_of('subscription', 'running')}"


def test_expansion_reaches_references_lists_and_hashes() -> None:
    charge = get(f"{CHARGE}?expand[]=customer&expand[]=payment_intent.latest_charge&expand[2]=refunds")
    assert charge["customer"]["email"] == "amy@meadow.example"
    assert charge["payment_intent"]["latest_charge"]["id"] == charge["id"]
    assert (len(charge["refunds"]["data"]), charge["refunds"]["has_more"]) == (10, True)
    paths = (
        "sources", "subscriptions.data.latest_invoice", "default_source.customer", "invoice_settings.default_payment_method",
        "cash_balance", "discount.source.coupon",
    )  # fmt: skip
    customer = get(f"/v1/customers/{AMY}?" + "&".join(f"expand[]={path}" for path in paths))
    assert {one["object"] for one in customer["sources"]["data"]} == {"card", "bank_account", "source"}
    assert {one["status"] for one in customer["subscriptions"]["data"]} == {"active", "trialing"}
    assert customer["subscriptions"]["data"][0]["latest_invoice"]["object"] == "invoice"
    assert customer["default_source"]["customer"]["id"] == AMY
    assert customer["invoice_settings"]["default_payment_method"]["object"] == "payment_method"
    assert customer["cash_balance"]["available"] == {"eur": 100}
    assert customer["discount"]["source"]["coupon"]["percent_off"] == 10.0
    assert get(f"{RUNNING}?expand[]=items.data.price.tiers")["items"]["data"][0]["price"]["tiers"][0]["up_to"] == 10
    page = get(f"{CHARGE}/refunds?limit=2&expand[]=data.charge.customer")
    assert [one["charge"]["customer"]["id"] for one in page["data"]] == [AMY, AMY]
    found = get("/v1/charges/search?query=amount:700&expand[]=data.customer")
    assert [one["customer"]["id"] for one in found["data"]] == [AMY]


def test_events_show_what_they_are_about_also_when_that_is_gone() -> None:
    event = get(f"/v1/events/{id_of('event', 'about-7')}")
    assert (event["data"]["object"]["id"], event["data"]["object"]["amount"]) == (id_of("charge", "7"), 700)
    plain = id_of("customer", "plain")
    with fresh() as api:
        delete(api, f"/v1/customers/{plain}")
        event = api.get(f"/v1/events/{id_of('event', 'about-plain')}")
    assert (event["data"]["object"]["id"], event["data"]["object"]["name"]) == (plain, "李 明")


def test_a_rendering_template_has_versions() -> None:
    path = f"/v1/invoice_rendering_templates/{id_of('invoice_rendering_template', 'letter')}"
    assert [get(path + query)["nickname"] for query in ("", "?version=2", "?version=1")] == ["New", "New", "Old"]


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
    calculations = [(row.body.get("expires_at") or 0, row.id) for row in written(OWN)["tax.calculation"]]
    ends, id_ = min(one for one in calculations if one[0] > OWN_NOW)
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
    delete(api, f"/v1/customers/{subscription.body['customer']}")
    shown = api.get(f"/v1/subscriptions/{subscription.id}")
    assert (shown["status"], shown["canceled_at"], shown["ended_at"]) == ("canceled", OWN_NOW + 3 * DAY, OWN_NOW + 3 * DAY)
