"""Prices, with the plans that they were called before; products, coupons and shipping rates are data."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets import goods
from registry.sandbox.payments.shapes import ABSENT
from registry.sandbox.world import DAY


def write(builder: Builder) -> None:
    """Write prices and their plans."""
    for price in goods.PRICES:
        made = builder.world.now - price.days * DAY
        meter = builder.id("billing.meter", price.meter) if price.meter else None
        tiers = [_tier(*tier) for tier in price.tiers]
        recurring = {"interval": price.interval, "interval_count": 1, "meter": meter}
        recurring["usage_type"] = "metered" if meter else "licensed"
        fields: dict[str, Any] = {
            "active": price.active,
            "billing_scheme": "tiered" if tiers else "per_unit",
            "currency": price.currency,
            "metadata": {"created_by": "oskar.berg"} if price.lookup else {},
            "nickname": price.nickname,
            "product": builder.id("product", price.product),
            "tiers_mode": price.mode if tiers else ABSENT,
        }
        own = _amount(price, price.currency, tiers)
        new = builder.new(
            "price",
            price.key,
            made,
            **fields,
            **own,
            currency_options={currency: _amount(price, currency, tiers) for currency in (price.currency, *price.currencies)},
            lookup_key=price.lookup,
            recurring=recurring if price.interval else None,
            type="recurring" if price.interval else "one_time",
        )
        if price.interval:
            cost = {"amount": own["unit_amount"], "amount_decimal": own["unit_amount_decimal"], "tiers": tiers or ABSENT}
            builder.new("plan", price.key, made, id=new, **fields, **cost, **recurring)


def _amount(price: goods.Price, currency: str, tiers: list[dict[str, Any]]) -> dict[str, Any]:
    """The part of a price that differs between currencies."""
    common: dict[str, Any] = {"custom_unit_amount": None, "tax_behavior": price.behaviour}
    if tiers:
        return common | {"tiers": tiers, "unit_amount": None, "unit_amount_decimal": None}
    if price.amount is None:
        custom = {"maximum": 50_000, "minimum": 300, "preset": 1_000}
        return common | {"custom_unit_amount": custom, "unit_amount": None, "unit_amount_decimal": None}
    unit = goods.unit(price, currency)
    whole = int(unit) if unit == int(unit) else None
    return common | {"unit_amount": whole, "unit_amount_decimal": goods.decimal(unit)}


def _tier(up_to: int | None, amount: float, flat: int) -> dict[str, Any]:
    return {
        "flat_amount": flat or None,
        "flat_amount_decimal": str(flat) if flat else None,
        "unit_amount": int(amount),
        "unit_amount_decimal": goods.decimal(amount) or "0",
        "up_to": up_to,
    }
