"""When each deal began, which periods it has had and how it ended; and since when there have been customers.

The lightest part of the story: what needs no invoices takes its times from here.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from registry.sandbox.payments.chapters import coupons, deals, oneoffs, people
from registry.sandbox.payments.chapters.methods import Method, wallet
from registry.sandbox.payments.chapters.parts import anchored, later
from registry.sandbox.world import DAY, HOUR, World

_EXTRA = ("upgrade", "threshold")
"""Turns that bring an invoice of their own in the middle of a period."""


class Contract(NamedTuple):
    """A subscription with its times. `periods` are those that began; the last one is the present one."""

    deal: deals.Deal
    buyer: people.Buyer
    start: int
    periods: tuple[tuple[int, int], ...]
    trial_end: int | None
    ended: int | None
    method: Method | None
    discount_end: int | None


@lru_cache(maxsize=4)
def contracts(world: World) -> dict[str, Contract]:
    """Every deal's times, by its key."""
    return {deal.key: _contract(world.now, deal, place) for place, deal in enumerate(deals.DEALS)}


@lru_cache(maxsize=4)
def joined(world: World) -> dict[str, int]:
    """When each customer was created: three days before anything was sold to it."""
    found = {buyer.key: world.now - (buyer.days or 30) * DAY for buyer in people.BUYERS}
    for contract in contracts(world).values():
        key = contract.buyer.key
        found[key] = min(found[key], contract.start - 3 * DAY)
    for one in oneoffs.ONE_OFFS:
        found[one.buyer] = min(found[one.buyer], world.now - int(one.days * DAY) - 3 * DAY)
    return found


@cache
def invoiced() -> Counter[str]:
    """How many invoices each customer was sent; drafts were not."""
    found: Counter[str] = Counter()
    for deal in deals.DEALS:
        turns = list(deal.turns.values())
        extra = sum(turns.count(turn) for turn in _EXTRA)
        found[deal.buyer] += deal.bills + extra - turns.count("draft")
    found.update(one.buyer for one in oneoffs.ONE_OFFS if one.status != "draft")
    return found


@cache
def late() -> frozenset[str]:
    """The customers that should have paid by now."""
    owing = ("open", "lost")
    found = [deal.buyer for deal in deals.DEALS if deal.collect != "send_invoice" and set(owing) & set(deal.turns.values())]
    found += [one.buyer for one in oneoffs.ONE_OFFS if one.collect != "send_invoice" and one.status in owing]
    return frozenset(found)


def _offset(deal: deals.Deal, place: int) -> float:
    """How many days ago the deal's present period began."""
    if "offset" in deal.more:
        return float(deal.more["offset"])
    days = 1.2 + place * 7 % 25
    return days * (11 if deal.months == 12 else 1)


def _contract(now: int, deal: deals.Deal, place: int) -> Contract:
    buyer = people.BY_KEY[deal.buyer]
    latest = anchored(now - int(_offset(deal, place) * DAY))
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
    methods = wallet(buyer.key)
    discount_end = None
    if deal.discount and (coupon := coupons.BY_KEY[deal.discount]).duration != "forever":
        discount_end = later(start, coupon.months or 0) if coupon.months else start
    return Contract(deal, buyer, start, tuple(periods), trial_end, ended, methods[0] if methods else None, discount_end)
