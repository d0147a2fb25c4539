"""Works out every invoice with its lines, amounts and times, from the deals and one-off invoices.

Bills are plain values, without ids or hashes, so that each dataset can take what it needs and write its own kinds
only. They are worked out once for a cohort.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import NamedTuple

from registry.sandbox.payments.datasets import agreed, goods
from registry.sandbox.payments.datasets.cohort import RECENT, Cohort
from registry.sandbox.payments.datasets.contracts import Contract, contracts
from registry.sandbox.payments.datasets.goods import LEVIES
from registry.sandbox.payments.datasets.methods import DEBITS, wallet
from registry.sandbox.payments.datasets.money import share
from registry.sandbox.world import DAY, HOUR

_PAID_LATE = 8 * DAY


class Line(NamedTuple):
    """A line of an invoice; `amount` before discount, credit grant and tax; `taxed` is the tax on the rest."""

    key: str
    price: goods.Price | None
    quantity: int
    amount: int
    start: int
    end: int
    text: str
    discount: int = 0
    credit: int = 0
    taxed: int = 0
    item: str | None = None
    proration: bool = False


@dataclass(slots=True)
class Bill:
    """An invoice. `number` counts the customer's finalized invoices from 1; a draft has no number.

    `subtotal`, `discounted`, `credited` and `taxed` are the sums over the lines.
    """

    key: str
    buyer: agreed.Buyer
    deal: agreed.Deal | None
    one_off: agreed.OneOff | None
    reason: str
    created: int
    finalized: int | None
    period: tuple[int, int]
    lines: tuple[Line, ...]
    status: str
    turn: str
    collect: str
    discount: str
    tax: str
    subtotal: int
    discounted: int
    credited: int
    taxed: int
    starting: int = 0
    ending: int = 0
    pre: int = 0
    post: int = 0
    paid: int = 0
    paid_at: int | None = None
    number: int | None = None

    @property
    def total(self) -> int:
        """What the invoice is over."""
        included = bool(self.tax) and LEVIES[self.tax].inclusive
        return self.subtotal - self.discounted - self.credited + (0 if included else self.taxed)

    @property
    def due(self) -> int:
        """What is to be paid, after balance and credit notes."""
        return self.total + self.starting - self.ending - self.pre


@lru_cache(maxsize=RECENT)
def bills_of(cohort: Cohort) -> dict[str, Bill]:
    """Every invoice of a cohort by its key, in order of time."""
    maker = _BillMaker(cohort)
    found = [bill for contract in contracts(cohort).values() for bill in maker.invoices(contract)]
    found += [maker.one_off(one) for one in cohort.one_offs]
    found.sort(key=lambda bill: bill.created)
    counts: dict[str, int] = defaultdict(int)
    for bill in found:
        if bill.finalized is not None:
            bill.number = counts[bill.buyer.key] = counts[bill.buyer.key] + 1
    return {bill.key: bill for bill in found}


class _BillMaker:
    """Works out invoices."""

    def __init__(self, cohort: Cohort) -> None:
        self._cohort = cohort
        self._world = cohort.world
        self._balances = agreed.starting_balances(cohort.ledgers)
        self._notes: dict[str, list[agreed.Note]] = defaultdict(list)
        for note in cohort.notes:
            if not note.void:
                self._notes[note.bill].append(note)

    def invoices(self, contract: Contract) -> list[Bill]:
        """The invoices of a subscription."""
        deal = contract.deal
        turns = {number % deal.bills: turn for number, turn in deal.turns.items()}
        grown_at = next((number for number, turn in turns.items() if turn == "upgrade"), None)
        usage = self._usage(contract)
        found = []
        for number, (start, end) in enumerate(contract.periods):
            fewer = 2 if grown_at is not None and number <= grown_at else 0
            previous = contract.periods[number - 1] if number else (start, start)
            turn = turns.get(number, "")
            lines = self._cycle(contract, number, (start, end), previous, usage, fewer)
            if turn == "upgrade":
                found.append(self._upgrade(contract, number))
            elif turn == "threshold":
                found.append(self._threshold(contract, number, usage))
            reason = "subscription_cycle" if number else "subscription_create"
            found.append(self._bill(contract, f"{deal.key}/{number}", reason, start, previous, lines, turn))
        return found

    def one_off(self, one: agreed.OneOff) -> Bill:
        """An invoice that no subscription brought."""
        buyer = self._cohort.by_key[one.buyer]
        created = self._world.now - int(one.days * DAY)
        lines = [self._priced(f"{one.key}/{number}", buyer, item, created, item.key) for number, item in enumerate(one.items)]
        return self._finish(
            one.key, buyer, None, one, one.reason, created, (created, created), lines, one.status, one.collect, ""
        )

    def _priced(self, key: str, buyer: agreed.Buyer, item: agreed.Item, moment: int, name: str) -> Line:
        price, amount = waiting_price(buyer, item)
        text = item.description or goods.PRODUCT_NAMES[price.product if price else "setup"]
        return Line(key, price, item.quantity, amount, moment, moment, text, item=name)

    def _usage(self, contract: Contract) -> list[int]:
        """What was used in each period, for deals with a metered price."""
        if not any(quantity == 0 for _, quantity in contract.deal.items):
            return []
        dice: Random = self._world.dice(f"usage/{contract.deal.key}")
        return [dice.randint(300, 2_600) * 10 for _ in contract.periods]

    def _cycle(
        self, contract: Contract, number: int, now: tuple[int, int], past: tuple[int, int], usage: list[int], fewer: int
    ) -> list[Line]:
        deal, currency, lines = contract.deal, contract.buyer.currency, []
        for place, (name, quantity) in enumerate(deal.items):
            price = goods.BY_KEY[name]
            product = goods.PRODUCT_NAMES[price.product]
            item = f"{deal.key}/{place}"
            key = f"{deal.key}/{number}/{place}"
            if contract.trial_end and not number:
                lines.append(Line(key, price, quantity, 0, *now, f"Trial period for {product}", item=item))
            elif quantity == 0:
                if number:
                    used = usage[number - 1] // (100 if price.tiers else 1)
                    if deal.turns and "threshold" in deal.turns.values() and number % deal.bills in self._after(deal):
                        used -= used // 2
                    lines.append(Line(key, price, used, _metered(price, used), *past, f"{used} × {product}", item=item))
            else:
                count = quantity - fewer
                amount = goods.tiered(price, count) if price.tiers else int(goods.unit(price, currency)) * count
                lines.append(Line(key, price, count, amount, *now, f"{count} × {product}", item=item))
        return lines

    def _after(self, deal: agreed.Deal) -> set[int]:
        return {(number + 1) % deal.bills for number, turn in deal.turns.items() if turn == "threshold"}

    def _upgrade(self, contract: Contract, number: int) -> Bill:
        name, quantity = contract.deal.items[0]
        price = goods.BY_KEY[name]
        unit = int(goods.unit(price, contract.buyer.currency))
        start, end = contract.periods[number]
        moment = start + 10 * DAY
        left = (end - moment) / (end - start)
        key = f"{contract.deal.key}/{number}/upgrade"
        lines = []
        for place, (what, sign, count) in enumerate((("Unused", -1, quantity - 2), ("Remaining", 1, quantity))):
            text = f"{what} time on {count} × {goods.PRODUCT_NAMES[price.product]}"
            of = price, count, sign * round(unit * count * left), moment, end, text
            lines.append(Line(f"{key}/{place}", *of, item=f"{contract.deal.key}/0", proration=True))
        return self._bill(contract, key, "subscription_update", moment, (start, moment), lines, "")

    def _threshold(self, contract: Contract, number: int, usage: list[int]) -> Bill:
        deal = contract.deal
        place = next(place for place, (_, quantity) in enumerate(deal.items) if quantity == 0)
        price = goods.BY_KEY[deal.items[place][0]]
        start, _ = contract.periods[number]
        moment = start + 15 * DAY
        used = usage[number] // 2
        key = f"{deal.key}/{number}/threshold"
        text = f"{used} × {goods.PRODUCT_NAMES[price.product]}"
        line = Line(f"{key}/0", price, used, _metered(price, used), start, moment, text, item=f"{deal.key}/{place}")
        return self._bill(contract, key, "subscription_threshold", moment, (start, moment), [line], "")

    def _bill(
        self, contract: Contract, key: str, reason: str, created: int, period: tuple[int, int], lines: list[Line], turn: str
    ) -> Bill:
        deal, ends = contract.deal, contract.discount_end
        discount = deal.discount if ends is None or created < ends or created == contract.start else ""
        return self._finish(key, contract.buyer, deal, None, reason, created, period, lines, turn, deal.collect, discount)

    def _finish(
        self, key: str, buyer: agreed.Buyer, deal: agreed.Deal | None, one: agreed.OneOff | None, reason: str, created: int,
        period: tuple[int, int], lines: list[Line], turn: str, collect: str, discount: str,
    ) -> Bill:  # fmt: skip
        """Put discount, tax, balance, credit notes and payment to the lines."""
        lines = _reduced(lines, discount, agreed.USES.get(key), buyer.tax)
        status = _STATUS.get(turn, "paid")
        finalized: int | None = None
        if turn != "draft":
            finalized = created if reason == "subscription_create" or one else created + HOUR
        bill = Bill(
            key, buyer, deal, one, reason, created, finalized, period, tuple(lines), status, turn, collect, discount, buyer.tax,
            sum(line.amount for line in lines), sum(line.discount for line in lines), sum(line.credit for line in lines),
            sum(line.taxed for line in lines),
        )  # fmt: skip
        bill.starting = self._balances.get(key, 0)
        bill.ending = 30 if key == "harbor.books.small" else 0
        for note in self._notes.get(key, ()):
            amount = note_total(bill, note)
            to_balance = balance_of(self._cohort, note)
            bill.pre += amount - to_balance if note.how in ("due", "mixed") else 0
            bill.post += to_balance if note.how == "mixed" else 0 if note.how == "due" else amount
        if turn == "part":
            bill.paid = bill.total // 2
        elif status == "paid" and finalized is not None:
            bill.paid = bill.due
            bill.paid_at = finalized + (_wait(bill) if bill.paid else 0)
        return bill


def _wait(bill: Bill) -> int:
    """Seconds from an invoice to its payment."""
    if bill.collect == "send_invoice":
        return _PAID_LATE
    methods = wallet(bill.buyer)
    wait = 2 * DAY + 9 if bill.turn == "retry" else 4
    return wait + (4 * DAY if methods and methods[0].type in DEBITS else 0)


_STATUS = {
    "open": "open", "action": "open", "processing": "open", "part": "open", "void": "void", "lost": "uncollectible",
    "draft": "draft",
}  # fmt: skip


def waiting_price(buyer: agreed.Buyer, item: agreed.Item) -> tuple[goods.Price | None, int]:
    """An invoice item's price, and its amount in the customer's currency."""
    if item.price is None:
        return None, item.amount
    price = goods.BY_KEY[item.price]
    return price, int(goods.unit(price, buyer.currency)) * item.quantity


def balance_of(cohort: Cohort, note: agreed.Note) -> int:
    """How much of a credit note went to the customer's balance."""
    return next((-one.amount for entries in cohort.ledgers.values() for one in entries if one.note == note.key), 0)


