"""The customers of a part of the payments world and, as data, their contracts and what followed.

The datasets about customers write one cohort at a time. The first one is the hand-written account in `people`,
`deals` and the like; `crowd` makes further ones. What a dataset works out for a cohort is kept for as long as the last few
cohorts are, so that a world of any size is written in the memory of a few.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from registry.sandbox.payments.datasets.agreed import (
    BUYERS,
    DEALS,
    DISPUTES,
    LEDGERS,
    NOTES,
    ONE_OFFS,
    REFUNDS,
    SALES,
    WAITING,
    Buyer,
    Deal,
    Dispute,
    Entry,
    Note,
    OneOff,
    Refund,
    Sale,
    Waiting,
)
from registry.sandbox.world import World

RECENT = 4
"""The number of cohorts whose computed data is cached."""


@dataclass(frozen=True, eq=False)
class Cohort:
    """Customers with their history. Each refers to nobody else's objects; keys are unique within the world.

    `name` is empty for the first cohort, and what its random choices are named after. `ledgers` are entries of customer
    balances by customer, `on_customers` the coupons that customers have of their own.
    """

    world: World
    name: str
    buyers: tuple[Buyer, ...]
    deals: tuple[Deal, ...]
    one_offs: tuple[OneOff, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    ledgers: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    sales: tuple[Sale, ...] = ()
    refunds: tuple[Refund, ...] = ()
    disputes: tuple[Dispute, ...] = ()

    @cached_property
    def by_key(self) -> dict[str, Buyer]:
        """The customers by their keys."""
        return {buyer.key: buyer for buyer in self.buyers}


@lru_cache(maxsize=RECENT)
def first(world: World) -> Cohort:
    """The customers that every world has."""
    return Cohort(world, "", BUYERS, DEALS, ONE_OFFS, WAITING, LEDGERS, NOTES, SALES, REFUNDS, DISPUTES)
