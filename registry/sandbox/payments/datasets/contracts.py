"""When each deal began, which periods it has had and how it ended; and since when there have been customers.

The lightest part of the data: what needs no invoices takes its times from here.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from registry.sandbox.payments.datasets import agreed, goods
from registry.sandbox.payments.datasets.agreed import RECENT, Cohort
from registry.sandbox.payments.datasets.methods import Method, wallet
from registry.sandbox.payments.datasets.parts import anchored, later
from registry.sandbox.world import DAY, HOUR

_EXTRA = ("upgrade", "threshold")
"""Turns that cause a separate invoice in the middle of a period."""


class Contract(NamedTuple):
    """A subscription with its times. `periods` are those that began; the last one is the present one."""

    deal: agreed.Deal
    buyer: agreed.Buyer
    start: int
    periods: tuple[tuple[int, int], ...]
    trial_end: int | None
    ended: int | None
    method: Method | None
    discount_end: int | None


@lru_cache(maxsize=RECENT)
def contracts(cohort: Cohort) -> dict[str, Contract]:
    """Every deal's times, by its key."""
    return {deal.key: _contract(cohort, deal, place) for place, deal in enumerate(cohort.deals)}


@lru_cache(maxsize=RECENT)
def joined(cohort: Cohort) -> dict[str, int]:
    """When each customer was created: three days before anything was sold to it."""
    now = cohort.world.now
    found = {buyer.key: now - (buyer.days or 30) * DAY for buyer in cohort.buyers}
    for contract in contracts(cohort).values():
        key = contract.buyer.key
        found[key] = min(found[key], contract.start - 3 * DAY)
    for one in cohort.one_offs:
        found[one.buyer] = min(found[one.buyer], now - int(one.days * DAY) - 3 * DAY)
    return found


@lru_cache(maxsize=RECENT)
def invoiced(cohort: Cohort) -> Counter[str]:
    """How many invoices each customer was sent; drafts were not."""
    found: Counter[str] = Counter()
    for deal in cohort.deals:
        turns = list(deal.turns.values())
        extra = sum(turns.count(turn) for turn in _EXTRA)
        found[deal.buyer] += deal.bills + extra - turns.count("draft")
    found.update(one.buyer for one in cohort.one_offs if one.status != "draft")
    return found


@lru_cache(maxsize=RECENT)
def late(cohort: Cohort) -> frozenset[str]:
    """The customers that should have paid by now."""
    owing = ("open", "lost")
    found = [deal.buyer for deal in cohort.deals if deal.collect != "send_invoice" and set(owing) & set(deal.turns.values())]
    found += [one.buyer for one in cohort.one_offs if one.collect != "send_invoice" and one.status in owing]
    return frozenset(found)


def _offset(deal: agreed.Deal, place: int) -> float:
    """How many days ago the deal's present period began."""
    if "offset" in deal.more:
        return float(deal.more["offset"])
    days = 1.2 + place * 7 % 25
    return days * (11 if deal.months == 12 else 1)


def _contract(cohort: Cohort, deal: agreed.Deal, place: int) -> Contract:
    buyer = cohort.by_key[deal.buyer]
    latest = anchored(cohort.world.now - int(_offset(deal, place) * DAY))
    if deal.gone:
        latest = later(latest, -deal.gone)
    start = later(latest, -deal.months * (deal.bills - 1))
    if deal.trial:
        trial_end: int | None = start + deal.trial * DAY
        periods = [(start, start + deal.trial * DAY)]
    else:
        trial_end = None
        periods = list(pairwise(later(start, deal.months * number) for number in range(deal.bills + 1)))
    ended = None
    if deal.gone:
        ended = periods[-1][1]
    elif deal.status == "incomplete_expired":
        ended = start + 23 * HOUR
    methods = wallet(buyer)
    discount_end = None
    if deal.discount and (coupon := goods.COUPONS[deal.discount])["duration"] != "forever":
        discount_end = later(start, coupon["duration_in_months"] or 0)
    return Contract(deal, buyer, start, tuple(periods), trial_end, ended, methods[0] if methods else None, discount_end)
