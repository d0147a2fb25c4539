"""Fraud screening: reviews of payments, and early fraud warnings."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.cohort import first
from registry.sandbox.payments.chapters.paying import charge_id, intent_id, payments
from registry.sandbox.payments.chapters.sales import REVIEWS, WARNINGS
from registry.sandbox.world import DAY


def write(builder: Builder) -> None:
    """Write the chapter."""
    now = builder.world.now
    paid = payments(first(builder.world))
    for review in REVIEWS:
        payment = paid[review.payment]
        charge = charge_id(builder, payment, payment.attempts[-1]) if payment.attempts else None
        made = (payment.attempts[-1].created if payment.attempts else payment.created) + 60
        builder.new(
            "review",
            review.payment,
            made,
            billing_zip=None if review.closed == "redacted" else "97205",
            charge=charge,
            closed_reason=review.closed,
            ip_address=None if review.closed == "redacted" else "203.0.113.18",
            ip_address_location={"city": "Portland", "country": "US", "latitude": 45.52, "longitude": -122.68, "region": "OR"},
            open=review.closed is None,
            opened_reason=review.opened,
            payment_intent=intent_id(builder, payment),
            reason=review.closed or review.opened,
            session={"browser": "Firefox", "device": "Other", "platform": "Linux", "version": "139.0"},
        )
    for key, type_, actionable in WARNINGS:
        payment = paid[key]
        made = min(payment.attempts[-1].created + 20 * DAY, now - DAY)
        builder.new(
            "radar.early_fraud_warning",
            key,
            made,
            actionable=actionable,
            charge=charge_id(builder, payment, payment.attempts[-1]),
            fraud_type=type_,
            payment_intent=intent_id(builder, payment),
        )
