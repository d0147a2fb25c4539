"""Disputes: what cardholders asked back, and the evidence against it."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.cohort import Cohort
from registry.sandbox.payments.chapters.methods import CARDS
from registry.sandbox.payments.chapters.parts import Hash
from registry.sandbox.payments.chapters.paying import Payment, charge_id, dispute_prefix, intent_id, payments, withdrawn
from registry.sandbox.payments.chapters.sales import Dispute
from registry.sandbox.world import DAY

_OPEN = ("needs_response", "warning_needs_response")


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write the disputes of a cohort's payments."""
    for payment in payments(cohort).values():
        if payment.dispute:
            _dispute(builder, cohort, payment, payment.dispute)


def _dispute(builder: Builder, cohort: Cohort, payment: Payment, dispute: Dispute) -> None:
    made = builder.world.now - int(dispute.days * DAY)
    moved = []
    if withdrawn(dispute):
        moved.append(builder.id("balance_transaction", f"dispute/{payment.key}"))
    if dispute.status == "won":
        moved.append(builder.id("balance_transaction", f"dispute-won/{payment.key}"))
    evidence = _evidence(builder, cohort, payment, dispute)
    answered = any(evidence.values())
    enhanced = dispute.code == "10.4"
    due = made + 9 * DAY if dispute.status in _OPEN else made + 14 * DAY
    card = CARDS[payment.wallet.code] if payment.wallet else CARDS["visa"]
    pending = dispute.status in _OPEN
    fields: dict[str, Any] = {}
    if pending:
        fields["metadata"] = {"assigned_to": "mei.tan"}
    builder.new(
        "dispute",
        payment.key,
        made,
        id=builder.id("dispute", payment.key, dispute_prefix(dispute)),
        **fields,
        amount=payment.amount,
        balance_transactions=moved,
        charge=charge_id(builder, payment, payment.attempts[-1]),
        currency=payment.currency,
        enhanced_eligibility_types=_enhanced(dispute),
        evidence=evidence,
        evidence_details={
            "due_by": None if dispute.status == "prevented" else due,
            "enhanced_eligibility": {"visa_compelling_evidence_3": {"status": "not_qualified"}} if enhanced else {},
            "has_evidence": answered,
            "submission_method": "manual" if answered and not pending else "not_submitted",
            "submission_count": 1 if answered and not pending else 0,
        },
        is_charge_refundable=dispute.status.startswith("warning"),
        network_reason_code=dispute.code,
        payment_intent=intent_id(builder, payment),
        payment_method_details={
            "card": {
                "brand": card.brand,
                "case_type": _case(dispute),
                "network": card.brand,
                "network_reason_code": dispute.code,
            },
            "type": "card",
        },
        reason=dispute.reason,
        status=dispute.status,
    )


def _enhanced(dispute: Dispute) -> list[str]:
    if dispute.code == "10.4":
        return ["visa_compelling_evidence_3"]
    return ["visa_compliance"] if dispute.code == "13.1" else []


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
        evidence |= {
            "duplicate_charge_explanation": "Two months, two invoices.",
            "duplicate_charge_id": charge_id(builder, other, other.attempts[-1]),
        }
    if dispute.status == "needs_response":
        evidence["cancellation_policy"] = builder.id("file", "dispute/terms")
    return evidence
