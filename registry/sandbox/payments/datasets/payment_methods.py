"""Payment methods: those of every customer, one of every type in the gallery, and a few that no customer keeps."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets import methods
from registry.sandbox.payments.datasets.agreed import BY_KEY
from registry.sandbox.payments.datasets.charging import details
from registry.sandbox.payments.datasets.cohort import Cohort, first
from registry.sandbox.payments.datasets.contracts import joined
from registry.sandbox.payments.datasets.parts import Hash, year_of
from registry.sandbox.payments.datasets.paying import payments
from registry.sandbox.payments.shapes import ABSENT, shapes
from registry.sandbox.world import DAY

_REDISPLAY = ("unspecified", "limited", "always")

_OWN_GENRE = frozenset({"card", "card_present", "interac_present"})


def write(builder: Builder) -> None:
    """Write the methods of the gallery, and those that no customer keeps."""
    year = year_of(builder.world.now)
    _gallery(builder, year)
    _loose(builder, year)


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write what a cohort's customers pay with."""
    world = builder.world
    year = year_of(world.now)
    since = joined(cohort)
    for buyer in cohort.buyers:
        billed = methods.billing_details(buyer)
        for method in methods.wallet(buyer):
            if method.kind == "bank_account" or (method.older and method.place):
                continue
            details = methods.method_details(world, method, year)
            if method.type == "us_bank_account" and buyer.key in ("cedar", "blue.heron"):
                details["financial_connections_account"] = builder.id("financial_connections.account", buyer.key)
            builder.new(
                "payment_method",
                method.key,
                since[buyer.key] + 60 + method.place,
                id=builder.id("card", method.key) if method.older else None,
                type=method.type,
                customer=builder.id("customer", buyer.key),
                allow_redisplay=_REDISPLAY[(method.place + len(buyer.key)) % 3],
                billing_details=billed,
                metadata={"nickname": "office"} if method.place == 1 else {},
                _test_clock=builder.id("test_helpers.test_clock", buyer.clock) if buyer.clock else ABSENT,
                **{method.type: details},
            )


def _gallery(builder: Builder, year: int) -> None:
    """One method of every type, on the customer that exists for looking at them."""
    buyer, world = BY_KEY["gallery"], builder.world
    known = shapes()["payment_method"].fields
    types = [type_ for type_ in known["type"]["enum"] if type_ not in _OWN_GENRE and type_ in known]
    for number, type_ in enumerate(types):
        method = methods.Method(f"gallery/{type_}", buyer, type_, number, False)
        inner: dict[str, Any] = {type_: methods.method_details(world, method, year)}
        if type_ == "us_bank_account":
            inner[type_]["status_details"] = {"blocked": {"network_code": "R02", "reason": "bank_account_closed"}}
        builder.new(
            "payment_method",
            method.key,
            world.now - (100 - number) * DAY,
            type=type_,
            customer=builder.id("customer", buyer.key),
            allow_redisplay=_REDISPLAY[number % 3],
            billing_details=methods.billing_details(buyer),
            **inner,
        )


def _loose(builder: Builder, year: int) -> None:
    world, now = builder.world, builder.world.now

    def new(key: str, made: int, type_: str, billed: Hash, inner: Hash, **more: Any) -> None:
        more |= {"type": type_, "billing_details": billed, type_: inner}
        builder.new("payment_method", key, made, **more)

    def seen(key: str) -> Hash:
        return {"fingerprint": world.token(f"fingerprint/{key}", 16)}

    for number, key in enumerate(("till/1", "till/2", "till/3")):
        kind, held = ("interac_present", methods.INTERAC) if key == "till/3" else ("card_present", methods.PRESENT)
        new(key, now - (44 - number * 9) * DAY, kind, methods.NOBODY, held | seen(key))
    buyer = BY_KEY["maple.main"]
    origin = {"payment_method_details": details(builder, payments(first(world))["till/1"], year)}
    card = methods.method_details(world, methods.GENERATED, year) | {
        "generated_from": {"charge": builder.id("charge", "till/1/0")} | origin
    }
    kept = {"customer": builder.id("customer", buyer.key), "allow_redisplay": "limited"}
    new("generated", now - 43 * DAY + 12, "card", methods.billing_details(buyer), card, **kept)
    bank = methods.method_details(world, methods.Method("own", BY_KEY["cedar"], "ach", 0, False), year)
    company = methods.NOBODY | {"email": "treasury@fernway.example", "name": "Fernway Software"}
    for key, last4 in (("own/checking", "6789"), ("own/savings", "1116")):
        new(key, now - 300 * DAY, "us_bank_account", company, bank | seen(key) | {"last4": last4})
    for number, guest in enumerate(methods.GUESTS):
        billed = methods.NOBODY | {"email": f"guest{number}@post.example", "name": methods.GUEST_NAMES[number]}
        new(guest.key, now - (70 - 12 * number) * DAY, "card", billed, methods.method_details(world, guest, year))
