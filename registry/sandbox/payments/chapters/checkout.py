"""Checkout sessions and payment links, with what is sold through them."""

from __future__ import annotations

from typing import Any, NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import goods
from registry.sandbox.payments.chapters.cohort import first
from registry.sandbox.payments.chapters.methods import NOBODY
from registry.sandbox.payments.chapters.money import share
from registry.sandbox.payments.chapters.parts import PAY, SITE, Hash, place, total_details
from registry.sandbox.payments.chapters.paying import sold
from registry.sandbox.payments.chapters.people import BY_KEY
from registry.sandbox.world import DAY, HOUR


class _Session(NamedTuple):
    """A checkout session. `about` is the key of the payment, setup intent or subscription that it led to."""

    key: str
    buyer: str | None
    mode: str
    status: str
    days: float
    items: tuple[tuple[str, int], ...] = ()
    about: str | None = None
    link: str | None = None
    coupon: str | None = None
    currency: str = "usd"
    ui: str = "hosted"
    paid: str = "paid"
    recovers: str | None = None


_SESSIONS = (
    _Session("shop.murphy", "murphy", "payment", "complete", 33.0, (("hub", 1),), "shop.murphy", None, "FRIENDS10", "eur"),
    _Session("shop.guest0", None, "payment", "complete", 25.2, (("hub", 1),), "shop.guest0", "hub"),
    _Session("shop.guest1", None, "payment", "complete", 55.5, (("hub", 1), ("stand", 1)), "shop.guest1", "counter"),
    _Session("shop.guest2", None, "payment", "complete", 43.2, (("kin", 1),), "shop.guest2", "kin"),
    _Session("join.brackets", "brackets", "subscription", "complete", 86.4, (("desk.month", 1),), "brackets", ui="embedded"),
    _Session(
        "join.quotes", "quotes", "subscription", "complete", 42.0, (("board.month", 1),), "quotes", currency="eur", ui="custom"
    ),
    _Session("card.maple", "maple.main", "setup", "complete", 6.0, (), "reader", paid="no_payment_required"),
    _Session("cart.left", "quispe", "payment", "expired", 50.0, (("hub", 1),), paid="unpaid"),
    _Session("cart.again", "quispe", "payment", "open", 0.3, (("hub", 1),), paid="unpaid", recovers="cart.left"),
    _Session("renew.quotes", "quotes", "subscription", "expired", 10.0, (("board.year", 1),), currency="eur", paid="unpaid"),
    _Session(
        "free", "gallery", "payment", "complete", 70.0, (("stand", 1),), None, None, "LAUNCH100", paid="no_payment_required"
    ),
)

# key, items, active, mode, submit type, days ago
_LINKS = (
    ("hub", (("hub", 1),), True, "payment", "pay", 200),
    ("counter", (("hub", 1), ("stand", 1)), True, "payment", "auto", 190),
    ("kin", (("kin", 1),), True, "payment", "donate", 180),
    ("workshop", (("setup", 1),), True, "payment", "book", 90),
    ("desk", (("desk.month", 1),), True, "subscription", "subscribe", 85),
    ("spring", (("stand", 2),), False, "payment", "auto", 150),
)


def write(builder: Builder) -> None:
    """Write the chapter."""
    for link in _LINKS:
        _link(builder, *link)
    for session in _SESSIONS:
        _session(builder, session)


def session_id(builder: Builder, key: str) -> str:
    """The id of a checkout session."""
    return builder.id("checkout.session", key, "cs_test_")


def _items(
    builder: Builder, owner: str, key: str, items: tuple[tuple[str, int], ...], currency: str, made: int, off: float, free: int
) -> int:
    """Write what is sold and return the sum before discounts; `free` is what somebody chose to pay."""
    total = 0
    for number, (name, quantity) in enumerate(items):
        price = goods.BY_KEY[name]
        amount = int(goods.unit(price, currency)) * quantity or free
        total += amount
        reduced = share(amount, off)
        builder.new(
            "item",
            f"{key}/{number}",
            made + number,
            amount_discount=reduced,
            amount_subtotal=amount,
            amount_tax=0,
            amount_total=amount - reduced,
            currency=currency,
            description=goods.PRODUCT_NAMES[price.product],
            price=builder.id("price", name),
            quantity=quantity,
            _owner=owner,
            _upfront=False,
        )
    return total


