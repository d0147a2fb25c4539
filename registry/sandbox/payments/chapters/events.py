"""Events: what happened lately, and three of more than thirty days ago that can no longer be read.

No tool lists events; their ids come from outside. They lead to what nothing else refers to.
"""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.world import DAY

# type, kind, key, id prefix or None, days ago, earlier values
_EVENTS: tuple[tuple[str, str, str, str | None, float, dict[str, object]], ...] = (
    ("customer.updated", "customer", "ada.romero", None, 1.2, {"phone": None}),
    ("invoice.paid", "invoice", "ada.romero/12", None, 1.1, {}),
    ("invoice.payment_failed", "invoice", "aurora/3", None, 6.2, {}),
    ("customer.subscription.updated", "subscription", "horakova", None, 3.0, {"cancel_at_period_end": False}),
    ("charge.dispute.created", "dispute", "lantern/6", "du_", 2.0, {}),
    ("charge.refunded", "charge", "harbour.finch/12/0", "py_", 11.7, {"amount_refunded": 0}),
    ("payment_intent.requires_action", "payment_intent", "rao/2", None, 0.7, {}),
    ("payout.paid", "payout", "usd/1", None, 9.7, {"status": "in_transit"}),
    ("payout.failed", "payout", "usd/3", None, 22.5, {"status": "in_transit"}),
    ("topup.created", "topup", "under.way", None, 1.3, {}),
    ("topup.failed", "topup", "empty", None, 26.5, {"status": "pending"}),
    ("transfer.created", "transfer", "advance/nimbus", None, 19.0, {}),
    ("transfer.reversed", "transfer", "advance/lumen", None, 27.9, {"amount_reversed": 0}),
    ("application_fee.refunded", "application_fee", "market/3", None, 25.9, {"amount_refunded": 500}),
    ("reporting.report_run.succeeded", "reporting.report_run", "balance", None, 8.0, {}),
    ("reporting.report_run.failed", "reporting.report_run", "broken", None, 2.0, {}),
    ("sigma.scheduled_query_run.created", "scheduled_query_run", "churn", None, 0.7, {}),
    ("file.created", "file", "dispute/terms", None, 2.0, {}),
    ("source.mandate_notification", "source_mandate_notification", "halden/2", None, 1.0, {}),
    ("source.transaction.created", "source_transaction", "prairie/3", None, 1.0, {}),
    ("account.updated", "account", "fable", None, 4.0, {"payouts_enabled": True}),
    ("person.updated", "person", "kestrel/omar", None, 4.1, {}),
    ("review.opened", "review", "shop.guest0", None, 25.0, {}),
    ("radar.early_fraud_warning.created", "radar.early_fraud_warning", "confetti/3", None, 19.5, {}),
    ("issuing_authorization.created", "issuing.authorization", "cloud.4", None, 0.4, {}),
    ("issuing_dispute.created", "issuing.dispute", "cloud.3", None, 15.9, {}),
    ("treasury.outbound_payment.created", "treasury.outbound_payment", "catering.3", None, 0.3, {}),
    ("treasury.received_credit.created", "treasury.received_credit", "twice", None, 20.0, {}),
    ("treasury.debit_reversal.created", "treasury.debit_reversal", "fax", None, 2.0, {}),
    ("identity.verification_session.requires_input", "identity.verification_session", "kofi", None, 0.8, {}),
    ("climate.order.created", "climate.order", "autumn", None, 9.0, {}),
    ("checkout.session.completed", "checkout.session", "card.maple", "cs_test_", 6.0, {}),
    ("quote.finalized", "quote", "thistle", None, 1.9, {"status": "draft"}),
    ("credit_note.created", "credit_note", "halden", None, 5.0, {}),
    ("subscription_schedule.created", "subscription_schedule", "petrova", None, 2.0, {}),
    ("terminal.reader.action_failed", "terminal.reader", "p400", None, 0.3, {}),
    ("test_helpers.test_clock.internal_failure", "test_helpers.test_clock", "stuck", None, 1.0, {"status": "advancing"}),
    ("mandate.updated", "mandate", "harbour.finch/0", None, 17.0, {}),
    ("setup_intent.setup_failed", "setup_intent", "yilmaz.declined", None, 18.0, {}),
    ("charge.succeeded", "charge", "granite.peak/4/0", "ch_", 248.0, {}),
    ("customer.created", "customer", "sato", None, 365.0, {}),
    ("invoice.voided", "invoice", "riverbend.first", None, 86.5, {}),
    ("checkout.session.expired", "checkout.session", "renew.quotes", "cs_test_", 9.0, {"status": "open"}),
    ("credit_note.updated", "credit_note", "nordhafen", None, 5.5, {}),
    ("reporting.report_run.succeeded", "reporting.report_run", "payout", None, 4.9, {}),
    ("reporting.report_run.succeeded", "reporting.report_run", "partner", None, 2.9, {}),
    ("financial_connections.account.disconnected", "financial_connections.account", "granite.line", None, 15.0, {}),
    ("radar.early_fraud_warning.updated", "radar.early_fraud_warning", "granite.peak/4", None, 24.0, {"actionable": True}),
    ("source.mandate_notification", "source_mandate_notification", "northpine/1", None, 28.5, {}),
    ("treasury.received_credit.failed", "treasury.received_credit", "abroad", None, 27.5, {}),
    ("topup.canceled", "topup", "wrong", None, 29.0, {"status": "pending"}),
    ("setup_intent.canceled", "setup_intent", "nowak.asked", None, 11.0, {"status": "requires_payment_method"}),
)  # fmt: skip


def event_key(type_: str, key: str) -> str:
    """The key of the event of a type about an object."""
    return f"{type_}/{key}"


def write(builder: Builder) -> None:
    """Write the chapter."""
    world = builder.world
    connected = {"account.updated": "fable", "person.updated": "kestrel"}
    for type_, kind, key, prefix, days, before in _EVENTS:
        name = event_key(type_, key)
        fields = {}
        if type_ in connected:
            fields["account"] = builder.id("account", connected[type_])
        by_hand = len(name) % 3 == 0
        builder.new(
            "event",
            name,
            world.now - int(days * DAY),
            **fields,
            api_version="2025-09-30.clover",
            data={"previous_attributes": before} if before else {},
            pending_webhooks=1 if days < 1 else 0,
            request={
                "id": f"req_{world.token(f'request of/{name}', 14)}" if by_hand else None,
                "idempotency_key": world.uuid(f"key of/{name}") if by_hand else None,
            },
            type=type_,
            _about=[kind, builder.id(kind, key, prefix)],
        )
