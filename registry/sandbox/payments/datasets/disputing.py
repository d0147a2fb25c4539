"""Disputes with their evidence, and fraud screening: reviews of payments, early warnings, and a list longer than a page."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import REVIEWS, WARNINGS, Cohort, Dispute, first
from registry.sandbox.payments.datasets.methods import CARDS
from registry.sandbox.payments.datasets.parts import Hash
from registry.sandbox.payments.datasets.paying import Payment, charge_id, dispute_prefix, intent_id, payments, withdrawn
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
    made = builder.world.now - int(dispute.days * DAY)
    moves = {"dispute": withdrawn(dispute), "dispute-won": dispute.status == "won"}
    evidence = _evidence(builder, cohort, payment, dispute)
    pending, prevented = dispute.status in _OPEN, dispute.status == "prevented"
    sent = any(evidence.values()) and not pending
    due = made + (9 if pending else 14) * DAY
    brand = CARDS[payment.wallet.code if payment.wallet else "visa"].brand
    card = {"brand": brand, "case_type": _case(dispute), "network": brand, "network_reason_code": dispute.code}
    builder.new(
        "dispute",
        payment.key,
        made,
        id=builder.id("dispute", payment.key, dispute_prefix(dispute)),
        amount=payment.amount,
        balance_transactions=[builder.id("balance_transaction", f"{name}/{payment.key}") for name in moves if moves[name]],
        charge=charge_id(builder, payment, payment.attempts[-1]),
        currency=payment.currency,
        enhanced_eligibility_types=_ENHANCED.get(dispute.code, []),
        evidence=evidence,
        evidence_details={
            "due_by": None if prevented else due,
            "enhanced_eligibility": {_COMPELLING: {"status": "not_qualified"}} if dispute.code == "10.4" else {},
            "has_evidence": any(evidence.values()),
            "submission_method": "manual" if sent else "not_submitted",
            "submission_count": int(sent),
        },
        is_charge_refundable=dispute.status.startswith("warning"),
        metadata={"assigned_to": "mei.tan"} if pending else ABSENT,
        network_reason_code=dispute.code,
        payment_intent=intent_id(builder, payment),
        payment_method_details={"card": card, "type": "card"},
        reason=dispute.reason,
        status=dispute.status,
    )


def _case(dispute: Dispute) -> str:
    if dispute.status == "prevented":
        return "resolution"
    return "inquiry" if dispute.status.startswith("warning") else "chargeback"


def _evidence(builder: Builder, cohort: Cohort, payment: Payment, dispute: Dispute) -> Hash:
    evidence: Hash = {}
    buyer = payment.buyer
    assert buyer is not None
    if dispute.status in ("won", "lost", "under_review", "warning_under_review"):
        evidence |= {
            "billing_address": buyer.where.replace("|", ", "),
            "customer_communication": builder.id("file", "dispute/letters"),
            "customer_email_address": buyer.email,
            "customer_name": buyer.name,
            "customer_purchase_ip": "203.0.113.61",
            "product_description": "A monthly subscription to Fernway Board or Desk.",
            "receipt": builder.id("file", "dispute/receipt"),
            "service_documentation": builder.id("file", "dispute/log"),
        }
    if dispute.reason == "duplicate":
        other = payments(cohort)[payment.key.replace("/1", "/0")]
        evidence["duplicate_charge_explanation"] = "Two months, two invoices."
        evidence["duplicate_charge_id"] = charge_id(builder, other, other.attempts[-1])
    if dispute.status == "needs_response":
        evidence["cancellation_policy"] = builder.id("file", "dispute/terms")
    return evidence


def addresses(builder: Builder) -> None:
    """Write the addresses of the list after the three in the data file."""
    by, list_ = "mei.tan@fernway.example", builder.id("radar.value_list", "bad_addresses")
    for place in range(3, 107):
        key, made = f"bad_addresses/{place}", builder.world.now - 359 * DAY + place * 60
        builder.new("radar.value_list_item", key, made, created_by=by, value=f"198.51.100.{97 + place}", value_list=list_)


def reviews(builder: Builder) -> None:
    """Write reviews and warnings."""
    paid = payments(first(builder.world))
    for key, (closed, opened) in REVIEWS.items():
        payment = paid[key]
        last = payment.attempts[-1] if payment.attempts else None
        redacted = closed == "redacted"
        builder.new(
            "review",
            key,
            (last or payment).created + 60,
            billing_zip=None if redacted else "97205",
            charge=charge_id(builder, payment, last) if last else None,
            closed_reason=closed,
            ip_address=None if redacted else "203.0.113.18",
            ip_address_location={"city": "Portland", "country": "US", "latitude": 45.52, "longitude": -122.68, "region": "OR"},
            open=closed is None,
            opened_reason=opened,
            payment_intent=intent_id(builder, payment),
            reason=closed or opened,
            session={"browser": "Firefox", "device": "Other", "platform": "Linux", "version": "139.0"},
        )
    for key, (type_, actionable) in WARNINGS.items():
        payment = paid[key]
        charge, intent = charge_id(builder, payment, payment.attempts[-1]), intent_id(builder, payment)
        made = min(payment.attempts[-1].created + 20 * DAY, builder.world.now - DAY)
        about = {"charge": charge, "payment_intent": intent}
        builder.new("radar.early_fraud_warning", key, made, actionable=actionable, fraud_type=type_, **about)