class Credited(NamedTuple):
    """A credit note's share of a line: what is left of it before tax, the discount that it was less by, and the tax."""

    line: Line
    net: int
    discount: int
    tax: int


def note_lines(bill: Bill, note: agreed.Note) -> list[Credited]:
    """A credit note's share of each line."""
    parts = []
    for line in bill.lines:
        net = share(line.amount - line.discount - line.credit, note.share)
        tax = share(net, LEVIES[bill.tax].percentage) if bill.tax else 0
        parts.append(Credited(line, net, share(line.discount, note.share), tax))
    return parts


def note_total(bill: Bill, note: agreed.Note) -> int:
    """What a credit note is over, with tax."""
    return sum(part.net + part.tax for part in note_lines(bill, note))


def _metered(price: goods.Price, used: int) -> int:
    return goods.tiered(price, used) if price.tiers else round((price.amount or 0) * used)


def _reduced(lines: list[Line], discount: str, use: agreed.Use | None, tax: str) -> list[Line]:
    """The lines with their discounts, credits and taxes."""
    if discount:
        coupon = goods.COUPONS[discount]
        if percent := coupon["percent_off"]:
            lines = [line._replace(discount=share(line.amount, percent)) for line in lines]
        elif lines:
            lines = [lines[0]._replace(discount=min(coupon["amount_off"], lines[0].amount)), *lines[1:]]
    if use:
        lines = [line._replace(credit=use.amount) if line.price and line.price.meter else line for line in lines]
    if tax:
        levy = LEVIES[tax]
        percent = levy.percentage
        lines = [
            line._replace(taxed=_tax(line.amount - line.discount - line.credit, percent, inside=levy.inclusive))
            for line in lines
        ]
    return lines


def _tax(net: int, percent: float, *, inside: bool) -> int:
    sign = -1 if net < 0 else 1
    if inside:
        return sign * round(abs(net) * percent / (100 + percent))
    return sign * share(abs(net), percent)
