"""Works out the times of every deal, and every invoice with its lines, amounts and times, from deals and one-off invoices.

Contracts and bills are plain values, without ids or hashes, so that each dataset can take what it needs and write its own kinds
only. They are worked out once for a cohort.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from registry.sandbox.payments.datasets import agreed, goods
from registry.sandbox.payments.datasets.parts import share
from registry.sandbox.world import DAY, HOUR, later

_PAID_LATE = 8 * DAY
_STATUS = {
    "open": "open", "action": "open", "processing": "open", "part": "open", "void": "void", "lost": "uncollectible",
    "draft": "draft",
}  # fmt: skip
"""By what was special about an invoice; others are paid."""

Period = tuple[int, int]


class Contract(NamedTuple):
    """A subscription with its times. `periods` are those that began; the last one is the present one."""

    deal: agreed.Deal
    buyer: agreed.Buyer
    start: int
    periods: tuple[tuple[int, int], ...]
    trial_end: int | None
    ended: int | None
    method: goods.Method | None
    discount_end: int | None


@lru_cache(maxsize=agreed.RECENT)
def contracts(cohort: agreed.Cohort) -> dict[str, Contract]:
    """Every deal's times, by its key."""
    return {deal.key: _contract(cohort, deal, place) for place, deal in enumerate(cohort.deals)}


@lru_cache(maxsize=agreed.RECENT)
def joined(cohort: agreed.Cohort) -> dict[str, int]:
    """When each customer was created: three days before anything was sold to it."""
    now = cohort.world.now
    found = {buyer.key: now - (buyer.days or 30) * DAY for buyer in cohort.buyers}
    for contract in contracts(cohort).values():
        key = contract.buyer.key
        found[key] = min(found[key], contract.start - 3 * DAY)
    for one in cohort.one_offs:
        found[one.buyer] = min(found[one.buyer], now - int(one.days * DAY) - 3 * DAY)
    return found


def _contract(cohort: agreed.Cohort, deal: agreed.Deal, place: int) -> Contract:
    buyer, trial_end, ended, discount_end = cohort.by_key[deal.buyer], None, None, None
    months = 12 if ".year" in deal.items[0][0] else 1  # the length of a period
    usual = (1.2 + place * 7 % 25) * (11 if months == 12 else 1)
    days_ago = float(deal.more.get("offset", usual))  # when the deal's present period began
    latest = cohort.world.now - int(days_ago * DAY)
    latest -= max(0, datetime.fromtimestamp(latest, UTC).day - 28) * DAY  # the 28th at the latest: every month has it
    if deal.gone:
        latest = later(latest, -deal.gone)
    start = later(latest, -months * (deal.bills - 1))
    periods = list(pairwise(later(start, months * number) for number in range(deal.bills + 1)))
    if deal.trial:
        trial_end = start + deal.trial * DAY
        periods = [(start, trial_end)]
    if deal.gone:
        ended = periods[-1][1]
    elif deal.status == "incomplete_expired":
        ended = start + 23 * HOUR
    if deal.discount and (coupon := goods.COUPONS[deal.discount])["duration"] != "forever":
        discount_end = later(start, coupon["duration_in_months"] or 0)
    return Contract(deal, buyer, start, tuple(periods), trial_end, ended, next(iter(goods.wallet(buyer)), None), discount_end)


class Line(NamedTuple):
    """A line of an invoice; `amount` before discount, credit grant and tax; `taxed` is the tax on the rest."""

    key: str
    price: goods.Price | None
    quantity: int
    amount: int
    start: int
    end: int
    text: str
    item: str
    proration: bool = False
    discount: int = 0
    credit: int = 0
    taxed: int = 0

    @property
    def net(self) -> int:
        """The amount less discount and credit."""
        return self.amount - self.discount - self.credit


