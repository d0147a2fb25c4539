"""What depends on the moment: things that can be read for a while only, and test clocks with a time of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from registry.sandbox import payments
from registry.sandbox.clock import Clock
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.preconditions import EVENT_AGE
from registry.sandbox.world import DAY, World
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import FAKES, dataset, id_of, new
from tests.sandbox.payments_fakes import application as fake_application
from tests.sandbox.test_world_references import NOW, WORLD, written

KEY = {"Authorization": "Bearer sk_test_time"}


class Moving:
    """A world of the sandbox, its clock, and a client of it."""

    def __init__(self) -> None:
        self.clock = Clock(NOW)
        api, files = payments.services(World(WORLD.seed, NOW, self.clock))
        self.app = Starlette(routes=[Mount("/payments", app=api), Mount("/files", app=files)])
        self.api = Direct(self.app, "http://sandbox/payments", **KEY)

    def status(self, path: str) -> int:
        """The status of a read; that of a thing whose time is over comes with its code."""
        response = self.api.send("GET", path)
        if response.status_code != 200:
            assert response.json()["error"]["code"] == "resource_missing"
        return response.status_code


@pytest.fixture
def moving() -> Iterator[Moving]:
    made = Moving()
    yield made
    made.api.close()


def test_tax_calculations_go_at_the_second_at_which_they_expire(moving: Moving) -> None:
    row = min(
        (row for row in written(WORLD)["tax.calculation"] if (row.body.get("expires_at") or 0) > NOW),
        key=lambda row: row.body["expires_at"],
    )
    paths = [f"/v1/tax/calculations/{row.id}", f"/v1/tax/calculations/{row.id}/line_items"]
    moving.clock.advance(row.body["expires_at"] - 1 - NOW)
    assert [moving.status(path) for path in paths] == [200, 200]
    moving.clock.advance(1)
    assert [moving.status(path) for path in paths] == [404, 404]


def test_events_go_after_thirty_days(moving: Moving) -> None:
    young = [row for row in written(WORLD)["event"] if row.created >= NOW - EVENT_AGE]
    assert len(young) >= 3
    for row in young[:3]:
        path = f"/v1/events/{row.id}"
        moving.clock.advance(row.created + EVENT_AGE - moving.clock.now())
        assert moving.status(path) == 200
        moving.clock.advance(1)
        assert moving.status(path) == 404
    assert EVENT_AGE == 30 * DAY


def test_what_is_ended_is_ended_at_the_present_moment(moving: Moving) -> None:
    subscription = next(row for row in written(WORLD)["subscription"] if row.body["status"] == "active")
    moving.clock.advance(3 * DAY)
    moving.api.send("DELETE", f"/v1/customers/{subscription.body['customer']}")
    shown = moving.api.get(f"/v1/subscriptions/{subscription.id}")
    assert (shown["status"], shown["canceled_at"], shown["ended_at"]) == ("canceled", NOW + 3 * DAY, NOW + 3 * DAY)


def test_quotes_and_ids_stay_as_they_were(moving: Moving) -> None:
    """The world is made at one moment; that the clock goes on does not make another one of it."""
    quote = next(row for row in written(WORLD)["quote"] if row.body["status"] != "draft")
    before = moving.api.get(f"/v1/quotes/{quote.id}")
    moving.clock.advance(40 * DAY)
    assert moving.api.get(f"/v1/quotes/{quote.id}") == before
    later = written(WORLD)["climate.order"][0]
    assert moving.api.get(f"/v1/climate/orders/{later.id}")["created"] == later.created


def _advancing(builder: Builder) -> None:
    for key, status in (("summer", "advancing"), ("winter", "ready"), ("autumn", "internal_failure")):
        clock = new(builder, "test_helpers.test_clock", key, status=status, frozen_time=NOW)
        customer = new(builder, "customer", key, test_clock=clock, discount=builder.id("discount", key))
        new(builder, "discount", key, customer=customer, source={"type": "coupon", "coupon": "SPRING10"})
        new(builder, "tax_id", key, customer=customer, value="DE987654321")
        new(builder, "invoiceitem", key, customer=customer, amount=100, test_clock=clock)
        new(builder, "invoice", key, customer=customer, status="draft", test_clock=clock, parent=None)
        new(
            builder,
            "subscription",
            key,
            customer=customer,
            status="active",
            test_clock=clock,
            discounts=[builder.id("discount", f"{key}/subscription")],
        )
        new(builder, "discount", f"{key}/subscription", subscription=builder.id("subscription", key), source={})


_KINDS = ("test_helpers.test_clock", "customer", "discount", "tax_id", "invoiceitem", "invoice", "subscription")

ON_CLOCKS = dataset(_advancing, *_KINDS)


@pytest.mark.parametrize("key", ["summer", "winter", "autumn"])
def test_what_is_on_a_clock_that_advances_refuses_changes(key: str) -> None:
    customer, clock = id_of("customer", key), id_of("test_helpers.test_clock", key)
    paths = [
        f"/v1/invoiceitems/{id_of('invoiceitem', key)}",
        f"/v1/invoices/{id_of('invoice', key)}",
        f"/v1/customers/{customer}/tax_ids/{id_of('tax_id', key)}",
        f"/v1/customers/{customer}/discount",
        f"/v1/subscriptions/{id_of('subscription', key)}/discount",
        f"/v1/customers/{customer}",
    ]
    others = [one for one in FAKES if "customer" not in one.kinds and "invoice" not in one.kinds]
    with Direct(fake_application(ON_CLOCKS, *others), "http://sandbox/payments", **KEY) as api:
        responses: list[Any] = [api.send("DELETE", path) for path in paths]
        if key != "summer":
            assert [response.status_code for response in responses] == [200] * len(paths)
            return
        for response in responses:
            error = response.json()["error"]
            assert (response.status_code, error["type"], "code" in error) == (400, "invalid_request_error", False)
            assert f"{clock} is advancing" in error["message"]
        assert "deleted" not in api.get(f"/v1/customers/{customer}")
        assert api.send("DELETE", f"/v1/test_helpers/test_clocks/{clock}").status_code == 200
        assert api.get(f"/v1/customers/{customer}")["deleted"] is True
