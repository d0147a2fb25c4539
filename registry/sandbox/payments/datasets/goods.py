"""The company's prices, products and coupons, and the rates that invoices are taxed by."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from registry.sandbox.payments.datasets.agreed import Fields, rows
from registry.sandbox.payments.datasets.parts import local, share
from registry.sandbox.payments.datasets.tables import listed
from registry.sandbox.payments.shapes import ABSENT, Builder
from registry.sandbox.world import DAY


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

    def unit(self, currency: str) -> float:
        """What one unit costs in a currency, in that currency's smallest unit."""
        if self.amount is None or self.currency == currency:
            return self.amount or 0
        return float(local(int(self.amount), currency)) if self.amount >= 1 else self.amount

    def cost(self, quantity: int, currency: str) -> int:
        """What a quantity costs in a currency; metered and tiered prices are in dollars only."""
        if not self.tiers:
            return round((self.amount or 0) * quantity) if self.meter else int(self.unit(currency)) * quantity
        total, passed = 0.0, 0
        for up_to, amount, flat in self.tiers:
            if self.mode == "volume":
                if up_to is None or quantity <= up_to:
                    return int(quantity * amount + flat)
                continue
            here = (quantity if up_to is None else min(quantity, up_to)) - passed
            total += here * amount + (flat if here else 0)
            passed += here
            if passed >= quantity:
                break
        return int(total)


BY_KEY = rows("price", Price)
PRODUCT_NAMES: dict[str, str] = {key: product["name"] for key, product in listed("catalogue", "product").items()}
COUPONS = listed("catalogue", "coupon")


class Levy(NamedTuple):
    """A tax rate in percent; inclusive if prices include the tax."""

    percentage: float
    inclusive: bool

    def of(self, net: int) -> int:
        """The tax on an amount."""
        if self.inclusive:
            return (-1 if net < 0 else 1) * round(abs(net) * self.percentage / (100 + self.percentage))
        return share(net, self.percentage)


LEVIES: dict[str, Levy] = {
    key: Levy(rate["percentage"], rate["inclusive"])
    for key, rate in listed("taxes", "tax_rate").items()
    if rate["rate_type"] == "percentage"
}
"""The tax rates that invoices calculate with."""


def decimal(value: float) -> str:
    """An amount with fractions as the API writes it: no exponent, no trailing zeros."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def write(builder: Builder) -> None:
    """Write prices, with the plans that they were called before."""
    for price in BY_KEY.values():
        made = builder.world.now - price.days * DAY
        meter = builder.id("billing.meter", price.meter) if price.meter else None
        tiers: list[Fields] = [
            {
                "flat_amount": flat or None,
                "flat_amount_decimal": str(flat) if flat else None,
                "unit_amount": int(amount),
                "unit_amount_decimal": decimal(amount) or "0",
                "up_to": up_to,
            }
            for up_to, amount, flat in price.tiers
        ]
        usage = "metered" if meter else "licensed"
        recurring = {"interval": price.interval, "interval_count": 1, "meter": meter, "usage_type": usage}
        fields: Fields = {
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
            currency_options={one: _amount(price, one, tiers) for one in (price.currency, *price.currencies)},
            lookup_key=price.lookup,
            recurring=recurring if price.interval else None,
            type="recurring" if price.interval else "one_time",
        )
        if price.interval:
            cost = {"amount": own["unit_amount"], "amount_decimal": own["unit_amount_decimal"], "tiers": tiers or ABSENT}
            builder.new("plan", price.key, made, id=new, **fields, **cost, **recurring)


def _amount(price: Price, currency: str, tiers: list[Fields]) -> Fields:
    each = None if tiers or price.amount is None else price.unit(currency)
    chosen = {"maximum": 50_000, "minimum": 300, "preset": 1_000}
    return {
        "custom_unit_amount": chosen if price.amount is None and not tiers else None,
        "tax_behavior": price.behaviour,
        **({"tiers": tiers} if tiers else {}),
        "unit_amount": int(each) if each is not None and each == int(each) else None,
        "unit_amount_decimal": None if each is None else decimal(each),
    }