@dataclass(slots=True)
class Bill:
    """An invoice. `number` counts the customer's finalized invoices from 1; a draft has no number.

    `net` and `taxed` are the sums over the lines, `total` what the invoice is over.
    """

    key: str
    buyer: agreed.Buyer
    deal: agreed.Deal | None
    one_off: agreed.OneOff | None
    reason: str
    created: int
    finalized: int | None
    period: Period
    lines: list[Line]
    turn: str
    collect: str
    discount: str = ""
    net: int = 0
    taxed: int = 0
    total: int = 0
    starting: int = 0
    ending: int = 0
    pre: int = 0
    post: int = 0
    paid: int = 0
    paid_at: int | None = None
    number: int | None = None

    @property
    def status(self) -> str:
        """The invoice's status."""
        return _STATUS.get(self.turn, "paid")

    @property
    def included(self) -> bool:
        """Whether the prices include the tax."""
        return bool(self.buyer.tax) and goods.LEVIES[self.buyer.tax].inclusive

    @property
    def due(self) -> int:
        """What is to be paid, after balance and credit notes."""
        return self.total + self.starting - self.ending - self.pre

    def __post_init__(self) -> None:
        """Work out the lines' discounts, credits and taxes, and the sums."""
        if self.discount:
            coupon = goods.COUPONS[self.discount]
            if percent := coupon["percent_off"]:
                self.lines = [line._replace(discount=share(line.amount, percent)) for line in self.lines]
            elif self.lines:
                first, *others = self.lines
                self.lines = [first._replace(discount=min(coupon["amount_off"], first.amount)), *others]
        if self.key in agreed.USES:
            _, credit = agreed.USES[self.key]
            self.lines = [line._replace(credit=credit) if line.price and line.price.meter else line for line in self.lines]
        if self.buyer.tax:
            self.lines = [line._replace(taxed=goods.LEVIES[self.buyer.tax].of(line.net)) for line in self.lines]
        self.net, self.taxed = sum(line.net for line in self.lines), sum(line.taxed for line in self.lines)
        self.total = self.net + (0 if self.included else self.taxed)


@lru_cache(maxsize=agreed.RECENT)
def bills_of(cohort: agreed.Cohort) -> dict[str, Bill]:
    """Every invoice of a cohort by its key, in order of time."""
    found = [bill for contract in contracts(cohort).values() for bill in _of_contract(cohort, contract)]
    found += [_of_one_off(cohort, one) for one in cohort.one_offs]
    found.sort(key=lambda bill: bill.created)
    counts: Counter[str] = Counter()
    for bill in found:
        if bill.finalized is not None:
            counts[bill.buyer.key] += 1
            bill.number = counts[bill.buyer.key]
        bill.ending = 30 if bill.key == "harbor.books.small" else 0
    bills = {bill.key: bill for bill in found}
    for entries in cohort.ledgers.values():
        for entry, balance in zip(entries, accumulate((one.amount for one in entries), initial=0), strict=False):
            if entry.type == "applied_to_invoice":
                bills[entry.bill].starting = balance
    for note in (one for one in cohort.notes if not one.void):
        # What was credited is taken off what was to be paid, or off what had been paid.
        bill, to_balance = bills[note.bill], balance_of(cohort, note)
        amount = note_total(bill, note)
        if note.how in ("due", "mixed"):
            bill.pre += amount - to_balance
        if note.how != "due":
            bill.post += to_balance if note.how == "mixed" else amount
    for bill in found:
        if bill.turn == "part":
            bill.paid = bill.total // 2
        elif bill.status == "paid" and bill.finalized is not None:
            bill.paid = bill.due
            bill.paid_at = bill.finalized + (_wait(bill) if bill.paid else 0)
    return bills


def _wait(bill: Bill) -> int:
    if bill.collect == "send_invoice":
        return _PAID_LATE
    methods = goods.wallet(bill.buyer)
    wait = 2 * DAY + 9 if bill.turn == "retry" else 4
    return wait + (4 * DAY if methods and methods[0].type in goods.DEBITS else 0)


def _of_contract(cohort: agreed.Cohort, contract: Contract) -> Iterator[Bill]:
    deal = contract.deal
    turns = {number % deal.bills: turn for number, turn in deal.turns.items()}
    grown_at = next((number for number, turn in turns.items() if turn == "upgrade"), None)
    usage = []
    if any(quantity == 0 for _, quantity in deal.items):  # a metered price
        dice = cohort.world.dice(f"usage/{deal.key}")
        usage = [dice.randint(300, 2_600) * 10 for _ in contract.periods]
    for number, (start, end) in enumerate(contract.periods):
        fewer = 2 if grown_at is not None and number <= grown_at else 0
        previous, turn = contract.periods[number - 1] if number else (start, start), turns.get(number, "")
        lines = list(_cycle(contract, number, (start, end), previous, usage, fewer))
        if turn == "upgrade":
            yield _upgrade(contract, number)
        elif turn == "threshold":
            place = next(place for place, (_, quantity) in enumerate(deal.items) if quantity == 0)
            price, used, moment = goods.PRICES[deal.items[place][0]], usage[number] // 2, start + 15 * DAY
            key, text = f"{deal.key}/{number}/threshold", f"{used} × {goods.PRODUCT_NAMES[price.product]}"
            cost = price.cost(used, contract.buyer.currency)
            line = Line(f"{key}/0", price, used, cost, start, moment, text, f"{deal.key}/{place}")
            yield _bill(key, contract, "subscription_threshold", moment, (start, moment), [line])
        reason = "subscription_cycle" if number else "subscription_create"
        yield _bill(f"{deal.key}/{number}", contract, reason, start, previous, lines, turn)


