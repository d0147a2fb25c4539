"""Disputes with their evidence, and fraud screening: reviews of payments and early warnings."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import REVIEWS, WARNINGS, Cohort, Dispute, first
from registry.sandbox.payments.datasets.methods import CARDS
from registry.sandbox.payments.datasets.parts import Hash
from registry.sandbox.payments.datasets.paying import Payment, dispute_prefix, intent_id, last_charge, payments, withdrawn
from registry.sandbox.payments.datasets.tables import particular
from registry.sandbox.payments.shapes import ABSENT
from registry.sandbox.world import DAY

_COMPELLING = "visa_compelling_evidence_3"
_ENHANCED = {"10.4": [_COMPELLING], "13.1": ["visa_compliance"]}
"""By the network's code, what more can be done against a dispute."""

_OPEN = ("needs_response", "warning_needs_response")


def write(builder: Builder, cohort: Cohort) -> None:
    """Write the disputes of a cohort's payments."""
    for payment in payments(cohort).values():
        if payment.dispute:
            _dispute(builder, cohort, payment, payment.dispute)


def _dispute(builder: Builder, cohort: Cohort, payment: Payment, dispute: Dispute) -> None:
    made, status = builder.world.now - int(dispute.days * DAY), dispute.status
    moves = {"dispute": withdrawn(dispute), "dispute-won": status == "won"}
    evidence = _evidence(builder, cohort, payment, dispute)
    pending, prevented = status in _OPEN, status == "prevented"
    sent = any(evidence.values()) and not pending
    due = made + (9 if pending else 14) * DAY
    brand = CARDS[payment.wallet.code if payment.wallet else "visa"].brand
    case = "resolution" if prevented else "inquiry" if status.startswith("warning") else "chargeback"
    card = {"brand": brand, "case_type": case, "network": brand, "network_reason_code": dispute.code}
    fields: Hash = {"amount": payment.amount, "currency": payment.currency, "reason": dispute.reason, "status": status}
    fields |= {"charge": last_charge(builder, payment), "payment_intent": intent_id(builder, payment)}
    fields |= {"network_reason_code": dispute.code, "payment_method_details": {"card": card, "type": "card"}}
    builder.new(
        "dispute",
        payment.key,
        made,
        id=builder.id("dispute", payment.key, dispute_prefix(dispute)),
        **fields,
        balance_transactions=[builder.id("balance_transaction", f"{name}/{payment.key}") for name in moves if moves[name]],
        enhanced_eligibility_types=_ENHANCED.get(dispute.code, []),
        evidence=evidence,
        evidence_details={
            "due_by": None if prevented else due,
            "enhanced_eligibility": {_COMPELLING: {"status": "not_qualified"}} if dispute.code == "10.4" else {},
            "has_evidence": any(evidence.values()),
            "submission_method": "manual" if sent else "not_submitted",
            "submission_count": int(sent),
        },
        is_charge_refundable=status.startswith("warning"),
        metadata={"assigned_to": "mei.tan"} if pending else ABSENT,
    )


def _evidence(builder: Builder, cohort: Cohort, payment: Payment, dispute: Dispute) -> Hash:
    evidence, buyer = dict(particular(builder.world, "evidence", dispute.status)), payment.buyer
    if buyer and "receipt" in evidence:
        who = {"billing_address": buyer.where.replace("|", ", "), "customer_email_address": buyer.email}
        evidence = dict(sorted((evidence | who | {"customer_name": buyer.name}).items()))
    if dispute.reason == "duplicate":
        other = last_charge(builder, payments(cohort)[payment.key.replace("/1", "/0")])
        evidence |= {"duplicate_charge_explanation": "Two months, two invoices.", "duplicate_charge_id": other}
    return evidence


def reviews(builder: Builder) -> None:
    """Write reviews and warnings."""
    paid = payments(first(builder.world))
    for key, (closed, opened) in REVIEWS.items():
        payment, redacted = paid[key], closed == "redacted"
        fields: Hash = {"open": closed is None, "opened_reason": opened, "closed_reason": closed, "reason": closed or opened}
        fields |= {"charge": last_charge(builder, payment), "payment_intent": intent_id(builder, payment)}
        fields |= {"billing_zip": None if redacted else "97205", "ip_address": None if redacted else "203.0.113.18"}
        where = {"city": "Portland", "country": "US", "latitude": 45.52, "longitude": -122.68, "region": "OR"}
        seen = {"browser": "Firefox", "device": "Other", "platform": "Linux", "version": "139.0"}
        made = (payment.attempts or [payment])[-1].created + 60
        builder.new("review", key, made, **fields, ip_address_location=where, session=seen)
    for key, (type_, actionable) in WARNINGS.items():
        payment = paid[key]
        made = min(payment.attempts[-1].created + 20 * DAY, builder.world.now - DAY)
        about = {"charge": last_charge(builder, payment), "payment_intent": intent_id(builder, payment)}
        builder.new("radar.early_fraud_warning", key, made, actionable=actionable, fraud_type=type_, **about)
