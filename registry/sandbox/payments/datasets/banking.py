"""Cash balances of customers who pay by bank transfer, and what moved them."""

from __future__ import annotations

from collections.abc import Iterator

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import BY_KEY, first
from registry.sandbox.payments.datasets.parts import Hash
from registry.sandbox.payments.datasets.paying import Payment, payments, refund_id
from registry.sandbox.payments.datasets.tables import objects
from registry.sandbox.world import DAY, HOUR

_KIND = "customer_cash_balance_transaction"

_TRANSFERS: dict[str, tuple[str, Hash]] = {
    "nordhafen": ("eu_bank_transfer", {"bic": "TESTDE88XXX", "iban_last4": "3000", "sender_name": "STADTWERKE"}),
    "prairie.wind": ("us_bank_transfer", {"network": "ach", "sender_name": "PRAIRIE WIND"}),
    "thistle": ("gb_bank_transfer", {"account_number_last4": "2345", "sender_name": "THISTLE", "sort_code": "108800"}),
}

_Event = tuple[int, str, Hash]
"""Its time, its name, and its fields."""


def write(builder: Builder) -> None:
    """Write the dataset: each balance from the first transfer on, and the other data about it."""
    found = list(objects(builder.world, "banking", _KIND))
    paid = payments(first(builder.world)).values()
    for customer in _TRANSFERS:
        own = [one for one in paid if one.buyer is BY_KEY[customer]]
        own = [one for one in own if (one.type, one.status) == ("customer_balance", "succeeded")]
        own.sort(key=lambda one: one.attempts[-1].created)
        events = [event for payment in own for event in _of(builder, payment)]
        events += [(made, key.partition(":")[2], fields) for key, made, fields in found if key.startswith(f"{customer}:")]
        _balance(builder, customer, sorted(events, key=lambda event: event[0]))


def _of(builder: Builder, payment: Payment) -> Iterator[_Event]:
    """The transfer before a payment, the payment, and what of it came back."""
    moment, intent = payment.attempts[-1].created, builder.id("payment_intent", payment.key)
    yield moment - HOUR, f"{payment.key}/in", {"type": "funded", "net_amount": payment.amount}
    out = {"type": "applied_to_payment", "applied_to_payment": {"payment_intent": intent}}
    yield moment, f"{payment.key}/out", out | {"net_amount": -payment.amount}
    for back in payment.refunds:
        refund = {"type": "refunded_from_payment", "refunded_from_payment": {"refund": refund_id(builder, payment, back)}}
        yield back.created, back.key, refund | {"net_amount": back.amount}


def _balance(builder: Builder, key: str, events: list[_Event]) -> None:
    currency, customer, total = BY_KEY[key].currency, builder.id("customer", key), 0
    bank, sender = _TRANSFERS[key]
    for moment, name, fields in events:
        total += fields["net_amount"]
        about = f"{key}:{name}"
        if fields["type"] == "funded":
            reference = builder.id(_KIND, about)[-10:].upper()
            fields["funded"] = {"bank_transfer": {bank: sender, "reference": reference, "type": bank}}
        builder.new(_KIND, about, moment, **fields, currency=currency, customer=customer, ending_balance=total)
    by_hand, made = key == "thistle", builder.world.now - 200 * DAY
    settings = {"reconciliation_mode": "manual" if by_hand else "automatic", "using_merchant_default": not by_hand}
    builder.new("cash_balance", key, made, id=customer, available={currency: total}, customer=customer, settings=settings)
