"""Tax: codes, rates, registrations, settings, calculations and transactions."""

from __future__ import annotations

from typing import Any, NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import goods
from registry.sandbox.payments.chapters.levies import LEVIES
from registry.sandbox.payments.chapters.money import share
from registry.sandbox.payments.chapters.parts import Hash, address, place
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.world import DAY

_CODES = (
    ("txcd_00000000", "Nontaxable", "Nothing that is sold under this code is taxed anywhere."),
    ("txcd_10000000", "General - Electronically supplied services", "Digital services that no other code describes."),
    ("txcd_10103000", "Software as a service (SaaS) - personal use", "Cloud software for people at home."),
    ("txcd_10103001", "Software as a service (SaaS) - business use", "Cloud software for companies."),
    (
        "txcd_10103100",
        "Software as a service (SaaS) - electronic download - personal use",
        "Cloud software with a part to install.",
    ),
    ("txcd_10103101", "Software as a service (SaaS) - electronic download - business use", "The same for companies."),
    ("txcd_10202003", "Downloadable software - business use", "Programs that are downloaded and kept."),
    ("txcd_20030000", "General - Services", "Work done for somebody, when no other code describes it."),
    ("txcd_20060045", "Training services - self study", "Courses without a teacher."),
    ("txcd_30011000", "Clothing", "Shirts of the company, mostly."),
    ("txcd_35010000", "Books", "Printed and bound."),
    ("txcd_92010001", "Shipping", "What the transport of goods costs."),
    ("txcd_99999999", "General - Tangible goods", "Things that can be touched, when no other code describes them."),
)

# key, country, status, days since it began, options
_REGISTRATIONS: tuple[tuple[str, str, str, int, Hash], ...] = (
    ("us.ny", "US", "active", 700, {"us": {"state": "NY", "type": "state_sales_tax"}}),
    ("us.ca", "US", "active", 690, {"us": {"state": "CA", "type": "state_sales_tax"}}),
    (
        "us.il",
        "US",
        "expired",
        680,
        {"us": {"local_lease_tax": {"jurisdiction": "14000"}, "state": "IL", "type": "local_lease_tax"}},
    ),
    ("de", "DE", "active", 600, {"de": {"standard": {"place_of_supply_scheme": "standard"}, "type": "standard"}}),
    ("ie.oss", "IE", "active", 590, {"ie": {"type": "oss_union"}}),
    ("gb", "GB", "active", 580, {"gb": {"standard": {"place_of_supply_scheme": "standard"}, "type": "standard"}}),
    ("ca.qc", "CA", "scheduled", -12, {"ca": {"province_standard": {"province": "QC"}, "type": "province_standard"}}),
    ("jp", "JP", "active", 300, {"jp": {"standard": {"place_of_supply_scheme": "inbound_goods"}, "type": "standard"}}),
)


class _Sale(NamedTuple):
    """Something that tax was worked out for. `posted` says whether a transaction was made of it."""

    key: str
    buyer: str | None
    levy: str
    lines: tuple[tuple[str, int], ...]
    days: float
    posted: bool
    shipped: bool = False
    back: float = 0


_SALES = (
    _Sale("lantern", "lantern", "sales.ny", (("desk.month", 1), ("hub", 1)), 0.5, True, True),
    _Sale("confetti", "confetti", "sales.ca", (("board.month", 3),), 20.0, True, back=100.0),
    _Sale("halden", "halden", "vat.de", (("fleet.month", 3), ("setup", 1)), 45.0, True, back=25.0),
    _Sale("kiwi", "kiwi.orchards", "gst.nz", (("desk.month", 1),), 31.0, True),
    _Sale("basket", None, "sales.ny", (("hub", 2), ("stand", 2)), 0.1, False, True),
    _Sale(
        "long",
        "mueller",
        "vat.de",
        tuple((key, 1) for key in ("board.month", "desk.month", "fleet.month", "setup", "hub", "stand") * 2),
        2.0,
        False,
    ),
    _Sale("expired", "brackets", "sales.tx", (("hub", 1),), 95.0, False),
)

_VALID = 90 * DAY


