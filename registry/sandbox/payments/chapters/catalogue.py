"""The catalogue: products, their prices and plans, coupons and promotion codes, shipping rates."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import coupons, goods
from registry.sandbox.payments.chapters.parts import SITE
from registry.sandbox.world import DAY

_FEATURES = {
    "board": ("Unlimited boards", "Guests", "Calendar view"),
    "desk": ("Bookings", "Quotes and invoices", "Customer portal"),
    "fleet": ("Everything in Desk", "Twenty places", "Single sign-on"),
}

_STAFF = "created_by"


def write(builder: Builder) -> None:
    """Write the chapter."""
    _products(builder)
    _prices(builder)
    _coupons(builder)
    _shipping_rates(builder)


def _products(builder: Builder) -> None:
    now = builder.world.now
    for product in goods.PRODUCTS:
        made = now - product.days * DAY
        fields: dict[str, Any] = {}
        if product.good:
            fields["package_dimensions"] = {"height": 9.5, "length": 12.0, "weight": 38.0, "width": 8.25}
            fields["url"] = f"{SITE}/shop/{product.key}"
        if product.default_price:
            fields["default_price"] = builder.id("price", product.default_price)
        if product.key in _FEATURES:
            fields["marketing_features"] = [{"name": name} for name in _FEATURES[product.key]]
            fields["images"] = [f"{SITE}/images/{product.key}.png"]
            fields["metadata"] = {_STAFF: "lucia.ferrer", "line": "software"}
        if product.key == "kin":
            fields["statement_descriptor"] = "FERNWAY KIN"
        builder.new(
            "product",
            product.key,
            made,
            name=product.name,
            description=product.description,
            active=product.active,
            type="good" if product.good else "service",
            shippable=True if product.good else None,
            tax_code=product.tax_code,
            unit_label=product.unit_label,
            updated=made + 30 * DAY,
            **fields,
        )


def _prices(builder: Builder) -> None:
    now = builder.world.now
    for price in goods.PRICES:
        made = now - price.days * DAY
        meter = builder.id("billing.meter", price.meter) if price.meter else None
        product = builder.id("product", price.product)
        tiers = [_tier(*tier) for tier in price.tiers]
        fields: dict[str, Any] = {
            "active": price.active,
            "billing_scheme": "tiered" if tiers else "per_unit",
            "currency": price.currency,
            "metadata": {_STAFF: "oskar.berg"} if price.lookup else {},
            "nickname": price.nickname,
            "product": product,
        }
        if tiers:
            fields["tiers_mode"] = price.mode
        own = _amount(price, price.currency, tiers)
        new = builder.new(
            "price",
            price.key,
            made,
            **fields,
            **own,
            currency_options={currency: _amount(price, currency, tiers) for currency in (price.currency, *price.currencies)},
            lookup_key=price.lookup,
            recurring=None if price.interval is None else _recurring(price, meter),
            type="one_time" if price.interval is None else "recurring",
        )
        if price.interval is not None:
            builder.new(
                "plan",
                price.key,
                made,
                id=new,
                **fields,
                **({"tiers": tiers} if tiers else {}),
                amount=own["unit_amount"],
                amount_decimal=own["unit_amount_decimal"],
                interval=price.interval,
                interval_count=1,
                meter=meter,
                usage_type="metered" if meter else "licensed",
            )


def _recurring(price: goods.Price, meter: str | None) -> dict[str, Any]:
    return {"interval": price.interval, "interval_count": 1, "meter": meter, "usage_type": "metered" if meter else "licensed"}


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


def _coupons(builder: Builder) -> None:
    now = builder.world.now
    for coupon in coupons.COUPONS:
        fields: dict[str, Any] = {}
        if coupon.products:
            fields["applies_to"] = {"products": [builder.id("product", key) for key in coupon.products]}
        if coupon.off is not None:
            fields |= {
                "amount_off": coupon.off,
                "currency": coupon.currency,
                "currency_options": {coupon.currency: {"amount_off": coupon.off}},
            }
        builder.new(
            "coupon",
            coupon.key,
            now - coupon.days * DAY,
            id=coupon.key,
            name=coupon.name,
            duration=coupon.duration,
            duration_in_months=coupon.months,
            percent_off=coupon.percent,
            max_redemptions=coupon.most,
            redeem_by=None if coupon.ends is None else now + coupon.ends * DAY,
            times_redeemed=coupon.redeemed,
            valid=coupon.valid,
            **fields,
        )
    for code in coupons.CODES:
        restrictions = {
            "first_time_transaction": code.first_time,
            "minimum_amount": code.least,
            "minimum_amount_currency": "usd" if code.least else None,
        }
        builder.new(
            "promotion_code",
            code.key,
            now - (coupons.BY_KEY[code.coupon].days - 2) * DAY,
            code=code.key,
            active=code.active,
            promotion={"coupon": code.coupon, "type": "coupon"},
            customer=builder.id("customer", code.buyer) if code.buyer else None,
            expires_at=None if code.ends is None else now + code.ends * DAY,
            max_redemptions=code.most,
            times_redeemed=code.redeemed,
            restrictions=restrictions,
        )


def _shipping_rates(builder: Builder) -> None:
    made = builder.world.now - 590 * DAY
    for key, name, amount, days, active, behaviour in (
        ("standard", "Standard", 900, (3, 6), True, "exclusive"),
        ("express", "Express", 2_400, (1, 2), True, "exclusive"),
        ("pickup", "Collect at the warehouse", 0, None, True, "unspecified"),
        ("freight", "Freight (until 2023)", 4_900, (7, 14), False, "inclusive"),
    ):
        estimate = None
        if days:
            edges = [{"value": day} for day in days]
            estimate = {"maximum": edges[1], "minimum": edges[0]}
        builder.new(
            "shipping_rate",
            key,
            made,
            active=active,
            display_name=name,
            type="fixed_amount",
            delivery_estimate=estimate,
            fixed_amount={"amount": amount, "currency": "usd"},
            tax_behavior=behaviour,
            tax_code="txcd_92010001",
        )
