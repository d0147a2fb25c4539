"""The books of the account: everything that moves its balance, the weekly payouts that follow from it, and what is left.

Every week a payout takes what has become available in a currency and was not in an earlier payout; what no payout took is the
balance. The books hold sums, not single moves, so that they are as small for a hundred thousand customers as for sixty; when
moves are written they are computed again, and a hidden field of each balance transaction names its payout.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from registry.sandbox.payments.datasets.agreed import Cohort, first
from registry.sandbox.payments.datasets.crowd import further
from registry.sandbox.payments.datasets.goods import DEBITS
from registry.sandbox.payments.datasets.parts import Hash, fee, midnight, settle
from registry.sandbox.payments.datasets.paying import Payment, charge_prefix, dispute_prefix, payments, withdrawn
from registry.sandbox.payments.datasets.tables import MOVE, objects
from registry.sandbox.payments.shapes import ABSENT, Builder
from registry.sandbox.world import DAY, HOUR, World

_WEEKS = 56
_FAILED, _CANCELED = 3, 19
"""The weeks, counted back from now, whose payouts in dollars came back."""

_DISPUTE_FEE = 1_500


class Move(NamedTuple):
    """A balance transaction. `source` is (kind, key[, id prefix]) of its source object; `key` is its own key."""

    key: str
    type: str
    category: str
    amount: int
    created: int
    available: int
    source: Sequence[str] | None = None
    text: str | None = None
    fee: int = 0
    currency: str = "usd"
    rate: float | None = None
    balance: str = "payments"

    @property
    def net(self) -> int:
        """What the balance changes by."""
        return self.amount - self.fee


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
        sums: the amounts of the balance by its part, the currency, and whether they are available.
    """

    def __init__(self, world: World, moves: Iterable[Move]) -> None:
        self._world = world
        self._last = midnight(world.now) - 5 * DAY + 4 * HOUR
        self._weekly: dict[tuple[str, int], int] = defaultdict(int)
        self.sums: dict[tuple[str, str, bool], int] = defaultdict(int)
        self._taken: dict[tuple[str, int], str] = {}
        for move in moves:
            self._enter(move)
            if move.balance == "payments":
                self._weekly[move.currency, self._week(move)] += move.net
        self.payouts = [payout for currency in ("usd", "eur") for payout in self._paid_out(currency)]
        self.payouts += [
            Payout("instant", "usd", 2_500, world.now - 600, "pending"),
            Payout("by.hand", "usd", 4_000, world.now - 26 * HOUR, "in_transit"),
        ]
        for payout in self.payouts:
            for move in payout_moves(payout):
                self._enter(move)

    def payout_of(self, move: Move) -> str | None:
        """The key of the payout that took a move, if one did."""
        if move.category == "payout" or move.balance != "payments":
            return None
        return self._taken.get((move.currency, self._week(move)))

    def _enter(self, move: Move) -> None:
        self.sums[move.balance, move.currency, move.available <= self._world.now] += move.net

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
            back = {_FAILED: "failed", _CANCELED: "canceled"} if currency == "usd" else {}
            made, status = self._last - week * 7 * DAY, back.get(week, "paid")
            payout = Payout(f"{currency}/{week}", currency, total, made, status, week)
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
    for cohort in chain((first(world),), further(world)):
        yield from _moves_of(cohort)
        counted += len(cohort.buyers)
        if tell:
            tell(min(1.0, counted / max(1, world.customers)))
    yield from _moves_of_company(world)


def _moves_of(cohort: Cohort) -> Iterator[Move]:
    for payment in payments(cohort).values():
        if payment.captured and payment.attempts and payment.attempts[-1].status == "succeeded":
            yield from _of_payment(cohort.world, payment)


def _moves_of_company(world: World) -> Iterator[Move]:
    """What moved the balance apart from customers' payments: what the data say, and the monthly fee."""
    for name in ("banking", "climate", "issuing", "marketplace", "topping"):
        for key, made, fields in objects(world, name, MOVE):
            yield Move(key, created=made, available=made + fields.pop("wait", 0) * DAY, **fields)
    for month in range(1, 13):
        made = midnight(world.now) - month * 30 * DAY
        yield Move(f"fee/{month}", "stripe_fee", "fee", -1_250 - month * 10, made, made, text="Billing, by usage")


