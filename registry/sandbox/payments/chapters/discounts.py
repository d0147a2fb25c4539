"""Discounts: the coupons that subscriptions, customers and single invoices have."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import coupons
from registry.sandbox.payments.chapters.cohort import Cohort, first
from registry.sandbox.payments.chapters.contracts import Contract, contracts
from registry.sandbox.payments.naming import names
from registry.sandbox.world import DAY

ON_CUSTOMERS: dict[str, str] = {"kiwi.orchards": "FRIENDS10", "quotes": "FRIENDS10", "gallery": "SPRING5"}
"""Customers with a discount of their own, newer than their last invoice."""

ON_ITEMS: dict[str, str] = {"brightwater/0": "Yt7PqL2x"}
"""Items of subscriptions with a discount of their own, newer than the last invoice too."""

_CODES = {"ada.romero": "HELLO20", "perrin": "HELLO20", "ben.david": "PARTNER-BENDAVID", "rossi": "FROST"}


def running(contract: Contract, now: int) -> bool:
    """Whether a subscription still has its discount."""
    return bool(contract.deal.discount) and (contract.discount_end is None or contract.discount_end > now)


def write(builder: Builder) -> None:
    """Write the chapter."""
    write_cohort(builder, first(builder.world))
    _of_others(builder)


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write the discounts of a cohort's subscriptions."""
    for contract in contracts(cohort).values():
        deal = contract.deal
        if not deal.discount:
            continue
        code = _CODES.get(deal.key)
        builder.new(
            "discount",
            deal.key,
            contract.start,
            customer=names(builder.world)("customer", deal.buyer),
            start=contract.start,
            end=contract.discount_end if coupons.BY_KEY[deal.discount].duration == "repeating" else None,
            promotion_code=names(builder.world)("promotion_code", code) if code else None,
            source={"coupon": deal.discount, "type": "coupon"},
            subscription=names(builder.world)("subscription", deal.key),
        )


def _of_others(builder: Builder) -> None:
    now = builder.world.now
    for key, coupon in ON_CUSTOMERS.items():
        start = now - DAY // 2
        builder.new(
            "discount",
            f"customer/{key}",
            start,
            customer=names(builder.world)("customer", key),
            start=start,
            promotion_code=names(builder.world)("promotion_code", "FRIEND") if coupon == "FRIENDS10" else None,
            source={"coupon": coupon, "type": "coupon"},
        )
    for key, coupon in ON_ITEMS.items():
        deal = key.partition("/")[0]
        builder.new(
            "discount",
            f"item/{key}",
            now - DAY // 2,
            customer=names(builder.world)("customer", deal),
            start=now - DAY // 2,
            source={"coupon": coupon, "type": "coupon"},
            subscription=names(builder.world)("subscription", deal),
            subscription_item=names(builder.world)("subscription_item", key),
        )
    builder.new(
        "discount",
        "quote/harbour.finch",
        now - 6 * DAY,
        customer=names(builder.world)("customer", "harbour.finch"),
        start=now - 6 * DAY,
        source={"coupon": "PARTNER15", "type": "coupon"},
    )
