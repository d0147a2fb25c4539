"""Quotes in all four states, with what they offer."""

from __future__ import annotations

from typing import Any, NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import goods
from registry.sandbox.payments.chapters.cohort import first
from registry.sandbox.payments.chapters.contracts import contracts
from registry.sandbox.payments.chapters.levies import LEVIES
from registry.sandbox.payments.chapters.money import share
from registry.sandbox.payments.chapters.parts import Hash, total_details
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.world import DAY, HOUR


class _Quote(NamedTuple):
    """A quote. `of` is the quote that it revises, `clock` a test clock."""

    key: str
    buyer: str | None
    status: str
    days: float
    items: tuple[tuple[str, int], ...]
    number: int
    coupon: str | None = None
    of: str | None = None
    clock: str | None = None
    text: str | None = None
    collect: str = "charge_automatically"


_QUOTES = (
    _Quote("wattle", "wattle", "accepted", 80, (("setup", 1),), 1, text="Set-up for the cellar door"),
    _Quote(
        "halden",
        "halden",
        "accepted",
        20,
        (("board.year", 60),),
        1,
        collect="send_invoice",
        text="Boards for the works council",
    ),
    _Quote("harbour.finch", "harbour.finch", "open", 6, (("fleet.year", 1), ("setup", 1), ("relay.calls", 0)), 2, "PARTNER15"),
    _Quote(
        "thistle", "thistle", "open", 2, (("hub", 3), ("stand", 3)), 1, text='Tills for the new shop — "as discussed" [A/B]'
    ),
    _Quote("cedar.first", "cedar", "canceled", 40, (("fleet.month", 1),), 1),
    _Quote("cedar.second", "cedar", "draft", 39, (("fleet.month", 1), ("hub", 2)), 0, of="cedar.first"),
    _Quote("nobody", None, "draft", 0.6, (("desk.month", 1),), 0),
    _Quote("clock", "clock.quote", "open", 3, (("board.month", 5),), 1, clock="renewal"),
)


def write(builder: Builder) -> None:
    """Write the chapter."""
    for quote in _QUOTES:
        _quote(builder, quote)


def _quote(builder: Builder, quote: _Quote) -> None:
    buyer = BY_KEY[quote.buyer] if quote.buyer else None
    currency = buyer.currency if buyer else "usd"
    made = builder.world.now - int(quote.days * DAY)
    if quote.key == "halden":
        made = contracts(first(builder.world))["halden.board"].start - 5 * DAY
    id_ = builder.id("quote", quote.key)
    tax = buyer.tax if buyer else ""
    percent = LEVIES[tax].percentage if tax and not LEVIES[tax].inclusive else 0.0
    upfront: list[int] = [0, 0, 0]
    recurring: list[int] = [0, 0, 0]
    interval = "month"
    for number, (name, quantity) in enumerate(quote.items):
        price = goods.BY_KEY[name]
        amount = int(goods.unit(price, currency)) * quantity
        reduced = share(amount, 15) if quote.coupon and price.product in ("desk", "fleet") else 0
        parts = (amount, reduced, share(amount - reduced, percent))
        _item(builder, f"{quote.key}/{number}", made + number, id_, price, quantity, currency, parts)
        upfront = [old + new for old, new in zip(upfront, parts, strict=True)]
        if price.interval:
            interval = price.interval
            recurring = [old + new for old, new in zip(recurring, parts, strict=True)]
    fields: dict[str, Any] = {}
    if buyer:
        fields["customer"] = builder.id("customer", buyer.key)
    if percent:
        fields["default_tax_rates"] = [builder.id("tax_rate", tax)]
    if quote.coupon:
        fields["discounts"] = [builder.id("discount", f"quote/{quote.key}")]
    if quote.of:
        fields["from_quote"] = {"is_revision": True, "quote": builder.id("quote", quote.of)}
    if quote.clock:
        fields["test_clock"] = builder.id("test_helpers.test_clock", quote.clock)
    if quote.key == "wattle":
        fields["invoice"] = builder.id("invoice", "wattle.quote")
    if quote.key == "halden":
        fields["invoice"] = builder.id("invoice", "halden.board/0")
        fields["subscription"] = builder.id("subscription", "halden.board")
    finalized = None if quote.status == "draft" else made + HOUR
    if quote.number:
        prefix = builder.world.capitals(f"prefix/{quote.buyer}", 8)
        fields["number"] = f"QT-{prefix}-{quote.number:04d}-1"
    amount, reduced, taxed = upfront
    builder.new(
        "quote",
        quote.key,
        made,
        **fields,
        amount_subtotal=amount,
        amount_total=amount - reduced + taxed,
        collection_method=quote.collect,
        computed={
            "recurring": _computed(recurring, interval) if recurring[0] else None,
            "upfront": _computed(upfront, None),
        },
        currency=currency,
        description=quote.text,
        expires_at=made + 30 * DAY,
        footer="Prices are net unless tax is shown." if not quote.clock else None,
        header="Fernway Software",
        invoice_settings={"days_until_due": 30 if quote.collect == "send_invoice" else None, "issuer": {"type": "self"}},
        metadata={"sold_by": "hana.kim"},
        status=quote.status,
        status_transitions={
            "accepted_at": made + 4 * DAY if quote.status == "accepted" else None,
            "canceled_at": made + DAY if quote.status == "canceled" else None,
            "finalized_at": finalized,
        },
        total_details=total_details(reduced, 0, taxed),
    )


def _computed(parts: list[int], interval: str | None) -> Hash:
    amount, reduced, taxed = parts
    computed: Hash = {
        "amount_subtotal": amount,
        "amount_total": amount - reduced + taxed,
        "total_details": total_details(reduced, 0, taxed),
    }
    return computed | ({"interval": interval, "interval_count": 1} if interval else {})


def _item(
    builder: Builder,
    key: str,
    made: int,
    owner: str,
    price: goods.Price,
    quantity: int,
    currency: str,
    parts: tuple[int, int, int],
) -> None:
    """One line. What is metered (a quantity of 0) is not known before it was used, and so not paid at once."""
    amount, reduced, taxed = parts
    builder.new(
        "item",
        f"quote/{key}",
        made,
        amount_discount=reduced,
        amount_subtotal=amount,
        amount_tax=taxed,
        amount_total=amount - reduced + taxed,
        currency=currency,
        description=goods.PRODUCT_NAMES[price.product],
        price=builder.id("price", price.key),
        quantity=quantity or None,
        _owner=owner,
        _upfront=quantity > 0,
    )