def _of_payment(world: World, payment: Payment) -> Iterator[Move]:
    attempt, prefix = payment.attempts[-1], charge_prefix(payment)
    settled, currency, rate = settle(payment.amount, payment.currency)
    own = "" if prefix == "ch_" else "payment_"

    def move(
        key: str, type_: str, category: str, amount: int, made: int, source: Sequence[str], text: str | None,
        *, kept: int = 0, days: int = 0,
    ) -> Move:  # fmt: skip
        available = midnight(made) + days * DAY if days else made
        return Move(key, type_, category, amount, made, available, source, text, kept, currency, rate)

    source, type_, days = ("charge", attempt.key, prefix), "payment" if own else "charge", 5 if payment.type in DEBITS else 2
    foreign = payment.buyer is not None and payment.buyer.country != "US"  # from another country than the account
    kept = fee(settled, payment.type, foreign=foreign)
    made = attempt.created
    yield move(f"charge/{attempt.key}", type_, "charge", settled, made, source, payment.text, kept=kept, days=days)
    for back in (one for one in payment.refunds if one.moves):
        (amount, _, _), source = settle(back.amount, payment.currency), ("refund", back.key, "pyr_" if own else "re_")
        yield move(f"refund/{back.key}", f"{own}refund", "refund", -amount, back.created, source, "Refund of a charge")
        if back.agreed.status == "failed":
            key, type_, made = f"refund-failure/{back.key}", "refund_failure", back.created + 6 * DAY
            yield move(key, type_, type_, amount, made, source, "Refund that failed")
    dispute, key = payment.dispute, payment.key
    if dispute and withdrawn(dispute):
        made, source, amount = world.now - int(dispute.days * DAY), ("dispute", key, dispute_prefix(dispute)), settled
        text = "Chargeback withdrawal"
        yield move(f"dispute/{key}", "adjustment", "dispute", -amount, made, source, text, kept=_DISPUTE_FEE)
        if dispute.status == "won":
            category, made, text = "dispute_reversal", made + 30 * DAY, "Chargeback reversal"
            yield move(f"dispute-won/{key}", "adjustment", category, amount, made, source, text, kept=-_DISPUTE_FEE)


def payout_moves(payout: Payout) -> list[Move]:
    """The move of a payout, and the one by which the money came back."""
    key, currency, amount, made, status, _ = payout
    source = ("payout", key)
    moves = [Move(f"payout/{key}", "payout", "payout", -amount, made, made, source, currency=currency)]
    if status in ("failed", "canceled"):
        type_, back = "payout_failure" if status == "failed" else "payout_cancel", made + 3 * DAY
        moves.append(Move(f"payout-back/{key}", type_, "payout_reversal", amount, back, back, source, currency=currency))
    return moves


def transactions(builder: Builder, cohort: Cohort) -> None:
    """Write the balance moves of a cohort's payments; the company's own moves are with those of the first cohort."""
    kept = books(builder.world)
    more = () if cohort.name else _moves_of_company(builder.world)
    for move in sorted((*_moves_of(cohort), *more), key=lambda move: (move.created, move.key)):
        _transaction(builder, move, kept.payout_of(move))


def payouts(builder: Builder) -> None:
    """Write the payouts and the balance."""
    kept = books(builder.world)
    for payout in kept.payouts:
        key, made, status = payout.key, payout.created, payout.status
        weekly, at_once, failed = payout.week is not None, key == "instant", status == "failed"
        came_back = f"payout-back/{key}" if status in ("failed", "canceled") else None
        trace = {"paid": {"status": "supported", "value": builder.world.digits(f"trace/{key}", 15)}, "canceled": ABSENT}
        done = "completed" if payout.week else "in_progress"
        account = ("card", "fernway/card") if at_once else ("bank_account", f"fernway/{payout.currency}")
        builder.new(
            "payout",
            key,
            made,
            amount=payout.amount,
            arrival_date=made if at_once else made + 2 * DAY,
            automatic=weekly,
            balance_transaction=builder.id("balance_transaction", f"payout/{key}"),
            currency=payout.currency,
            description="PAYOUT" if weekly else "Asked for by oskar.berg",
            destination=builder.id(*account),
            failure_balance_transaction=builder.link("balance_transaction", came_back),
            failure_code="account_closed" if failed else ABSENT,
            failure_message="The bank account has been closed." if failed else ABSENT,
            method="instant" if at_once else "standard",
            reconciliation_status=done if weekly else "not_applicable",
            source_type="card",
            statement_descriptor=None if weekly else "FERNWAY",
            status=status,
            trace_id=trace.get(status, {"status": "pending"}),
            type=account[0],
        )
        for move in payout_moves(payout):
            _transaction(builder, move, kept.payout_of(move))

    def part(balance: str, currency: str, *, available: bool) -> Hash:
        amount = kept.sums[balance, currency, available]
        return {"amount": amount, "currency": currency, "source_types": {"card": amount}}

    dollars = part("payments", "usd", available=True)
    amount, by_source = dollars["amount"], dollars["source_types"]
    net = {"amount": amount, "destination": builder.id("card", "fernway/card"), "source_types": by_source}
    builder.new(
        "balance",
        "self",
        builder.world.now,
        id="self",
        available=[part("payments", "eur", available=True), dollars],
        connect_reserved=[{"amount": 0, "currency": "usd"}],
        instant_available=[{"amount": amount, "currency": "usd", "net_available": [net], "source_types": by_source}],
        issuing={"available": [part("issuing", "usd", available=True)]},
        pending=[part("payments", currency, available=False) for currency in ("eur", "usd")],
    )


def _transaction(builder: Builder, move: Move, payout: str | None) -> None:
    text = "Dispute fee" if move.category.startswith("dispute") else "Processing fees"
    fee = {"amount": move.fee, "currency": move.currency, "description": text, "type": "stripe_fee"}
    builder.new(
        "balance_transaction",
        move.key,
        move.created,
        amount=move.amount,
        available_on=move.available,
        balance_type=move.balance,
        currency=move.currency,
        description=move.text,
        exchange_rate=move.rate,
        fee=move.fee,
        fee_details=[fee] if move.fee else [],
        net=move.net,
        reporting_category=move.category,
        source=builder.id(*move.source) if move.source else None,
        status="available" if move.available <= builder.world.now else "pending",
        type=move.type,
        _payout=builder.link("payout", payout),
    )