def _link(
    builder: Builder, key: str, items: tuple[tuple[str, int], ...], active: bool, mode: str, submit: str, days: int
) -> None:
    made = builder.world.now - days * DAY
    id_ = builder.id("payment_link", key)
    _items(builder, id_, f"link/{key}", items, "usd", made, 0, 0)
    hardware = items[0][0] in ("hub", "stand")
    fields: dict[str, Any] = {}
    if hardware:
        fields["shipping_address_collection"] = {"allowed_countries": ["US", "CA", "GB", "IE", "DE"]}
        fields["shipping_options"] = [
            {"shipping_amount": amount, "shipping_rate": builder.id("shipping_rate", rate)}
            for rate, amount in (("standard", 900), ("express", 2_400))
        ]
        fields["optional_items"] = [
            {
                "adjustable_quantity": {"enabled": True, "maximum": 5, "minimum": 0},
                "price": builder.id("price", "stand"),
                "quantity": 1,
            }
        ]
    if mode == "subscription":
        fields["subscription_data"] = {
            "description": None,
            "invoice_settings": {"issuer": {"type": "self"}},
            "metadata": {"from": "payment link"},
            "trial_period_days": 14,
            "trial_settings": {"end_behavior": {"missing_payment_method": "cancel"}},
        }
    else:
        fields["payment_intent_data"] = {
            "capture_method": None,
            "description": None,
            "metadata": {},
            "setup_future_usage": None,
            "statement_descriptor": None,
            "statement_descriptor_suffix": None,
            "transfer_group": None,
        }
        fields["invoice_creation"] = {"enabled": False, "invoice_data": None}
    builder.new(
        "payment_link",
        key,
        made,
        **fields,
        active=active,
        after_completion={"hosted_confirmation": {"custom_message": None}, "type": "hosted_confirmation"}
        if active
        else {"redirect": {"url": f"{SITE}/thanks"}, "type": "redirect"},
        allow_promotion_codes=key == "hub",
        billing_address_collection="required" if hardware else "auto",
        currency="usd",
        customer_creation="always" if mode == "subscription" else "if_required",
        inactive_message=None if active else "The spring sale is over.",
        metadata={"campaign": key},
        payment_method_collection="always" if key != "workshop" else "if_required",
        restrictions={"completed_sessions": {"count": 3, "limit": 50}} if key == "spring" else None,
        submit_type=submit,
        url=f"{PAY}/b/{key}",
    )