def _cycle(contract: Contract, number: int, now: Period, past: Period, usage: list[int], fewer: int) -> Iterator[Line]:
    """The lines of a period: what is used from now on, and what was metered before."""
    deal, currency = contract.deal, contract.buyer.currency
    after = {(place + 1) % deal.bills for place, turn in deal.turns.items() if turn == "threshold"}
    for place, (name, quantity) in enumerate(deal.items):
        price = goods.PRICES[name]
        product, item, key = goods.PRODUCT_NAMES[price.product], f"{deal.key}/{place}", f"{deal.key}/{number}/{place}"
        if contract.trial_end and not number:
            yield Line(key, price, quantity, 0, *now, f"Trial period for {product}", item)
        elif quantity:
            count = quantity - fewer
            yield Line(key, price, count, price.cost(count, currency), *now, f"{count} × {product}", item)
        elif number:
            used = usage[number - 1] // (100 if price.tiers else 1)
            if number % deal.bills in after:
                used -= used // 2
            yield Line(key, price, used, price.cost(used, currency), *past, f"{used} × {product}", item)


def _upgrade(contract: Contract, number: int) -> Bill:
    name, quantity = contract.deal.items[0]
    price, (start, end) = goods.PRICES[name], contract.periods[number]
    unit, moment = int(price.unit(contract.buyer.currency)), start + 10 * DAY
    left = (end - moment) / (end - start)
    key = f"{contract.deal.key}/{number}/upgrade"
    lines = []
    for place, (what, sign, count) in enumerate((("Unused", -1, quantity - 2), ("Remaining", 1, quantity))):
        text = f"{what} time on {count} × {goods.PRODUCT_NAMES[price.product]}"
        of = price, count, sign * round(unit * count * left), moment, end, text, f"{contract.deal.key}/0"
        lines.append(Line(f"{key}/{place}", *of, proration=True))
    return _bill(key, contract, "subscription_update", moment, (start, moment), lines)


def _bill(key: str, contract: Contract, reason: str, created: int, period: Period, lines: list[Line], turn: str = "") -> Bill:
    deal, ends = contract.deal, contract.discount_end
    discount = deal.discount if ends is None or created < ends or created == contract.start else ""
    finalized = None if turn == "draft" else created if reason == "subscription_create" else created + HOUR
    return Bill(key, contract.buyer, deal, None, reason, created, finalized, period, lines, turn, deal.collect, discount)


def _of_one_off(cohort: agreed.Cohort, one: agreed.OneOff) -> Bill:
    buyer, created, lines = cohort.by_key[one.buyer], cohort.world.now - int(one.days * DAY), []
    for number, item in enumerate(one.items):
        price, amount = waiting_price(buyer, item)
        text = item.description or goods.PRODUCT_NAMES[price.product if price else "setup"]
        lines.append(Line(f"{one.key}/{number}", price, item.quantity, amount, created, created, text, item.key))
    finalized = None if one.status == "draft" else created
    return Bill(one.key, buyer, None, one, one.reason, created, finalized, (created, created), lines, one.status, one.collect)


def waiting_price(buyer: agreed.Buyer, item: agreed.Item) -> tuple[goods.Price | None, int]:
    """An invoice item's price, and its amount in the customer's currency."""
    if item.price is None:
        return None, item.amount
    price = goods.PRICES[item.price]
    return price, price.cost(item.quantity, buyer.currency)


def balance_of(cohort: agreed.Cohort, note: agreed.Note) -> int:
    """How much of a credit note went to the customer's balance."""
    return next((-one.amount for entries in cohort.ledgers.values() for one in entries if one.note == note.key), 0)


def note_lines(bill: Bill, note: agreed.Note) -> Iterator[tuple[Line, int, int, int]]:
    """A credit note's share of each line: what is left of it before tax, the discount that it was less by, and the tax."""
    for line in bill.lines:
        net = share(line.net, note.share)
        yield (
            line,
            net,
            share(line.discount, note.share),
            share(net, goods.LEVIES[bill.buyer.tax].percentage) if bill.buyer.tax else 0,
        )


def note_total(bill: Bill, note: agreed.Note) -> int:
    """What a credit note is over, with tax."""
    return sum(net + tax for _, net, _, tax in note_lines(bill, note))
