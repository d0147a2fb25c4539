"""Payment methods: those of every customer, one of every type in the gallery, and a few that no customer keeps.

Some customers pay with a card or a bank account that is kept in the older way, as a source. Mandates are here too, with the
setup intents and attempts by which methods were made ready for later.
"""

from typing import Any

from registry.sandbox.payments.datasets import goods
from registry.sandbox.payments.datasets.agreed import BY_KEY, Cohort, Fields, first, rows
from registry.sandbox.payments.datasets.bills import joined
from registry.sandbox.payments.datasets.charging import details
from registry.sandbox.payments.datasets.parts import PAY, Hash, place, to_authenticate, year_of
from registry.sandbox.payments.datasets.paying import payments
from registry.sandbox.payments.datasets.tables import listed
from registry.sandbox.payments.shapes import ABSENT, Builder, shapes
from registry.sandbox.world import DAY

_REDISPLAY = ("unspecified", "limited", "always")
_OWN_GENRE = frozenset({"card", "card_present", "interac_present"})


def write(builder: Builder, cohort: Cohort) -> None:
    """Write what a cohort's customers pay with."""
    year, since = year_of(builder.world.now), joined(cohort)
    for buyer in cohort.buyers:
        for method in goods.wallet(buyer):
            if method.kind == "bank_account" or (method.older and method.place):
                continue
            inner = goods.method_details(builder.world, method, year)
            if method.type == "us_bank_account" and buyer.key in ("cedar", "blue.heron"):
                inner["financial_connections_account"] = builder.id("financial_connections.account", buyer.key)
            _method(
                builder,
                method,
                since[buyer.key] + 60 + method.place,
                inner,
                allow_redisplay=_REDISPLAY[(method.place + len(buyer.key)) % 3],
                id=builder.id("card", method.key) if method.older else None,
                metadata={"nickname": "office"} if method.place == 1 else {},
                _test_clock=builder.link("test_helpers.test_clock", buyer.clock),
            )


def _method(builder: Builder, method: goods.Method, made: int, inner: Hash, **more: Any) -> None:
    customer, billed = builder.id("customer", method.buyer.key), goods.billing_details(method.buyer)
    fields: Hash = {"type": method.type, "customer": customer, "billing_details": billed, method.type: inner}
    builder.new("payment_method", method.key, made, **fields, **more)


def others(builder: Builder) -> None:
    """Write the methods of the gallery, one of every type, and those that no customer keeps."""
    world, now, year = builder.world, builder.world.now, year_of(builder.world.now)
    known = shapes()["payment_method"].fields
    types = [type_ for type_ in known["type"]["enum"] if type_ not in _OWN_GENRE and type_ in known]
    for number, type_ in enumerate(types):
        method = goods.Method(f"gallery/{type_}", BY_KEY["gallery"], type_, number, False)
        inner = goods.method_details(world, method, year)
        if type_ == "us_bank_account":
            inner["status_details"] = {"blocked": {"network_code": "R02", "reason": "bank_account_closed"}}
        _method(builder, method, now - (100 - number) * DAY, inner, allow_redisplay=_REDISPLAY[number % 3])

    till = {"payment_method_details": details(builder, payments(first(world))["till/1"], year)}
    card = goods.method_details(world, goods.GENERATED, year)
    card["generated_from"] = {"charge": builder.id("charge", "till/1/0")} | till
    _method(builder, goods.GENERATED, now - 43 * DAY + 12, card, allow_redisplay="limited")

    def new(key: str, made: int, type_: str, inner: Hash, **billed: str) -> None:
        fields: Hash = {"type": type_, "billing_details": goods.NOBODY | billed, type_: inner}
        builder.new("payment_method", key, made, **fields)

    def seen(key: str) -> Hash:
        return {"fingerprint": world.token(f"fingerprint/{key}", 16)}

    for number, key in enumerate(("till/1", "till/2", "till/3")):
        kind, held = ("interac_present", goods.INTERAC) if key == "till/3" else ("card_present", goods.PRESENT)
        new(key, now - (44 - number * 9) * DAY, kind, held | seen(key))
    bank = goods.method_details(world, goods.Method("own", BY_KEY["cedar"], "ach", 0, False), year)
    for key, last4 in (("own/checking", "6789"), ("own/savings", "1116")):
        inner = bank | seen(key) | {"last4": last4}
        new(key, now - 300 * DAY, "us_bank_account", inner, email="treasury@fernway.example", name="Fernway Software")
    for number, guest in enumerate(goods.GUESTS):
        made, inner = now - (70 - 12 * number) * DAY, goods.method_details(world, guest, year)
        new(guest.key, made, "card", inner, email=f"guest{number}@post.example", name=goods.GUEST_NAMES[number])


_CHECKS = ("pass", "unchecked", "fail", "unavailable")


