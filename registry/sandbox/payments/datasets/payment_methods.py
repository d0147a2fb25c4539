"""Payment methods: those of every customer, one of every type in the gallery, and a few that no customer keeps.

Some customers pay with a card or a bank account that is kept in the older way, as a source.
"""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets import methods
from registry.sandbox.payments.datasets.agreed import BY_KEY, Cohort, first
from registry.sandbox.payments.datasets.charging import details
from registry.sandbox.payments.datasets.contracts import joined
from registry.sandbox.payments.datasets.parts import Hash, place, year_of
from registry.sandbox.payments.datasets.paying import payments
from registry.sandbox.payments.shapes import ABSENT, shapes
from registry.sandbox.world import DAY

_REDISPLAY = ("unspecified", "limited", "always")

_OWN_GENRE = frozenset({"card", "card_present", "interac_present"})


def others(builder: Builder) -> None:
    """Write the methods of the gallery, and those that no customer keeps."""
    year = year_of(builder.world.now)
    _gallery(builder, year)
    _loose(builder, year)


def write(builder: Builder, cohort: Cohort) -> None:
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


_CHECKS = ("pass", "unchecked", "fail", "unavailable")
_BANKS: dict[str, Hash] = {
    "DE": {"account_type": None, "bank_name": "TESTBANK", "last4": "3000", "routing_number": None},
    "US": {"account_type": "checking", "bank_name": "TEST BANK", "last4": "6789", "routing_number": "110000000"},
}


def sources(builder: Builder, cohort: Cohort) -> None:
    """Write the payment sources of a cohort's customers."""
    year = year_of(builder.world.now)
    since = joined(cohort)
    for buyer in cohort.buyers:
        for method in methods.wallet(buyer):
            if not method.older:
                continue
            created = since[buyer.key] + 60 + method.place
            if method.kind == "card":
                _card(builder, method, created, year)
            else:
                _bank_account(builder, method, created)


def _card(builder: Builder, method: methods.Method, created: int, year: int) -> None:
    buyer, card = method.buyer, methods.CARDS[method.code]
    address = place(buyer.where)
    month, years = method.expires
    builder.new(
        "card",
        method.key,
        created,
        customer=builder.id("customer", buyer.key),
        **{f"address_{field}": address[field] for field in ("city", "country", "line1", "state")},
        address_line1_check=_CHECKS[method.place % 3],
        address_zip=address["postal_code"],
        address_zip_check="pass" if address["postal_code"] else None,
        allow_redisplay=("unspecified", "limited", "always")[method.place % 3],
        brand=methods.SOURCE_NAMES[card.brand],
        country=buyer.country,
        cvc_check=_CHECKS[(len(buyer.key) + method.place) % 4],
        exp_month=month,
        # One of a customer's older cards has run out.
        exp_year=year + years - (6 if method.place % 4 == 3 else 0),
        fingerprint=methods.fingerprint(builder.world, method),
        funding=card.funding,
        last4=card.last4,
        name=buyer.name,
        regulated_status="regulated" if card.funding == "debit" else "unregulated",
        tokenization_method="apple_pay" if buyer.key == "lantern" else None,
    )


def _bank_account(builder: Builder, method: methods.Method, created: int) -> None:
    buyer = method.buyer
    builder.new(
        "bank_account",
        method.key,
        created,
        **_BANKS["DE" if buyer.country == "DE" else "US"],
        customer=builder.id("customer", buyer.key),
        account_holder_name=buyer.name,
        account_holder_type="company",
        country=buyer.country,
        currency=buyer.currency,
        fingerprint=methods.fingerprint(builder.world, method),
        status="verified" if method.place % 2 else "new",
    )
