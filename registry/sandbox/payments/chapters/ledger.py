"""The ledger: balance transactions, the payouts that sum them up, and the balance that is left.

Every week what has become available in a currency is paid out, from the transactions that no earlier payout took; a hidden
field on each transaction names its payout. What remains is the balance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import banking, climate, marketplace, spending, topping
from registry.sandbox.payments.chapters.billed import payments
from registry.sandbox.payments.chapters.money import settle
from registry.sandbox.payments.chapters.moves import Move, at_once
from registry.sandbox.payments.chapters.naming import names
from registry.sandbox.payments.chapters.parts import Hash, midnight
from registry.sandbox.payments.chapters.paying import Payment, charge_prefix, dispute_prefix, waits, withdrawn, worth
from registry.sandbox.world import DAY, HOUR, World

_WEEKS = 56
_FAILED, _CANCELED = 3, 19
"""The weeks, counted back from now, whose payouts in dollars came back."""

_DISPUTE_FEE = 1_500


class Payout(NamedTuple):
    """A payout. `week` counts back from now; None for one that somebody asked for."""

    key: str
    currency: str
    amount: int
    created: int
    status: str
    week: int | None = None


def write(builder: Builder) -> None:
    """Write the chapter."""
    world = builder.world
    found = sorted(_moves(world), key=lambda move: (move.created, move.key))
    payouts, taken = _paid_out(world, found)
    by_hand = [
        Payout("instant", "usd", 2_500, world.now - 600, "pending"),
        Payout("by.hand", "usd", 4_000, world.now - 26 * HOUR, "in_transit"),
    ]
    for payout in payouts + by_hand:
        _payout(builder, payout)
        found += _payout_moves(payout)
    for move in found:
        _transaction(builder, move, taken.get(move.key))
    _balance(builder, found)


def _moves(world: World) -> Iterator[Move]:
    for payment in payments(world).values():
        yield from _of_payment(world, payment)
    yield from marketplace.moves(world)
    yield from topping.moves(world)
    yield from climate.moves(world)
    yield from banking.moves(world)
    yield from spending.moves(world)
    for month in range(1, 13):
        moment = midnight(world.now) - month * 30 * DAY
        yield at_once(f"fee/{month}", "stripe_fee", "fee", -1_250 - month * 10, moment, None, text="Billing, by usage")


def _of_payment(world: World, payment: Payment) -> Iterator[Move]:
    if not (payment.captured and payment.attempts and payment.attempts[-1].status == "succeeded"):
        return
    attempt = payment.attempts[-1]
    value = worth(payment)
    prefix = charge_prefix(payment)
    source = ("charge", attempt.key, prefix)
    type_ = "charge" if prefix == "ch_" else "payment"
    yield Move(
        f"charge/{attempt.key}", type_, "charge", value.amount, value.fee, value.currency, attempt.created,
        midnight(attempt.created) + waits(payment), source, payment.text, value.rate,
    )  # fmt: skip
    for back in payment.refunds:
        if not back.moves:
            continue
        amount = settle(back.amount, payment.currency).amount
        card = prefix == "ch_"
        refund = ("refund", back.key, "re_" if card else "pyr_")
        name = "refund" if card else "payment_refund"
        yield Move(
            f"refund/{back.key}", name, "refund", -amount, 0, value.currency, back.created, back.created, refund,
            "Refund of a charge", value.rate,
        )  # fmt: skip
        if back.status == "failed":
            moment = back.created + 6 * DAY
            yield Move(
                f"refund-failure/{back.key}", "refund_failure", "refund_failure", amount, 0, value.currency, moment, moment,
                refund, "Refund that failed", value.rate,
            )  # fmt: skip
    if payment.dispute and withdrawn(payment.dispute):
        opened = world.now - int(payment.dispute.days * DAY)
        about = ("dispute", payment.key, dispute_prefix(payment.dispute))
        yield Move(
            f"dispute/{payment.key}", "adjustment", "dispute", -value.amount, _DISPUTE_FEE, value.currency, opened, opened,
            about, "Chargeback withdrawal", value.rate,
        )  # fmt: skip
        if payment.dispute.status == "won":
            moment = opened + 30 * DAY
            yield Move(
                f"dispute-won/{payment.key}", "adjustment", "dispute_reversal", value.amount, -_DISPUTE_FEE, value.currency,
                moment, moment, about, "Chargeback reversal", value.rate,
            )  # fmt: skip


def _paid_out(world: World, found: list[Move]) -> tuple[list[Payout], dict[str, str]]:
    """The weekly payouts, and by move the key of the payout that took it."""
    payouts: list[Payout] = []
    taken: dict[str, str] = {}
    today = midnight(world.now)
    for currency in ("usd", "eur"):
        open_ = sorted(
            (move for move in found if move.currency == currency and move.balance == "payments"),
            key=lambda move: move.available,
        )
        returned: list[Move] = []
        for week in range(_WEEKS, -1, -1):
            moment = today - (week * 7 + 5) * DAY + 4 * HOUR
            ready = [*returned, *(move for move in open_ if move.available <= moment)]
            total = sum(move.net for move in ready)
            if total <= 0:
                continue
            open_ = [move for move in open_ if move.available > moment]
            status = "paid"
            if currency == "usd":
                status = {_FAILED: "failed", _CANCELED: "canceled"}.get(week, status)
            payout = Payout(f"{currency}/{week}", currency, total, moment, status, week)
            taken |= {move.key: payout.key for move in ready}
            payouts.append(payout)
            returned = _payout_moves(payout)[1:]
    return payouts, taken


def _payout_moves(payout: Payout) -> list[Move]:
    """The move of a payout, and the one by which the money came back."""
    source = ("payout", payout.key, None)
    moves = [
        at_once(f"payout/{payout.key}", "payout", "payout", -payout.amount, payout.created, source, currency=payout.currency)
    ]
    if payout.status in ("failed", "canceled"):
        type_ = "payout_failure" if payout.status == "failed" else "payout_cancel"
        name = f"payout-back/{payout.key}"
        moment = payout.created + 3 * DAY
        moves.append(at_once(name, type_, "payout_reversal", payout.amount, moment, source, currency=payout.currency))
    return moves


def _transaction(builder: Builder, move: Move, payout: str | None) -> None:
    name = names(builder.world)
    fees = []
    if move.fee:
        text = "Dispute fee" if move.category.startswith("dispute") else "Processing fees"
        fees = [{"amount": move.fee, "application": None, "currency": move.currency, "description": text, "type": "stripe_fee"}]
    fields: dict[str, Any] = {"_payout": name("payout", payout)} if payout else {}
    builder.new(
        "balance_transaction",
        move.key,
        move.created,
        id=name("balance_transaction", move.key),
        **fields,
        amount=move.amount,
        available_on=move.available,
        balance_type=move.balance,
        currency=move.currency,
        description=move.text,
        exchange_rate=move.rate,
        fee=move.fee,
        fee_details=fees,
        net=move.net,
        reporting_category=move.category,
        source=name(*move.source) if move.source else None,
        status="available" if move.available <= builder.world.now else "pending",
        type=move.type,
    )


def _payout(builder: Builder, payout: Payout) -> None:
    key, weekly = payout.key, payout.week is not None
    fields: dict[str, Any] = {}
    if payout.status in ("failed", "canceled"):
        fields["failure_balance_transaction"] = builder.id("balance_transaction", f"payout-back/{key}")
    if payout.status == "failed":
        fields |= {"failure_code": "account_closed", "failure_message": "The bank account has been closed."}
    instant = key == "instant"
    kind = "card" if instant else "bank_account"
    target = "fernway/card" if instant else f"fernway/{payout.currency}"
    if payout.status == "paid":
        fields["trace_id"] = {"status": "supported", "value": builder.world.digits(f"trace/{key}", 15)}
    elif payout.status != "canceled":
        fields["trace_id"] = {"status": "pending", "value": None}
    state = "not_applicable" if not weekly else "completed" if payout.week else "in_progress"
    builder.new(
        "payout",
        key,
        payout.created,
        id=names(builder.world)("payout", key),
        **fields,
        amount=payout.amount,
        arrival_date=payout.created + (0 if instant else 2 * DAY),
        automatic=weekly,
        balance_transaction=names(builder.world)("balance_transaction", f"payout/{key}"),
        currency=payout.currency,
        description="PAYOUT" if weekly else "Asked for by oskar.berg",
        destination=names(builder.world)(kind, target),
        method="instant" if instant else "standard",
        reconciliation_status=state,
        source_type="card",
        statement_descriptor=None if weekly else "FERNWAY",
        status=payout.status,
        type=kind,
    )


def _balance(builder: Builder, found: list[Move]) -> None:
    now = builder.world.now
    sums: dict[tuple[str, str, bool], int] = defaultdict(int)
    for move in found:
        sums[move.balance, move.currency, move.available <= now] += move.net

    def part(balance: str, currency: str, *, available: bool) -> Hash:
        amount = sums[balance, currency, available]
        return {"amount": amount, "currency": currency, "source_types": {"card": amount}}

    available = [part("payments", currency, available=True) for currency in ("eur", "usd")]
    dollars = available[1]["amount"]
    net = {"amount": dollars, "destination": builder.id("card", "fernway/card"), "source_types": {"card": dollars}}
    builder.new(
        "balance",
        "self",
        now,
        id="self",
        available=available,
        connect_reserved=[{"amount": 0, "currency": "usd"}],
        instant_available=[{"amount": dollars, "currency": "usd", "net_available": [net], "source_types": {"card": dollars}}],
        issuing={"available": [part("issuing", "usd", available=True)]},
        pending=[part("payments", currency, available=False) for currency in ("eur", "usd")],
    )
    builder.new(
        "balance_settings",
        "self",
        now,
        id="self",
        payments={
            "debit_negative_balances": False,
            "payouts": {
                "minimum_balance_by_currency": {"usd": 0},
                "schedule": {"interval": "weekly", "weekly_payout_days": ["monday"]},
                "statement_descriptor": "FERNWAY",
                "status": "enabled",
            },
            "settlement_timing": {"delay_days": 2, "delay_days_override": None},
        },
    )