def write_codes(builder: Builder) -> None:
    """Write tax codes and rates."""
    for number, (id_, name, description) in enumerate(_CODES):
        builder.new("tax_code", id_, number, id=id_, name=name, description=description)
    now = builder.world.now
    for number, (key, levy) in enumerate(LEVIES.items()):
        builder.new(
            "tax_rate",
            key,
            now - (900 - number) * DAY,
            active=levy.active,
            country=levy.country,
            description=f"{levy.name}, {levy.jurisdiction}",
            display_name=levy.name,
            effective_percentage=levy.percentage,
            inclusive=levy.inclusive,
            jurisdiction=levy.jurisdiction,
            jurisdiction_level=levy.level,
            percentage=levy.percentage,
            rate_type="percentage",
            state=levy.state,
            tax_type=levy.type,
        )
    builder.new(
        "tax_rate",
        "delivery.co",
        now - 400 * DAY,
        active=True,
        country="US",
        display_name="Retail delivery fee",
        effective_percentage=None,
        flat_amount={"amount": 28, "currency": "usd"},
        inclusive=False,
        jurisdiction="Colorado",
        jurisdiction_level="multiple",
        percentage=0.0,
        rate_type="flat_amount",
        state="CO",
        tax_type="retail_delivery_fee",
    )


def write(builder: Builder) -> None:
    """Write registrations, settings, calculations and transactions."""
    now = builder.world.now
    for key, country, status, days, options in _REGISTRATIONS:
        begins = now - days * DAY
        builder.new(
            "tax.registration",
            key,
            min(begins, now - DAY),
            active_from=begins,
            country=country,
            country_options=options,
            expires_at=now - 60 * DAY if status == "expired" else None,
            status=status,
        )
    builder.new(
        "tax.settings",
        "self",
        now - 800 * DAY,
        id="self",
        defaults={"provider": "stripe", "tax_behavior": "exclusive", "tax_code": "txcd_10103001"},
        head_office={"address": address("200 Harrow Lane", "Portland", "OR", "97201", "US")},
        status="active",
        status_details={"active": {}},
    )
    for sale in _SALES:
        _calculation(builder, sale)
        if sale.posted:
            _transaction(builder, sale)


def _customer_details(sale: _Sale) -> Hash:
    buyer = BY_KEY[sale.buyer] if sale.buyer else None
    type_, _, value = buyer.tax_id.partition(":") if buyer else ("", "", "")
    return {
        "address": place(buyer.where) if buyer else address(None, "New York", "NY", "10011", "US"),
        "address_source": "shipping" if sale.shipped else "billing",
        "ip_address": None if buyer else "203.0.113.90",
        "tax_ids": [{"type": type_, "value": value}] if value else [],
        "taxability_override": "none",
    }


def _breakdown(sale: _Sale, net: int, tax: int) -> Hash:
    levy = LEVIES[sale.levy]
    return {
        "amount": tax,
        "jurisdiction": {
            "country": levy.country,
            "display_name": levy.jurisdiction,
            "level": levy.level,
            "state": levy.state,
        },
        "sourcing": "destination",
        "tax_rate_details": {
            "display_name": levy.name,
            "percentage_decimal": goods.decimal(levy.percentage),
            "tax_type": levy.type,
        },
        "taxability_reason": "standard_rated",
        "taxable_amount": net,
    }


def _lines(sale: _Sale) -> list[tuple[str, goods.Price, int, int, int]]:
    """Every line as (reference, price, quantity, amount, tax)."""
    levy = LEVIES[sale.levy]
    found = []
    for number, (name, quantity) in enumerate(sale.lines):
        price = goods.BY_KEY[name]
        amount = int(price.amount or 0) * quantity
        tax = share(amount, levy.percentage)
        if levy.inclusive:
            tax = round(amount * levy.percentage / (100 + levy.percentage))
        found.append((f"L{number + 1}", price, quantity, amount, tax))
    return found


def _code(price: goods.Price) -> str:
    product = next(product for product in goods.PRODUCTS if product.key == price.product)
    return product.tax_code or "txcd_10000000"


def _shipping(builder: Builder, sale: _Sale) -> tuple[Hash | None, int, int]:
    if not sale.shipped:
        return None, 0, 0
    tax = share(900, LEVIES[sale.levy].percentage)
    cost = {
        "amount": 900,
        "amount_tax": tax,
        "shipping_rate": builder.id("shipping_rate", "standard"),
        "tax_behavior": "exclusive",
        "tax_code": "txcd_92010001",
    }
    return cost, 900, tax


