"""Mandates, and the setup intents and attempts by which payment methods were made ready for later."""

from __future__ import annotations

from typing import NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import BY_KEY, Buyer, Cohort
from registry.sandbox.payments.datasets.contracts import joined
from registry.sandbox.payments.datasets.methods import CARDS, DEBITS, Method, charge_details, wallet
from registry.sandbox.payments.datasets.parts import PAY, Hash, to_authenticate, year_of
from registry.sandbox.payments.datasets.rows import rows
from registry.sandbox.payments.shapes import ABSENT
from registry.sandbox.world import DAY

_SEEN = "brand checks country exp_month exp_year fingerprint funding last4 network"
"""What an attempt shows of a card, like its charges."""

_GALLERY_DEBITS = ("acss_debit", "au_becs_debit", "bacs_debit", "sepa_debit")
_STATUSES = {"gallery/bacs_debit": "pending", "gallery/acss_debit": "inactive"}


def mandate_of(builder: Builder, method: Method) -> str | None:
    """The id of the mandate that a method is debited by, if its type needs one."""
    if method.older or not (method.type in DEBITS or method.key == "rao/0"):
        return None
    return builder.id("mandate", method.key)


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
    now, gallery = builder.world.now, BY_KEY["gallery"]
    for number, type_ in enumerate(_GALLERY_DEBITS):
        method = Method(f"gallery/{type_}", gallery, type_, number, False)
        _mandate(builder, method, now - 99 * DAY, single=type_ == "sepa_debit")
    for one in rows("agreed", "setup", _Setup):
        buyer = BY_KEY[one.buyer]
        tried = None if one.method is None else wallet(buyer)[one.method]
        _setup(builder, one, buyer, tried, now - int(one.days * DAY))


def write(builder: Builder, cohort: Cohort) -> None:
    """Write the mandates of a cohort's customers, with how they were set up."""
    since = joined(cohort)
    for buyer in cohort.buyers:
        for method in wallet(buyer):
            mandate = mandate_of(builder, method)
            if mandate is None:
                continue
            made = since[buyer.key] + 45
            _mandate(builder, method, made)
            _setup(builder, _Setup(f"{method.key}/setup", buyer.key, 0, "succeeded"), buyer, method, made - 5, mandate)


def _mandate(builder: Builder, method: Method, made: int, *, single: bool = False) -> None:
    status = _STATUSES.get(method.key, "active")
    reference = builder.world.capitals(f"mandate/{method.key}", 16)
    url = f"{PAY}/mandates/{reference}"
    details: dict[str, Hash] = {
        "sepa_debit": {"reference": reference, "url": url},
        "bacs_debit": {"network_status": "pending" if status == "pending" else "accepted", "reference": reference, "url": url},
        "us_bank_account": {"collection_method": "paper"} if method.buyer.key == "riverbend" else {},
        "acss_debit": {"default_for": ["invoice", "subscription"], "interval_description": "on the first of the month"},
        "au_becs_debit": {"url": url},
    }
    kind: Hash = {"single_use": {"amount": 2_500, "currency": "eur"}} if single else {"multi_use": {}}
    online = {"ip_address": f"203.0.113.{10 + len(method.buyer.key)}", "user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}
    builder.new(
        "mandate",
        method.key,
        made,
        customer_acceptance={"accepted_at": made, "online": online, "type": "online"},
        payment_method=builder.id("payment_method", method.key),
        payment_method_details={method.type: details.get(method.type, {}), "type": method.type},
        status=status,
        type="single_use" if single else "multi_use",
        **kind,
    )


def _setup(builder: Builder, one: _Setup, buyer: Buyer, method: Method | None, made: int, mandate: str | None = None) -> None:
    key, _, _, status, _, reason, error = one
    customer, id_ = builder.id("customer", buyer.key), builder.id("setup_intent", key)
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
        attempt = builder.new(
            "setup_attempt",
            key,
            made + 2,
            customer=customer,
            payment_method=tried,
            payment_method_details={type_: shown, "type": type_},
            setup_error=failure if error else None,
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
        last_setup_error=failure,
        latest_attempt=attempt,
        mandate=mandate,
        metadata={"asked_by": "grace.bell"} if reason else {},
        next_action=to_authenticate(id_) if status == "requires_action" else ABSENT,
        payment_method=None if error else tried,
        payment_method_types=[type_],
        status=status,
        usage="on_session" if reason else "off_session",
    )
