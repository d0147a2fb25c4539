"""Fraud screening: reviews of payments, early fraud warnings, and a value list that is longer than a page of a hundred."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import REVIEWS, WARNINGS
from registry.sandbox.payments.datasets.cohort import first
from registry.sandbox.payments.datasets.paying import charge_id, intent_id, payments
from registry.sandbox.world import DAY


def write_addresses(builder: Builder) -> None:
    """Write the addresses of the list after the three in the data file."""
    by, list_ = "mei.tan@fernway.example", builder.id("radar.value_list", "bad_addresses")
    for place in range(3, 107):
        key, made = f"bad_addresses/{place}", builder.world.now - 359 * DAY + place * 60
        builder.new("radar.value_list_item", key, made, created_by=by, value=f"198.51.100.{97 + place}", value_list=list_)


def write(builder: Builder) -> None:
    """Write reviews and warnings."""
    paid = payments(first(builder.world))
    for key, closed, opened in REVIEWS:
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
    for key, type_, actionable in WARNINGS:
        payment = paid[key]
        charge, intent = charge_id(builder, payment, payment.attempts[-1]), intent_id(builder, payment)
        made = min(payment.attempts[-1].created + 20 * DAY, builder.world.now - DAY)
        about = {"charge": charge, "payment_intent": intent}
        builder.new("radar.early_fraud_warning", key, made, actionable=actionable, fraud_type=type_, **about)