def sources(builder: Builder, cohort: Cohort) -> None:
    """Write the payment sources of a cohort's customers."""
    year, since = year_of(builder.world.now), joined(cohort)
    for buyer in cohort.buyers:
        for method in (one for one in goods.wallet(buyer) if one.older):
            card, address = goods.CARDS.get(method.code), place(buyer.where)
            if card is None:
                fields: Hash = listed("methods", "more")["bank"]["DE" if buyer.country == "DE" else "US"] | {
                    "account_holder_name": buyer.name,
                    "account_holder_type": "company",
                    "currency": buyer.currency,
                    "status": "verified" if method.place % 2 else "new",
                }
            else:
                month, years = method.expires
                years -= 6 if method.place % 4 == 3 else 0  # one of a customer's older cards has run out
                fields = {f"address_{field}": address[field] for field in ("city", "country", "line1", "state")} | {
                    "address_line1_check": _CHECKS[method.place % 3],
                    "address_zip": address["postal_code"],
                    "address_zip_check": "pass" if address["postal_code"] else None,
                    "allow_redisplay": _REDISPLAY[method.place % 3],
                    "brand": card["source"],
                    "cvc_check": _CHECKS[(len(buyer.key) + method.place) % 4],
                    "exp_month": month,
                    "exp_year": year + years,
                    "funding": card["funding"],
                    "last4": card["last4"],
                    "name": buyer.name,
                    "regulated_status": "regulated" if card["funding"] == "debit" else "unregulated",
                    "tokenization_method": "apple_pay" if buyer.key == "lantern" else None,
                }
            fields |= {"customer": builder.id("customer", buyer.key), "country": buyer.country}
            fields["fingerprint"] = goods.fingerprint(builder.world, method)
            builder.new(method.kind, method.key, since[buyer.key] + 60 + method.place, **fields)


_SEEN = "brand checks country exp_month exp_year fingerprint funding last4 network"
"""What an attempt shows of a card, like its charges."""

_GALLERY_DEBITS = ("acss_debit", "au_becs_debit", "bacs_debit", "sepa_debit")
_STATUSES = {"gallery/bacs_debit": "pending", "gallery/acss_debit": "inactive"}


def setups(builder: Builder) -> None:
    """Write the mandates of the gallery, and the setup intents that kept no method."""
    now = builder.world.now
    for number, type_ in enumerate(_GALLERY_DEBITS):
        method = goods.Method(f"gallery/{type_}", BY_KEY["gallery"], type_, number, False)
        _mandate(builder, method, now - 99 * DAY, single=type_ == "sepa_debit")
    for said in rows("setup", Fields).values():
        place, made = said.pop("method", 0), now - int(said.pop("days") * DAY)
        # Its method is a place in the wallet; without one nothing was tried yet.
        _setup(builder, None if place is None else goods.wallet(BY_KEY[said["buyer"]])[place], made, **said)


def mandates(builder: Builder, cohort: Cohort) -> None:
    """Write the mandates of a cohort's customers, with how they were set up."""
    since = joined(cohort)
    for buyer in cohort.buyers:
        for method in goods.wallet(buyer):
            if mandate := goods.mandate_of(builder, method):
                made = since[buyer.key] + 45
                _mandate(builder, method, made)
                _setup(builder, method, made - 5, f"{method.key}/setup", buyer.key, "succeeded", mandate=mandate)


def _mandate(builder: Builder, method: goods.Method, made: int, *, single: bool = False) -> None:
    status, type_ = _STATUSES.get(method.key, "active"), "single_use" if single else "multi_use"
    reference = builder.world.capitals(f"mandate/{method.key}", 16)
    url = f"{PAY}/mandates/{reference}"
    details: dict[str, Hash] = {
        "sepa_debit": {"reference": reference, "url": url},
        "bacs_debit": {"network_status": "pending" if status == "pending" else "accepted", "reference": reference, "url": url},
        "us_bank_account": {"collection_method": "paper"} if method.buyer.key == "riverbend" else {},
        "acss_debit": {"default_for": ["invoice", "subscription"], "interval_description": "on the first of the month"},
        "au_becs_debit": {"url": url},
    }
    online = {"ip_address": f"203.0.113.{10 + len(method.buyer.key)}", "user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}
    fields: Hash = {
        "customer_acceptance": {"accepted_at": made, "online": online, "type": "online"},
        "payment_method": builder.id("payment_method", method.key),
        "payment_method_details": {method.type: details.get(method.type, {}), "type": method.type},
        "status": status,
        "type": type_,
        type_: {"amount": 2_500, "currency": "eur"} if single else {},
    }
    builder.new("mandate", method.key, made, **fields)


def _setup(
    builder: Builder, method: goods.Method | None, made: int, key: str, buyer: str, status: str,
    *, reason: str | None = None, error: str | None = None, mandate: str | None = None,
) -> None:  # fmt: skip
    """Write a setup intent; `error` is a code that its attempt failed with."""
    customer, id_ = builder.id("customer", buyer), builder.id("setup_intent", key)
    type_ = method.type if method else "card"
    tried = builder.id("payment_method", method.key) if method else None
    attempt, failure = ABSENT, None
    shown: Hash = {}  # almost nothing if no method was kept
    if method and method.code in goods.CARDS:
        card = goods.charge_details(builder.world, method, 0, year_of(builder.world.now), None)["card"]
        shown = {name: card[name] for name in _SEEN.split()}
    if error:
        failure = {"code": error, "decline_code": "generic_decline", "message": "Your card was declined.", "type": "card_error"}
    if (tried and status in ("succeeded", "requires_action", "processing")) or error:
        attempt = builder.new(
            "setup_attempt",
            key,
            made + 2,
            customer=customer,
            payment_method=tried,
            payment_method_details={type_: shown, "type": type_},
            setup_error=failure,
            setup_intent=id_,
            status="failed" if error else status,
            usage="off_session",
        )
    builder.new(
        "setup_intent",
        key,
        made,
        cancellation_reason=reason,
        client_secret=f"{id_}_secret_{id_[:4:-1]}",
        customer=customer,
        description="Card on file" if type_ == "card" else "Direct debit",
        last_setup_error=failure or ABSENT,
        latest_attempt=attempt,
        mandate=mandate,
        metadata={"asked_by": "grace.bell"} if reason else {},
        next_action=to_authenticate(id_) if status == "requires_action" else ABSENT,
        payment_method=None if error else tried,
        payment_method_types=[type_],
        status=status,
        usage="on_session" if reason else "off_session",
    )