def _session(builder: Builder, one: _Session) -> None:
    world = builder.world
    made = world.now - int(one.days * DAY) - (120 if one.status == "complete" else 0)
    id_ = session_id(builder, one.key)
    off = {"FRIENDS10": 10.0, "LAUNCH100": 100.0, None: 0.0}[one.coupon]
    payment = sold(first(world)).get(one.about or "") if one.mode == "payment" else None
    subtotal = _items(builder, id_, one.key, one.items, one.currency, made, off, payment.amount if payment else 0)
    discount = share(subtotal, off)
    fields: dict[str, Any] = _outcome(builder, one)
    buyer = BY_KEY[one.buyer] if one.buyer else None
    if buyer:
        fields["customer"] = builder.id("customer", buyer.key)
        fields["customer_email"] = None
    if one.coupon:
        fields["discounts"] = [{"coupon": one.coupon, "promotion_code": None}]
    if one.link:
        fields["payment_link"] = builder.id("payment_link", one.link)
    if one.recovers:
        fields["recovered_from"] = session_id(builder, one.recovers)
    if one.status == "expired":
        recovery = {
            "allow_promotion_codes": False,
            "enabled": True,
            "expires_at": made + 30 * DAY,
            "url": f"{PAY}/recover/{one.key}",
        }
        fields["after_expiration"] = {"recovery": recovery}
    embedded = one.ui != "hosted"
    if embedded:
        fields |= {
            "return_url": f"{SITE}/joined",
            "redirect_on_completion": "if_required" if one.ui == "custom" else "always",
        }
    else:
        fields |= {"cancel_url": f"{SITE}/cart", "success_url": f"{SITE}/thanks?session={{CHECKOUT_SESSION_ID}}"}
    if one.status == "open":
        fields["url" if not embedded else "client_secret"] = f"{PAY}/c/{id_}"
    if embedded:
        fields["client_secret"] = f"{id_}_secret_{id_[:8:-1]}" if one.status == "open" else None
    if one.status == "complete":
        fields["customer_details"] = _details(one)
    if one.key == "shop.murphy":
        fields["shipping_cost"] = None
        fields["collected_information"] = {
            "business_name": None,
            "individual_name": None,
            "shipping_details": {"address": place(BY_KEY["murphy"].where), "name": BY_KEY["murphy"].name},
        }
    total = None if one.mode == "setup" else subtotal - discount
    builder.new(
        "checkout.session",
        one.key,
        made,
        id=id_,
        **fields,
        amount_subtotal=None if one.mode == "setup" else subtotal,
        amount_total=total,
        billing_address_collection="required" if one.link else "auto",
        client_reference_id=f"cart-{len(one.key)}{int(one.days)}",
        currency=None if one.mode == "setup" else one.currency,
        customer_creation="if_required" if one.mode == "payment" else "always" if one.mode == "subscription" else None,
        expires_at=made + DAY if one.status != "complete" else made + 23 * HOUR,
        invoice_creation={"enabled": False, "invoice_data": _NO_INVOICE} if one.mode == "payment" else None,
        locale="auto" if not buyer else {"es": "es", "en-IE": "en"}.get(buyer.locale, "en"),
        metadata={"cart": one.key},
        mode=one.mode,
        origin_context="mobile_app" if one.key == "cart.again" else "web" if one.days < 60 else None,
        payment_method_collection="always" if one.mode == "subscription" else "if_required",
        payment_method_configuration_details={"id": builder.id("payment_method_configuration", "default"), "parent": None},
        payment_method_options={"card": {"request_three_d_secure": "automatic"}},
        payment_method_types=["card", "link"] if one.mode == "payment" else ["card"],
        payment_status=one.paid,
        status=one.status,
        submit_type=_submit(one),
        total_details=None if one.mode == "setup" else total_details(discount),
        ui_mode=one.ui,
    )


def _submit(one: _Session) -> str | None:
    if one.mode != "payment":
        return "subscribe" if one.mode == "subscription" else None
    return {"kin": "donate", "hub": "pay"}.get(one.link or "", "book" if one.key == "free" else "auto")


_NO_INVOICE: Hash = {
    "account_tax_ids": None,
    "custom_fields": None,
    "description": None,
    "footer": None,
    "issuer": None,
    "metadata": {},
    "rendering_options": None,
}


def _outcome(builder: Builder, one: _Session) -> dict[str, Any]:
    if one.about is None:
        return {}
    match one.mode:
        case "payment":
            return {"payment_intent": builder.id("payment_intent", one.about)}
        case "setup":
            return {"setup_intent": builder.id("setup_intent", one.about)}
    invoice = builder.id("invoice", f"{one.about}/0")
    return {"invoice": invoice, "subscription": builder.id("subscription", one.about)}


def _details(one: _Session) -> Hash:
    if one.buyer is None:
        number = one.key[-1]
        return {
            "address": NOBODY["address"] | {"country": "US", "postal_code": "97205"},
            "business_name": None,
            "email": f"guest{number}@post.example",
            "individual_name": None,
            "name": None,
            "phone": None,
            "tax_exempt": "none",
            "tax_ids": [],
        }
    buyer = BY_KEY[one.buyer]
    type_, _, value = buyer.tax_id.partition(":")
    return {
        "address": place(buyer.where),
        "business_name": None,
        "email": buyer.email,
        "individual_name": None,
        "name": buyer.name,
        "phone": buyer.phone,
        "tax_exempt": buyer.exempt,
        "tax_ids": [{"type": type_, "value": value}] if value else [],
    }
