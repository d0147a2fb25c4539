"""Mandates, and the setup intents and attempts by which payment methods were made ready for later."""

from __future__ import annotations

from typing import Any, NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.cohort import Cohort
from registry.sandbox.payments.chapters.contracts import joined
from registry.sandbox.payments.chapters.methods import CARDS, DEBITS, Method, charge_details, wallet
from registry.sandbox.payments.chapters.parts import PAY, Hash, year_of
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.payments.naming import names
from registry.sandbox.world import DAY

_GALLERY_DEBITS = ("acss_debit", "au_becs_debit", "bacs_debit", "sepa_debit")
_STATUSES = {"gallery/bacs_debit": "pending", "gallery/acss_debit": "inactive"}


def mandate_of(builder: Builder, method: Method) -> str | None:
    """The id of the mandate that a method is debited by, if its type needs one."""
    if method.older or not (method.type in DEBITS or method.key == "rao/0"):
        return None
    return names(builder.world)("mandate", method.key)


_SEEN = ("brand", "checks", "country", "exp_month", "exp_year", "fingerprint", "funding", "last4", "network")
"""What an attempt tells of a card, as its charges do."""


def _tried(builder: Builder, method: Method | None) -> Hash:
    """What a setup attempt shows of the method that was tried; next to nothing where none was kept."""
    if method is None or method.code not in CARDS:
        return {}
    card = charge_details(builder.world, method, 0, year_of(builder.world.now), None)["card"]
    return {name: card[name] for name in _SEEN}


class _Attempt(NamedTuple):
    """A setup intent. Without `method` nothing was tried yet; `error` is a code that the attempt failed with."""

    key: str
    buyer: str
    method: int | None
    status: str
    days: float
    reason: str | None = None
    error: str | None = None


_ATTEMPTS = (
    _Attempt("okonkwo", "okonkwo", None, "requires_payment_method", 0.2),
    _Attempt("ivanenko", "ivanenko", 0, "requires_action", 12.4),
    _Attempt("quetzal.new", "quetzal", 0, "requires_confirmation", 3.6),
    _Attempt("cedar.bank", "cedar", 0, "processing", 0.9),
    _Attempt("yilmaz.declined", "yilmaz", 0, "requires_payment_method", 18.0, None, "card_declined"),
    _Attempt("murphy.left", "murphy", 0, "canceled", 26.0, "abandoned"),
    _Attempt("murphy.twice", "murphy", 0, "canceled", 25.9, "duplicate"),
    _Attempt("nowak.asked", "nowak", 0, "canceled", 12.0, "requested_by_customer"),
    _Attempt("reader", "maple.main", 1, "succeeded", 6.0),
)

_MESSAGES = {"card_declined": "Your card was declined."}


def write(builder: Builder) -> None:
    """Write the mandates of the gallery, and the setup intents that kept no method."""
    gallery = BY_KEY["gallery"]
    for number, type_ in enumerate(_GALLERY_DEBITS):
        method = Method(f"gallery/{type_}", gallery, type_, number, False)
        _mandate(
            builder, method, builder.world.now - 99 * DAY, _STATUSES.get(method.key, "active"), single=type_ == "sepa_debit"
        )
    for one in _ATTEMPTS:
        tried = None if one.method is None else wallet(BY_KEY[one.buyer])[one.method]
        made = builder.world.now - int(one.days * DAY)
        _setup(builder, one.key, tried, one.status, made, buyer=one.buyer, reason=one.reason, error=one.error)


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write the mandates of a cohort's customers, with how they were set up."""
    since = joined(cohort)
    for buyer in cohort.buyers:
        for method in wallet(buyer):
            mandate = mandate_of(builder, method)
            if mandate is None:
                continue
            made = since[buyer.key] + 45
            _mandate(builder, method, made, _STATUSES.get(method.key, "active"))
            _setup(builder, f"{method.key}/setup", method, "succeeded", made - 5, mandate=mandate)


def _mandate(builder: Builder, method: Method, made: int, status: str, *, single: bool = False) -> None:
    reference = builder.world.capitals(f"mandate/{method.key}", 16)
    inner: Hash = {}
    match method.type:
        case "sepa_debit":
            inner = {"reference": reference, "url": f"{PAY}/mandates/{reference}"}
        case "bacs_debit":
            inner = {
                "network_status": status if status == "pending" else "accepted",
                "reference": reference,
                "url": f"{PAY}/mandates/{reference}",
            }
        case "us_bank_account":
            inner = {"collection_method": "paper"} if method.buyer.key == "riverbend" else {}
        case "acss_debit":
            inner = {"default_for": ["invoice", "subscription"], "interval_description": "on the first of the month"}
        case "au_becs_debit":
            inner = {"url": f"{PAY}/mandates/{reference}"}
    online = {"ip_address": "203.0.113." + str(10 + len(method.buyer.key)), "user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}
    kind: Hash = {"single_use": {"amount": 2_500, "currency": "eur"}} if single else {"multi_use": {}}
    builder.new(
        "mandate",
        method.key,
        made,
        customer_acceptance={"accepted_at": made, "online": online, "type": "online"},
        payment_method=builder.id("payment_method", method.key),
        payment_method_details={method.type: inner, "type": method.type},
        status=status,
        type="single_use" if single else "multi_use",
        **kind,
    )


def _setup(
    builder: Builder,
    key: str,
    method: Method | None,
    status: str,
    made: int,
    *,
    buyer: str = "",
    mandate: str | None = None,
    reason: str | None = None,
    error: str | None = None,
) -> None:
    customer = builder.id("customer", method.buyer.key if method else buyer)
    id_ = builder.id("setup_intent", key)
    fields: dict[str, Any] = {}
    type_ = method.type if method else "card"
    tried = builder.id("payment_method", method.key) if method else None
    failure = None
    if error:
        failure = {"code": error, "decline_code": "generic_decline", "message": _MESSAGES[error], "type": "card_error"}
        fields["last_setup_error"] = failure
    if status == "requires_action":
        fields["next_action"] = {
            "redirect_to_url": {"return_url": f"{PAY}/return", "url": f"{PAY}/authenticate/{id_}"},
            "type": "redirect_to_url",
        }
    if (tried and status in ("succeeded", "requires_action", "processing")) or error:
        fields["latest_attempt"] = builder.new(
            "setup_attempt",
            key,
            made + 2,
            customer=customer,
            payment_method=tried,
            payment_method_details={type_: _tried(builder, method), "type": type_},
            setup_error=failure,
            setup_intent=id_,
            status="failed" if error else status,
            usage="off_session",
        )
    builder.new(
        "setup_intent",
        key,
        made,
        client_secret=f"{id_}_secret_{id_[:4:-1]}",
        customer=customer,
        cancellation_reason=reason,
        description="Card on file" if type_ == "card" else "Direct debit",
        mandate=mandate,
        payment_method=None if error else tried,
        payment_method_types=[type_],
        status=status,
        usage="on_session" if reason else "off_session",
        metadata={"asked_by": "grace.bell"} if reason else {},
        **fields,
    )