def _calculation(builder: Builder, sale: _Sale) -> None:
    made = builder.world.now - int(sale.days * DAY)
    lines = _lines(sale)
    cost, carried, carried_tax = _shipping(builder, sale)
    net = sum(amount for *_, amount, _ in lines) + carried
    tax = sum(tax for *_, tax in lines) + carried_tax
    levy = LEVIES[sale.levy]
    id_ = builder.id("tax.calculation", sale.key)
    whole = _breakdown(sale, net - (tax if levy.inclusive else 0), tax)
    breakdown = {name: whole[name] for name in ("amount", "taxability_reason", "taxable_amount")} | {
        "inclusive": levy.inclusive,
        "tax_rate_details": {
            "country": levy.country,
            "flat_amount": None,
            "percentage_decimal": goods.decimal(levy.percentage),
            "rate_type": "percentage",
            "state": levy.state,
            "tax_type": levy.type,
        },
    }
    if cost:
        cost = cost | {"tax_breakdown": [_breakdown(sale, carried, carried_tax)]}
    builder.new(
        "tax.calculation",
        sale.key,
        made,
        id=id_,
        amount_total=net + (0 if levy.inclusive else tax),
        currency="usd",
        customer=builder.id("customer", sale.buyer) if sale.buyer else None,
        customer_details=_customer_details(sale),
        expires_at=made + _VALID,
        ship_from_details={"address": address("200 Harrow Lane", "Portland", "OR", "97201", "US")} if sale.shipped else None,
        shipping_cost=cost,
        tax_amount_exclusive=0 if levy.inclusive else tax,
        tax_amount_inclusive=tax if levy.inclusive else 0,
        tax_breakdown=[breakdown],
        tax_date=made,
    )
    for number, (reference, price, quantity, amount, line_tax) in enumerate(lines):
        builder.new(
            "tax.calculation_line_item",
            f"{sale.key}/{reference}",
            made + number,
            amount=amount,
            amount_tax=line_tax,
            product=builder.id("product", price.product),
            quantity=quantity,
            reference=reference,
            tax_behavior="inclusive" if levy.inclusive else "exclusive",
            tax_breakdown=[_breakdown(sale, amount - (line_tax if levy.inclusive else 0), line_tax)],
            tax_code=_code(price),
            _calculation=id_,
        )


def _transaction(builder: Builder, sale: _Sale) -> None:
    made = builder.world.now - int(sale.days * DAY) + 300
    original = _posted(builder, sale, sale.key, made, 100.0, None)
    if sale.back:
        _posted(builder, sale, f"{sale.key}.back", made + 4 * DAY, sale.back, original)


def _posted(builder: Builder, sale: _Sale, key: str, made: int, percent: float, original: str | None) -> str:
    id_ = builder.id("tax.transaction", key)
    sign = -1 if original else 1
    type_ = "reversal" if original else "transaction"
    cost, _, _ = _shipping(builder, sale)
    behaviour = "inclusive" if LEVIES[sale.levy].inclusive else "exclusive"
    for number, (reference, price, quantity, amount, tax) in enumerate(_lines(sale)):
        reversal: dict[str, Any] | None = None
        if original:
            reversal = {"original_line_item": builder.id("tax.transaction_line_item", f"{sale.key}/{reference}")}
        builder.new(
            "tax.transaction_line_item",
            f"{key}/{reference}",
            made + number,
            amount=sign * share(amount, percent),
            amount_tax=sign * share(tax, percent),
            metadata={},
            product=builder.id("product", price.product),
            quantity=quantity,
            reference=reference if not original else f"{reference}-back",
            reversal=reversal,
            tax_behavior=behaviour,
            tax_code=_code(price),
            type=type_,
            _transaction=id_,
        )
    return builder.new(
        "tax.transaction",
        key,
        made,
        id=id_,
        currency="usd",
        customer=builder.id("customer", sale.buyer) if sale.buyer else None,
        customer_details=_customer_details(sale),
        metadata={"order_id": sale.key},
        posted_at=made,
        reference=f"order-{key}",
        reversal={"original_transaction": original} if original else None,
        shipping_cost=cost,
        tax_date=made - 300,
        type=type_,
    )
