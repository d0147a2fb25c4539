"""Money between the company and its connected accounts: transfers, reversals, application fees and fee refunds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.cohort import first
from registry.sandbox.payments.chapters.moves import Move, at_once
from registry.sandbox.payments.chapters.paying import Back, Payment, charge_prefix, refund_id, sold
from registry.sandbox.world import DAY, World


class _Transfer(NamedTuple):
    """A transfer on its own; `back` are (amount, days after) of its reversals."""

    key: str
    partner: str
    amount: int
    days: int
    text: str
    back: tuple[tuple[int, int], ...] = ()


_TRANSFERS = (
    _Transfer("bonus/kestrel", "kestrel", 25_000, 150, "Bonus for the spring", ((5_000, 4), (2_500, 9))),
    _Transfer("bonus/harvest", "harvest", 12_000, 80, "Bonus for the summer"),
    _Transfer("advance/lumen", "lumen", 40_000, 30, "Advance, sent twice", ((40_000, 2),)),
    _Transfer("advance/nimbus", "nimbus", 8_000, 19, "Advance"),
)

_FEE_REFUNDS: dict[str, tuple[tuple[int, float], ...]] = {
    "market/2": ((725, 3.0),),
    "market/3": ((500, 6.0), (300, 11.0)),
    "market/4": ((95, 2.0),),
}
"""By payment: (amount, days after it)."""


def _sold(world: World) -> Iterator[Payment]:
    return (payment for payment in sold(first(world)).values() if payment.sale and payment.sale.partner)


def _reversing(payment: Payment) -> list[Back]:
    return [back for back in payment.refunds if back.reverses]


def moves(world: World) -> Iterator[Move]:
    """What all this does to the balance."""
    for payment in _sold(world):
        assert payment.sale is not None
        made = payment.attempts[-1].created
        transfer = ("transfer", payment.key, None)
        yield at_once(f"transfer/{payment.key}", "transfer", "transfer", -payment.amount, made, transfer, wait=2)
        fee = ("application_fee", payment.key, None)
        name = f"fee/{payment.key}"
        yield at_once(name, "application_fee", "platform_earning", payment.sale.fee, made, fee, wait=2)
        for back in _reversing(payment):
            source = ("transfer_reversal", back.key, None)
            yield at_once(f"reversal/{back.key}", "transfer_refund", "transfer_reversal", back.amount, back.created, source)
        for number, (amount, days) in enumerate(_FEE_REFUNDS.get(payment.key, ())):
            source = ("fee_refund", f"{payment.key}/{number}", None)
            name = f"fee-refund/{payment.key}/{number}"
            moment = made + int(days * DAY)
            yield at_once(name, "application_fee_refund", "platform_earning_refund", -amount, moment, source)
    for one in _TRANSFERS:
        made = world.now - one.days * DAY
        transfer = ("transfer", one.key, None)
        yield at_once(f"transfer/{one.key}", "transfer", "transfer", -one.amount, made, transfer, text=one.text)
        for number, (amount, days) in enumerate(one.back):
            source = ("transfer_reversal", f"{one.key}/{number}", None)
            name = f"reversal/{one.key}/{number}"
            yield at_once(name, "transfer_refund", "transfer_reversal", amount, made + days * DAY, source)


def write(builder: Builder) -> None:
    """Write the chapter."""
    application = builder.new("application", "marketplace", builder.world.now - 600 * DAY, name="Fernway Marketplace")
    for payment in _sold(builder.world):
        _destination(builder, payment, application)
    for one in _TRANSFERS:
        made = builder.world.now - one.days * DAY
        reversed_ = sum(amount for amount, _ in one.back)
        transfer = builder.new(
            "transfer",
            one.key,
            made,
            amount=one.amount,
            amount_reversed=reversed_,
            balance_transaction=builder.id("balance_transaction", f"transfer/{one.key}"),
            currency="usd",
            description=one.text,
            destination=builder.id("account", one.partner),
            metadata={"approved_by": "oskar.berg"},
            reversed=reversed_ == one.amount,
            source_type="card",
        )
        for number, (amount, days) in enumerate(one.back):
            key = f"{one.key}/{number}"
            builder.new(
                "transfer_reversal",
                key,
                made + days * DAY,
                amount=amount,
                balance_transaction=builder.id("balance_transaction", f"reversal/{key}"),
                currency="usd",
                transfer=transfer,
            )


def _destination(builder: Builder, payment: Payment, application: str) -> None:
    """The transfer and the fee of a payment that was made for a connected account."""
    sale, made = payment.sale, payment.attempts[-1].created
    assert sale is not None
    charge = builder.id("charge", payment.attempts[-1].key, charge_prefix(payment))
    account = builder.id("account", sale.partner or "")
    backs = _reversing(payment)
    reversed_ = sum(back.amount for back in backs)
    transfer = builder.new(
        "transfer",
        payment.key,
        made,
        amount=payment.amount,
        amount_reversed=reversed_,
        balance_transaction=builder.id("balance_transaction", f"transfer/{payment.key}"),
        currency="usd",
        destination=account,
        reversed=reversed_ == payment.amount,
        source_transaction=charge,
        source_type="card",
        transfer_group=f"group_{sale.key.replace('/', '_')}",
    )
    for back in backs:
        builder.new(
            "transfer_reversal",
            back.key,
            back.created,
            amount=back.amount,
            balance_transaction=builder.id("balance_transaction", f"reversal/{back.key}"),
            currency="usd",
            source_refund=refund_id(builder, payment, back),
            transfer=transfer,
        )
    refunds = _FEE_REFUNDS.get(payment.key, ())
    refunded = sum(amount for amount, _ in refunds)
    fee = builder.new(
        "application_fee",
        payment.key,
        made,
        account=account,
        amount=sale.fee,
        amount_refunded=refunded,
        application=application,
        balance_transaction=builder.id("balance_transaction", f"fee/{payment.key}"),
        charge=charge,
        currency="usd",
        fee_source={"charge": charge, "payout": None, "type": "charge"},
        originating_transaction=charge,
        refunded=refunded == sale.fee,
    )
    for number, (amount, days) in enumerate(refunds):
        key = f"{payment.key}/{number}"
        builder.new(
            "fee_refund",
            key,
            made + int(days * DAY),
            amount=amount,
            balance_transaction=builder.id("balance_transaction", f"fee-refund/{key}"),
            currency="usd",
            fee=fee,
        )
