"""Payment methods: those of every customer, one of every type in the gallery, and a few that no customer keeps."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.charging import details
from registry.sandbox.payments.chapters.cohort import Cohort, first
from registry.sandbox.payments.chapters.contracts import joined
from registry.sandbox.payments.chapters.methods import (
    GENERATED,
    GUEST_NAMES,
    GUESTS,
    INTERAC,
    NOBODY,
    PRESENT,
    Method,
    billing_details,
    method_details,
    wallet,
)
from registry.sandbox.payments.chapters.parts import year_of
from registry.sandbox.payments.chapters.paying import payments
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.payments.naming import names
from registry.sandbox.payments.shapes import shapes
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
        billed = billing_details(buyer)
        for method in wallet(buyer):
            if method.kind == "bank_account" or (method.older and method.place):
                continue
            details = method_details(world, method, year)
            if method.type == "us_bank_account" and buyer.key in ("cedar", "blue.heron"):
                details["financial_connections_account"] = names(builder.world)("financial_connections.account", buyer.key)
            builder.new(
                "payment_method",
                method.key,
                since[buyer.key] + 60 + method.place,
                id=names(builder.world)("card", method.key) if method.older else None,
                type=method.type,
                customer=names(builder.world)("customer", buyer.key),
                allow_redisplay=_REDISPLAY[(method.place + len(buyer.key)) % 3],
                billing_details=billed,
                metadata={"nickname": "office"} if method.place == 1 else {},
                **({"_test_clock": builder.id("test_helpers.test_clock", buyer.clock)} if buyer.clock else {}),
                **{method.type: details},
            )


def _gallery(builder: Builder, year: int) -> None:
    """One method of every type, on the customer that exists for looking at them."""
    buyer, world = BY_KEY["gallery"], builder.world
    billed = billing_details(buyer)
    customer = names(builder.world)("customer", buyer.key)
    known = shapes()["payment_method"].fields
    types = [type_ for type_ in known["type"]["enum"] if type_ not in _OWN_GENRE and type_ in known]
    for number, type_ in enumerate(types):
        method = Method(f"gallery/{type_}", buyer, type_, number, False)
        inner: dict[str, Any] = {type_: method_details(world, method, year)}
        if type_ == "us_bank_account":
            inner[type_]["status_details"] = {"blocked": {"network_code": "R02", "reason": "bank_account_closed"}}
        builder.new(
            "payment_method",
            method.key,
            world.now - (100 - number) * DAY,
            type=type_,
            customer=customer,
            allow_redisplay=_REDISPLAY[number % 3],
            billing_details=billed,
            **inner,
        )


def _loose(builder: Builder, year: int) -> None:
    world, now = builder.world, builder.world.now
    for number, key in enumerate(("till/1", "till/2", "till/3")):
        kind = "interac_present" if key == "till/3" else "card_present"
        held = INTERAC if kind == "interac_present" else PRESENT
        inner: dict[str, Any] = {kind: held | {"fingerprint": world.token(f"fingerprint/{key}", 16)}}
        builder.new("payment_method", key, now - (44 - number * 9) * DAY, type=kind, billing_details=NOBODY, **inner)
    card = method_details(world, GENERATED, year)
    origin: dict[str, Any] = {
        "charge": names(builder.world)("charge", "till/1/0"),
        "payment_method_details": details(builder, payments(first(world))["till/1"], year),
    }
    builder.new(
        "payment_method",
        "generated",
        now - 43 * DAY + 12,
        type="card",
        customer=names(builder.world)("customer", "maple.main"),
        allow_redisplay="limited",
        billing_details=billing_details(BY_KEY["maple.main"]),
        card=card | {"generated_from": origin},
    )
    bank = method_details(world, Method("own", BY_KEY["cedar"], "ach", 0, False), year)
    for key, last4 in (("own/checking", "6789"), ("own/savings", "1116")):
        builder.new(
            "payment_method",
            key,
            now - 300 * DAY,
            type="us_bank_account",
            billing_details=NOBODY | {"email": "treasury@fernway.example", "name": "Fernway Software"},
            us_bank_account=bank | {"fingerprint": world.token(f"fingerprint/{key}", 16), "last4": last4},
        )
    for number, guest in enumerate(GUESTS):
        builder.new(
            "payment_method",
            guest.key,
            now - (70 - 12 * number) * DAY,
            type="card",
            billing_details=NOBODY | {"email": f"guest{number}@post.example", "name": GUEST_NAMES[number]},
            card=method_details(world, guest, year),
        )
