"""Mandates, and the setup intents and attempts by which payment methods were made ready for later."""

from __future__ import annotations

from typing import NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import BY_KEY, Cohort, rows
from registry.sandbox.payments.datasets.bills import joined
from registry.sandbox.payments.datasets.methods import CARDS, Method, charge_details, mandate_of, wallet
from registry.sandbox.payments.datasets.parts import PAY, Hash, to_authenticate, year_of
from registry.sandbox.payments.shapes import ABSENT
from registry.sandbox.world import DAY

_SEEN = "brand checks country exp_month exp_year fingerprint funding last4 network"
"""What an attempt shows of a card, like its charges."""

_GALLERY_DEBITS = ("acss_debit", "au_becs_debit", "bacs_debit", "sepa_debit")
_STATUSES = {"gallery/bacs_debit": "pending", "gallery/acss_debit": "inactive"}


class _Setup(NamedTuple):
    """A setup intent. `method` is a place in the wallet; `error` is a code that the attempt failed with.

    Without a method nothing was tried yet.
    """

    key: str
    buyer: str
    days: float
    status: str
    method: int | None = 0
    reason: str | None = None
    error: str | None = None


def others(builder: Builder) -> None:
    """Write the mandates of the gallery, and the setup intents that kept no method."""
    now = builder.world.now
    for number, type_ in enumerate(_GALLERY_DEBITS):
        method = Method(f"gallery/{type_}", BY_KEY["gallery"], type_, number, False)
        _mandate(builder, method, now - 99 * DAY, single=type_ == "sepa_debit")
    for one in rows("setup", _Setup).values():
        tried = None if one.method is None else wallet(BY_KEY[one.buyer])[one.method]
        _setup(builder, one, tried, now - int(one.days * DAY))


def write(builder: Builder, cohort: Cohort) -> None:
    """Write the mandates of a cohort's customers, with how they were set up."""
    since = joined(cohort)
    for buyer in cohort.buyers:
        for method in wallet(buyer):
            if mandate := mandate_of(builder, method):
                made = since[buyer.key] + 45
                _mandate(builder, method, made)
                _setup(builder, _Setup(f"{method.key}/setup", buyer.key, 0, "succeeded"), method, made - 5, mandate)


def _mandate(builder: Builder, method: Method, made: int, *, single: bool = False) -> None:
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
    fields: Hash = {type_: {"amount": 2_500, "currency": "eur"} if single else {}, "type": type_, "status": status}
    fields["customer_acceptance"] = {"accepted_at": made, "online": online, "type": "online"}
    fields["payment_method"] = builder.id("payment_method", method.key)
    fields["payment_method_details"] = {method.type: details.get(method.type, {}), "type": method.type}
    builder.new("mandate", method.key, made, **fields)


def _setup(builder: Builder, one: _Setup, method: Method | None, made: int, mandate: str | None = None) -> None:
    key, buyer, _, status, _, reason, error = one
    customer, id_ = builder.id("customer", buyer), builder.id("setup_intent", key)
    type_ = method.type if method else "card"
    tried = builder.id("payment_method", method.key) if method else None
    attempt = failure = ABSENT
    shown: Hash = {}  # almost nothing if no method was kept
    if method and method.code in CARDS:
        card = charge_details(builder.world, method, 0, year_of(builder.world.now), None)["card"]
        shown = {name: card[name] for name in _SEEN.split()}
    if error:
        failure = {"code": error, "decline_code": "generic_decline", "message": "Your card was declined.", "type": "card_error"}
    if (tried and status in ("succeeded", "requires_action", "processing")) or error:
        fields: Hash = {"customer": customer, "setup_intent": id_, "usage": "off_session", "payment_method": tried}
        fields |= {"payment_method_details": {type_: shown, "type": type_}, "setup_error": failure if error else None}
        attempt = builder.new("setup_attempt", key, made + 2, **fields, status="failed" if error else status)
    more: Hash = {"customer": customer, "client_secret": f"{id_}_secret_{id_[:4:-1]}", "status": status, "mandate": mandate}
    more |= {"payment_method": None if error else tried, "payment_method_types": [type_]}
    more |= {"description": "Card on file" if type_ == "card" else "Direct debit"}
    more |= {"latest_attempt": attempt, "last_setup_error": failure, "cancellation_reason": reason}
    more |= {"metadata": {"asked_by": "grace.bell"} if reason else {}, "usage": "on_session" if reason else "off_session"}
    if status == "requires_action":
        more["next_action"] = to_authenticate(id_)
    builder.new("setup_intent", key, made, **more)
