"""What invoices are calculated from: the company's prices, products and coupons, and the rates that they are taxed by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from registry.sandbox.payments.datasets.money import local
from registry.sandbox.payments.datasets.rows import rows
from registry.sandbox.payments.datasets.tables import listed


class Price(NamedTuple):
    """A price; `amount` in US cents, fractions of a cent allowed. Without an interval it is paid once.

    `tiers` are (up to, unit amount in cents, flat amount in cents); an open end is None.
    """

    key: str
    product: str
    amount: float | None = None
    interval: str | None = None
    days: int = 800
    lookup: str | None = None
    nickname: str | None = None
    meter: str | None = None
    tiers: Sequence[Sequence[Any]] = ()
    mode: str | None = None
    active: bool = True
    currencies: Sequence[str] = ()
    currency: str = "usd"
    behaviour: str = "exclusive"


PRICES = rows("agreed", "price", Price)
BY_KEY = {price.key: price for price in PRICES}
PRODUCT_NAMES: dict[str, str] = {key: product["name"] for key, product in listed("catalogue", "product").items()}
COUPONS = listed("catalogue", "coupon")


class Levy(NamedTuple):
    """A tax rate in percent; inclusive if prices include the tax."""

    percentage: float
    inclusive: bool


LEVIES: dict[str, Levy] = {
    key: Levy(rate["percentage"], rate["inclusive"])
    for key, rate in listed("taxes", "tax_rate").items()
    if rate["rate_type"] == "percentage"
}
"""The tax rates that invoices calculate with."""


def decimal(value: float) -> str:
    """An amount with fractions as the API writes it: no exponent, no trailing zeros."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def unit(price: Price, currency: str) -> float:
    """What one unit costs in a currency, in that currency's smallest unit."""
    if price.amount is None:
        return 0
    if price.currency == currency:
        return price.amount
    return float(local(int(price.amount), currency)) if price.amount >= 1 else price.amount


def tiered(price: Price, quantity: int) -> int:
    """What a quantity costs by a tiered price, in cents."""
    total, passed = 0.0, 0
    for up_to, amount, flat in price.tiers:
        if price.mode == "volume":
            if up_to is None or quantity <= up_to:
                return int(quantity * amount + flat)
            continue
        here = (quantity if up_to is None else min(quantity, up_to)) - passed
        total += here * amount + (flat if here else 0)
        passed += here
        if passed >= quantity:
            break
    return int(total)
