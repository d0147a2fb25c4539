"""The books of the account: everything that moves its balance, and the weekly payouts that follow from it.

Every week a payout takes what has become available in a currency and was not in an earlier payout. The books hold sums, not
single moves, so that they are as small for a hundred thousand customers as for sixty; the ledger computes the moves again and
looks up the payout of each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from registry.sandbox.payments.datasets import banking, dataset_moves
from registry.sandbox.payments.datasets.cohort import Cohort
from registry.sandbox.payments.datasets.crowd import cohorts
from registry.sandbox.payments.datasets.money import Move, at_once, settle
from registry.sandbox.payments.datasets.parts import midnight
from registry.sandbox.payments.datasets.paying import Payment, charge_prefix, dispute_prefix, payments, waits, withdrawn, worth
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


class Books:
    """The sums of a world's moves, by the week in which they can be paid out and by where the balance shows them.

    Attributes:
        payouts: every payout, the weekly ones of a currency in order of time.
    """

    def __init__(self, world: World, moves: Iterable[Move]) -> None:
        self._world = world
        self._last = midnight(world.now) - 5 * DAY + 4 * HOUR
        self._weekly: dict[tuple[str, int], int] = defaultdict(int)
        self._sums: dict[tuple[str, str, bool], int] = defaultdict(int)
        self._taken: dict[tuple[str, int], str] = {}
        for move in moves:
            self._enter(move)
        self.payouts = [payout for currency in ("usd", "eur") for payout in self._paid_out(currency)]
        self.payouts += [
            Payout("instant", "usd", 2_500, world.now - 600, "pending"),
            Payout("by.hand", "usd", 4_000, world.now - 26 * HOUR, "in_transit"),
        ]
        for payout in self.payouts:
            for move in payout_moves(payout):
                self._sums[self._shown(move)] += move.net

    def payout_of(self, move: Move) -> str | None:
        """The key of the payout that took a move, if one did."""
        if move.category == "payout" or move.balance != "payments":
            return None
        return self._taken.get((move.currency, self._week(move)))

    def balance(self, balance: str, currency: str, *, available: bool) -> int:
        """The amount of a part of the balance."""
        return self._sums[balance, currency, available]

    def _enter(self, move: Move) -> None:
        self._sums[self._shown(move)] += move.net
        if move.balance == "payments":
            self._weekly[move.currency, self._week(move)] += move.net

    def _shown(self, move: Move) -> tuple[str, str, bool]:
        return move.balance, move.currency, move.available <= self._world.now

    def _week(self, move: Move) -> int:
        """The first week whose payout finds the move available; below 0 when it has to wait for one to come."""
        return min(_WEEKS, (self._last - move.available) // (7 * DAY))

    def _paid_out(self, currency: str) -> Iterator[Payout]:
        total, weeks = 0, []
        for week in range(_WEEKS, -1, -1):
            total += self._weekly[currency, week]
            weeks.append(week)
            if total <= 0:
                continue
            status = "paid"
            if currency == "usd":
                status = {_FAILED: "failed", _CANCELED: "canceled"}.get(week, status)
            payout = Payout(f"{currency}/{week}", currency, total, self._last - week * 7 * DAY, status, week)
            self._taken |= {(currency, taken): payout.key for taken in weeks}
            for move in payout_moves(payout)[1:]:
                self._weekly[currency, self._week(move)] += move.net
            yield payout
            total, weeks = 0, []


def books(world: World, tell: Callable[[float], None] | None = None) -> Books:
    """The books of a world; while they are being computed, `tell` is called with the progress, from 0 to 1."""
    kept = _kept(world)
    if not kept:
        kept.append(Books(world, _everything(world, tell)))
    return kept[0]


@lru_cache(maxsize=4)
def _kept(world: World) -> list[Books]:  # noqa: ARG001 (what it is remembered by)
    """Where the books of a world are kept when they are closed."""
    return []


def _everything(world: World, tell: Callable[[float], None] | None) -> Iterator[Move]:
    counted = 0
    for cohort in cohorts(world):
        yield from moves_of(cohort)
        counted += len(cohort.buyers)
        if tell:
            tell(min(1.0, counted / max(1, world.customers)))
    yield from moves_of_company(world)


def moves_of(cohort: Cohort) -> Iterator[Move]:
    """What the payments of a cohort moved."""
    for payment in payments(cohort).values():
        yield from _of_payment(cohort.world, payment)


def moves_of_company(world: World) -> Iterator[Move]:
    """What moved the balance apart from customers' payments."""
    yield from dataset_moves.moves(world)
    yield from banking.moves(world)
    for month in range(1, 13):
        moment = midnight(world.now) - month * 30 * DAY
        yield at_once(f"fee/{month}", "stripe_fee", "fee", -1_250 - month * 10, moment, None, text="Billing, by usage")


def _of_payment(world: World, payment: Payment) -> Iterator[Move]:
    if not (payment.captured and payment.attempts and payment.attempts[-1].status == "succeeded"):
        return
    attempt, value, prefix = payment.attempts[-1], worth(payment), charge_prefix(payment)
    card = prefix == "ch_"

    def move(
        key: str, type_: str, category: str, amount: int, fee: int, made: int, about: tuple[str, str, str | None],
        text: str | None, available: int | None = None,
    ) -> Move:  # fmt: skip
        return Move(key, type_, category, amount, fee, value.currency, made, available or made, about, text, value.rate)

    source, ready = ("charge", attempt.key, prefix), midnight(attempt.created) + waits(payment)
    charged = "charge" if card else "payment", "charge", value.amount, value.fee
    yield move(f"charge/{attempt.key}", *charged, attempt.created, source, payment.text, ready)
    for back in payment.refunds:
        if not back.moves:
            continue
        amount, source = settle(back.amount, payment.currency).amount, ("refund", back.key, "re_" if card else "pyr_")
        type_ = "refund" if card else "payment_refund"
        yield move(f"refund/{back.key}", type_, "refund", -amount, 0, back.created, source, "Refund of a charge")
        if back.status == "failed":
            key, type_, moment = f"refund-failure/{back.key}", "refund_failure", back.created + 6 * DAY
            yield move(key, type_, type_, amount, 0, moment, source, "Refund that failed")
    if payment.dispute and withdrawn(payment.dispute):
        opened = world.now - int(payment.dispute.days * DAY)
        source = ("dispute", payment.key, dispute_prefix(payment.dispute))
        lost = "adjustment", "dispute", -value.amount, _DISPUTE_FEE
        yield move(f"dispute/{payment.key}", *lost, opened, source, "Chargeback withdrawal")
        if payment.dispute.status == "won":
            won = "adjustment", "dispute_reversal", value.amount, -_DISPUTE_FEE
            yield move(f"dispute-won/{payment.key}", *won, opened + 30 * DAY, source, "Chargeback reversal")


def payout_moves(payout: Payout) -> list[Move]:
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
