"""Climate: suppliers, what they offer, and the company's orders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from registry.sandbox.cast import COMPANY
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.moves import Move, at_once
from registry.sandbox.payments.chapters.parts import SITE, year_of
from registry.sandbox.world import DAY, World


class _Supplier(NamedTuple):
    """A supplier; `places` are (region, country, latitude, longitude)."""

    key: str
    name: str
    pathway: str
    places: tuple[tuple[str, str, float, float], ...]


_SUPPLIERS = (
    _Supplier("basalt", "Basalt Fields", "enhanced_weathering", (("Paraná", "BR", -24.9, -53.4),)),
    _Supplier(
        "windcatch", "Windcatch", "direct_air_capture", (("Suðurland", "IS", 64.0, -21.4), ("Nevada", "US", 39.5, -116.9))
    ),
    _Supplier("char", "Charwood Works", "biomass_carbon_removal_and_storage", (("Värmland", "SE", 59.7, 13.2),)),
)

# key, name, cents for a metric ton, tons left, years until delivery, suppliers
_PRODUCTS = (
    ("weathering", "Enhanced weathering", 28_000, "1250.50", 2, ("basalt",)),
    ("air", "Direct air capture", 92_000, "310", 3, ("windcatch",)),
    ("mix", "Portfolio", 51_000, "4800.25", 4, ("basalt", "windcatch", "char")),
    ("sold", "Biochar, first harvest", 19_000, "0", 0, ("char",)),
)


class _Order(NamedTuple):
    key: str
    product: str
    tons: str
    status: str
    days: int
    reason: str | None = None


_ORDERS = (
    _Order("spring", "sold", "12.5", "delivered", 320),
    _Order("summer", "weathering", "4", "confirmed", 170),
    _Order("autumn", "mix", "1.25", "open", 9),
    _Order("wire", "air", "10", "awaiting_funds", 2),
    _Order("lapsed", "air", "2", "canceled", 140, "expired"),
    _Order("gone", "sold", "3", "canceled", 90, "product_unavailable"),
    _Order("second.thoughts", "mix", "2", "canceled", 33, "requested"),
)


def _amounts(order: _Order) -> tuple[int, int]:
    """Price and fee in cents."""
    cents = next(cents for key, _, cents, *_ in _PRODUCTS if key == order.product)
    subtotal = round(cents * float(order.tons))
    return subtotal, round(subtotal * 0.03)


def moves(world: World) -> Iterator[Move]:
    """What the orders did to the balance: those that were paid, and those that were paid back."""
    for order in _ORDERS:
        if order.status == "awaiting_funds" or order.reason == "expired":
            continue
        made, total = world.now - order.days * DAY, sum(_amounts(order))
        text = f"Climate order, {order.tons} t"
        yield at_once(f"climate/{order.key}", "climate_order_purchase", "climate_order_purchase", -total, made, None, text=text)
        if order.reason:
            back = f"climate-refund/{order.key}"
            yield at_once(back, "climate_order_refund", "climate_order_refund", total, made + DAY, None, text=text)


def _shown(supplier: _Supplier) -> dict[str, Any]:
    return {
        "info_url": f"{SITE}/climate/{supplier.key}",
        "locations": [
            {"city": None, "country": country, "latitude": latitude, "longitude": longitude, "region": region}
            for region, country, latitude, longitude in supplier.places
        ],
        "name": supplier.name,
        "removal_pathway": supplier.pathway,
    }


def write(builder: Builder) -> None:
    """Write the chapter."""
    now = builder.world.now
    for number, supplier in enumerate(_SUPPLIERS):
        builder.new("climate.supplier", supplier.key, now - (800 - number) * DAY, **_shown(supplier))
    year = year_of(now)
    for number, (key, name, cents, tons, years, suppliers) in enumerate(_PRODUCTS):
        subtotal, fees = cents, round(cents * 0.03)
        builder.new(
            "climate.product",
            key,
            now - (700 - number) * DAY,
            current_prices_per_metric_ton={
                "usd": {"amount_fees": fees, "amount_subtotal": subtotal, "amount_total": subtotal + fees}
            },
            delivery_year=year + years,
            metric_tons_available=tons,
            name=name,
            suppliers=[builder.id("climate.supplier", supplier) for supplier in suppliers],
        )
    for order in _ORDERS:
        _order(builder, order, year)


def _order(builder: Builder, order: _Order, year: int) -> None:
    made = builder.world.now - order.days * DAY
    subtotal, fees = _amounts(order)
    fields: dict[str, Any] = {}
    if order.status in ("confirmed", "delivered"):
        fields |= {"confirmed_at": made + 2 * DAY, "beneficiary": {"public_name": COMPANY}}
    if order.status == "confirmed":
        fields["delayed_at"] = made + 60 * DAY
    if order.status == "delivered":
        supplier = _SUPPLIERS[2]
        whole = {"id": builder.id("climate.supplier", supplier.key), "object": "climate.supplier", "livemode": False}
        fields |= {
            "certificate": f"{SITE}/climate/certificates/{order.key}.pdf",
            "delivered_at": made + 200 * DAY,
            "delivery_details": [
                {
                    "delivered_at": made + 200 * DAY,
                    "location": _shown(supplier)["locations"][0],
                    "metric_tons": order.tons,
                    "registry_url": f"{SITE}/climate/registry/{order.key}",
                    "supplier": whole | _shown(supplier),
                }
            ],
        }
    if order.reason:
        fields |= {"canceled_at": made + DAY, "cancellation_reason": order.reason}
    years = next(years for key, *_, years, _ in _PRODUCTS if key == order.product)
    builder.new(
        "climate.order",
        order.key,
        made,
        **fields,
        amount_fees=fees,
        amount_subtotal=subtotal,
        amount_total=subtotal + fees,
        currency="usd",
        expected_delivery_year=year + years,
        metadata={"quarter": order.key},
        metric_tons=order.tons,
        product=builder.id("climate.product", order.product),
        status=order.status,
    )
