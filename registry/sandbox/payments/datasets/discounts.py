"""Discounts: the coupons that subscriptions, customers and single invoices have."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets import goods
from registry.sandbox.payments.datasets.cohort import Cohort
from registry.sandbox.payments.datasets.contracts import Contract, contracts

ON_CUSTOMERS: dict[str, str] = {"kiwi.orchards": "FRIENDS10", "quotes": "FRIENDS10", "gallery": "SPRING5"}
"""Customers with their own discount, newer than their last invoice."""

ON_ITEMS: dict[str, str] = {"brightwater/0": "Yt7PqL2x"}
"""Items of subscriptions with their own discount, also newer than the last invoice."""

_CODES = {"ada.romero": "HELLO20", "perrin": "HELLO20", "ben.david": "PARTNER-BENDAVID", "rossi": "FROST"}


def running(contract: Contract, now: int) -> bool:
    """Whether a subscription still has its discount."""
    return bool(contract.deal.discount) and (contract.discount_end is None or contract.discount_end > now)


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
            customer=builder.id("customer", deal.buyer),
            start=contract.start,
            end=contract.discount_end if goods.COUPONS[deal.discount]["duration"] == "repeating" else None,
            promotion_code=builder.id("promotion_code", code) if code else None,
            source={"coupon": deal.discount, "type": "coupon"},
            subscription=builder.id("subscription", deal.key),
        )
