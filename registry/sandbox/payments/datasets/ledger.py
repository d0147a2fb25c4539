"""The ledger: balance transactions, the payouts that sum them up, and the balance that is left.

A hidden field on each transaction names its payout. What no payout took is the balance.
"""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.books import Books, Payout, books, moves_of, moves_of_company, payout_moves
from registry.sandbox.payments.datasets.cohort import Cohort
from registry.sandbox.payments.datasets.money import Move
from registry.sandbox.payments.datasets.parts import Hash
from registry.sandbox.payments.shapes import ABSENT
from registry.sandbox.world import DAY


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write the balance moves of a cohort's payments; the company's own moves are with those of the first cohort."""
    kept = books(builder.world)
    more = () if cohort.name else moves_of_company(builder.world)
    for move in sorted((*moves_of(cohort), *more), key=lambda move: (move.created, move.key)):
        _transaction(builder, move, kept.payout_of(move))


def write(builder: Builder) -> None:
    """Write the payouts and the balance."""
    kept = books(builder.world)
    for payout in kept.payouts:
        _payout(builder, payout)
        for move in payout_moves(payout):
            _transaction(builder, move, kept.payout_of(move))
    _balance(builder, kept)


def _transaction(builder: Builder, move: Move, payout: str | None) -> None:
    fees = []
    if move.fee:
        text = "Dispute fee" if move.category.startswith("dispute") else "Processing fees"
        fees = [{"amount": move.fee, "currency": move.currency, "description": text, "type": "stripe_fee"}]
    builder.new(
        "balance_transaction",
        move.key,
        move.created,
        id=builder.id("balance_transaction", move.key),
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
        source=builder.id(*move.source) if move.source else None,
        status="available" if move.available <= builder.world.now else "pending",
        type=move.type,
        _payout=builder.id("payout", payout) if payout else ABSENT,
    )


def _payout(builder: Builder, payout: Payout) -> None:
    key, weekly, status, instant = payout.key, payout.week is not None, payout.status, payout.key == "instant"
    kind = "card" if instant else "bank_account"
    back, trace = builder.id("balance_transaction", f"payout-back/{key}"), {"status": "pending"}
    if status == "paid":
        trace = {"status": "supported", "value": builder.world.digits(f"trace/{key}", 15)}
    builder.new(
        "payout",
        key,
        payout.created,
        id=builder.id("payout", key),
        amount=payout.amount,
        arrival_date=payout.created + (0 if instant else 2 * DAY),
        automatic=weekly,
        balance_transaction=builder.id("balance_transaction", f"payout/{key}"),
        currency=payout.currency,
        description="PAYOUT" if weekly else "Asked for by oskar.berg",
        destination=builder.id(kind, "fernway/card" if instant else f"fernway/{payout.currency}"),
        failure_balance_transaction=back if status in ("failed", "canceled") else ABSENT,
        failure_code="account_closed" if status == "failed" else ABSENT,
        failure_message="The bank account has been closed." if status == "failed" else ABSENT,
        method="instant" if instant else "standard",
        reconciliation_status="not_applicable" if not weekly else "completed" if payout.week else "in_progress",
        source_type="card",
        statement_descriptor=None if weekly else "FERNWAY",
        status=status,
        trace_id=ABSENT if status == "canceled" else trace,
        type=kind,
    )


def _balance(builder: Builder, kept: Books) -> None:
    now = builder.world.now

    def part(balance: str, currency: str, *, available: bool) -> Hash:
        amount = kept.balance(balance, currency, available=available)
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
