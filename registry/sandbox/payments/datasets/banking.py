"""Cash balances of customers who pay by bank transfer, and what moved them."""

from __future__ import annotations

from collections.abc import Iterator

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import BY_KEY
from registry.sandbox.payments.datasets.cohort import first
from registry.sandbox.payments.datasets.money import Move, at_once
from registry.sandbox.payments.datasets.parts import Hash
from registry.sandbox.payments.datasets.paying import Payment, payments, refund_id
from registry.sandbox.payments.datasets.tables import objects
from registry.sandbox.world import DAY, HOUR, World

_KIND = "customer_cash_balance_transaction"

_TRANSFERS: dict[str, tuple[str, Hash]] = {
    "nordhafen": ("eu_bank_transfer", {"bic": "TESTDE88XXX", "iban_last4": "3000", "sender_name": "STADTWERKE"}),
    "prairie.wind": ("us_bank_transfer", {"network": "ach", "sender_name": "PRAIRIE WIND"}),
    "thistle": ("gb_bank_transfer", {"account_number_last4": "2345", "sender_name": "THISTLE", "sort_code": "108800"}),
}

_MOVING = {"adjusted_for_overdraft": "adjustment", "transferred_to_balance": "payment_unreconciled"}
"""What moves the company's balance as well, and as what."""

_Event = tuple[int, str, str, int, Hash]
"""Its time, name, type, amount, and further fields."""


def moves(world: World) -> Iterator[Move]:
    """What cash balances did to the company's own."""
    for one in objects(world, "banking", _KIND):
        type_ = {"adjusted_for_overdraft": "adjustment", "transferred_to_balance": "payment_unreconciled"}.get(
            one.fields["type"]
        )
        if type_ is None:
            continue
        customer, _, name = one.key.partition(":")
        amount, currency = -one.fields["net_amount"], BY_KEY[customer].currency
        category, source = "unreconciled_customer_funds", (_KIND, one.key, None)
        yield at_once(f"cash/{name}", type_, category, amount, one.made, source, currency=currency)


def write(builder: Builder) -> None:
    """Write the dataset: each balance from the first transfer on, and the other data about it."""
    found = list(objects(builder.world, "banking", _KIND))
    paid = payments(first(builder.world)).values()
    for key in _TRANSFERS:
        mine = [one for one in paid if one.buyer is BY_KEY[key] and (one.type, one.status) == ("customer_balance", "succeeded")]
        events = [
            event for payment in sorted(mine, key=lambda one: one.attempts[-1].created) for event in _of(builder, payment)
        ]
        for one in found:
            customer, _, name = one.key.partition(":")
            if customer == key:
                events.append((one.made, name, one.fields.pop("type"), one.fields.pop("net_amount"), one.fields))
        _balance(builder, key, sorted(events, key=lambda event: event[0]))


def _of(builder: Builder, payment: Payment) -> Iterator[_Event]:
    """The transfer before a payment, the payment, and what of it came back."""
    moment, intent = payment.attempts[-1].created, builder.id("payment_intent", payment.key)
    yield moment - HOUR, f"{payment.key}/in", "funded", payment.amount, {}
    yield (
        moment,
        f"{payment.key}/out",
        "applied_to_payment",
        -payment.amount,
        {"applied_to_payment": {"payment_intent": intent}},
    )
    for back in payment.refunds:
        refund = {"refunded_from_payment": {"refund": refund_id(builder, payment, back)}}
        yield back.created, back.key, "refunded_from_payment", back.amount, refund


def _balance(builder: Builder, key: str, events: list[_Event]) -> None:
    currency, customer, total = BY_KEY[key].currency, builder.id("customer", key), 0
    bank, sender = _TRANSFERS[key]
    for moment, name, type_, amount, more in events:
        total += amount
        about = f"{key}:{name}"
        if type_ == "funded":
            more = {type_: {"bank_transfer": {bank: sender, "reference": builder.id(_KIND, about)[-10:].upper(), "type": bank}}}
        more |= {"currency": currency, "customer": customer, "ending_balance": total, "net_amount": amount, "type": type_}
        builder.new(_KIND, about, moment, **more)
    by_hand = key == "thistle"
    settings = {"reconciliation_mode": "manual" if by_hand else "automatic", "using_merchant_default": not by_hand}
    made, available = builder.world.now - 200 * DAY, {currency: total}
    builder.new("cash_balance", key, made, id=customer, available=available, customer=customer, settings=settings)
