"""When each deal began, which periods it has had and how it ended; and since when there have been customers.

The lightest part of the data: what needs no invoices takes its times from here.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from registry.sandbox.payments.datasets import agreed, goods
from registry.sandbox.payments.datasets.agreed import RECENT, Cohort
from registry.sandbox.payments.datasets.methods import Method, wallet
from registry.sandbox.payments.datasets.parts import anchored, later
from registry.sandbox.world import DAY, HOUR


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


def _contract(cohort: Cohort, deal: agreed.Deal, place: int) -> Contract:
    buyer, trial_end, ended, discount_end = cohort.by_key[deal.buyer], None, None, None
    usual = (1.2 + place * 7 % 25) * (11 if deal.months == 12 else 1)
    days_ago = float(deal.more.get("offset", usual))  # when the deal's present period began
    latest = anchored(cohort.world.now - int(days_ago * DAY))
    if deal.gone:
        latest = later(latest, -deal.gone)
    start = later(latest, -deal.months * (deal.bills - 1))
    periods = list(pairwise(later(start, deal.months * number) for number in range(deal.bills + 1)))
    if deal.trial:
        trial_end = start + deal.trial * DAY
        periods = [(start, trial_end)]
    if deal.gone:
        ended = periods[-1][1]
    elif deal.status == "incomplete_expired":
        ended = start + 23 * HOUR
    if deal.discount and (coupon := goods.COUPONS[deal.discount])["duration"] != "forever":
        discount_end = later(start, coupon["duration_in_months"] or 0)
    return Contract(deal, buyer, start, tuple(periods), trial_end, ended, next(iter(wallet(buyer)), None), discount_end)
