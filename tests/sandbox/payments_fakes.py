"""A small payments world for tests: a few objects of the kinds that the rules are about."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from registry.sandbox import payments
from registry.sandbox.payments.builder import Builder, Dataset
from registry.sandbox.payments.shapes import identifier
from registry.sandbox.world import DAY, HOUR, World
from tests.sandbox.direct import Direct

NOW = 1_760_000_000 // DAY * DAY
WORLD = World(1, NOW)
SECRET_KEY = "sk_test_51Fernway"
Said = dict[str, Any]
Refusal = tuple[int, Said]


def id_of(kind: str, key: str) -> str:
    return identifier(WORLD, kind, key)


def application(*datasets: Dataset) -> Starlette:
    api, files = payments.services(WORLD, datasets or FAKES)
    return Starlette(routes=[Mount("/payments", app=api), Mount("/files", app=files)])


def fresh(*datasets: Dataset) -> Direct:
    """A client of a small world of its own, which may be changed."""
    return Direct(application(*datasets), "http://sandbox/payments", Authorization=f"Bearer {SECRET_KEY}")


@cache
def _shared() -> Starlette:
    return application()


@cache
def small(key: str = SECRET_KEY, host: str = "payments") -> Direct:
    """A client of the small world of all tests that only read: writing it takes longer than most of them."""
    return Direct(_shared(), f"http://sandbox/{host}", **({"Authorization": f"Bearer {key}"} if key else {}))


def get(path: str, **params: Any) -> Any:
    """What the small world responds with."""
    return small().get(path, **params)


def ids(path: str, **params: Any) -> list[str]:
    """The ids on a page of a list of the small world."""
    return [one["id"] for one in get(path, **params)["data"]]


def refusal(path: str, method: str = "GET", api: Direct | None = None, **headers: str) -> Refusal:
    """The status and the body of an error."""
    response = (api or small()).send(method, path, headers={name.replace("_", "-"): one for name, one in headers.items()})
    body = response.json()
    assert list(body) == ["error"], body
    assert None not in body["error"].values()
    assert response.headers["Request-Id"].startswith("req_")
    return response.status_code, body["error"]


def delete(api: Direct, path: str) -> Any:
    """What a deletion that succeeds responds with."""
    response = api.send("DELETE", path)
    assert response.status_code == 200, response.text
    return response.json()


def new(builder: Builder, kind: str, key: str, created: int = NOW - DAY, **fields: Any) -> str:
    """Add an object; what the test does not care about, it lacks."""
    return builder.new(kind, key, created, **fields)


def _people(builder: Builder) -> None:
    own = new(builder, "account", "fernway", NOW - 900 * DAY, email="pay@fernway.example", _own=True)
    standard = {"type": "application", "stripe_dashboard": {"type": "full"}, "losses": {"payments": "stripe"}}
    partners: dict[str, Said] = {
        "reseller": {"controller": {"type": "application"}},
        "independent": {"controller": {"type": "account"}},
        "live-standard": {"_live": True, "controller": standard},
        "live-rich": {"_live": True, "controller": {"type": "application"}},
        "live-empty": {"_live": True, "controller": {"type": "application"}},
    }
    for key, extra in partners.items():
        account = new(builder, "account", key, type="custom", **extra)
        for name in ("card_payments", "transfers"):
            new(builder, "capability", f"{key}/{name}", id=f"{account}/{name}", account=account, status="active")
    for key, amount in {"live-rich": 100, "live-empty": 0}.items():
        money = [{"amount": amount, "currency": "eur"}]
        new(builder, "balance", key, id=builder.id("account", key), available=money, pending=[])
    new(builder, "balance", "self", id="self", available=[{"amount": 5000, "currency": "eur"}], pending=[])
    new(builder, "balance_settings", "self", id="self", payments={"debit_negative_balances": True})
    new(builder, "tax.settings", "self", id="self", status="active")
    reseller = builder.id("account", "reseller")
    for key, relationship, status in (
        ("opener", {"representative": True, "executive": False}, "verified"),
        ("chief", {"executive": True}, "verified"),
        ("deputy", {"executive": True}, "pending"),
        ("owner", {"owner": True}, "verified"),
    ):
        new(builder, "person", key, account=reseller, relationship=relationship, verification={"status": status})
    new(builder, "bank_account", "payout", account=reseller, default_for_currency=True, currency="eur", last4="3000")
    new(builder, "bank_account", "spare", NOW - 3 * DAY, account=reseller, default_for_currency=False, currency="eur")
    new(builder, "card", "debit", NOW - 2 * DAY, account=reseller, default_for_currency=False, brand="Visa")
    new(builder, "tax_id", "own", value="DE123456789", owner={"type": "self", "account": own})


def _customers(builder: Builder) -> None:
    said: Said
    secrets: Said
    clock = new(builder, "test_helpers.test_clock", "spring", status="ready", frozen_time=NOW)
    said = {"name": "Amy Ştefănescu", "email": "amy@meadow.example", "metadata": {"tier": "gold", 'odd "key"': "1"}}
    said |= {"default_source": builder.id("card", "amy-1"), "discount": builder.id("discount", "amy")}
    said["invoice_settings"] = {"default_payment_method": builder.id("payment_method", "amy-1")}
    amy = new(builder, "customer", "amy", NOW - 400 * DAY, **said)
    new(builder, "customer", "clocked", test_clock=clock, name="On A Clock")
    new(builder, "customer", "plain", NOW - 2 * DAY, name="李 明", email=None, metadata={})
    for number in range(4):
        new(builder, "card", f"amy-{number}", NOW - number * DAY, customer=amy, brand="Visa", last4=f"424{number}")
    for number in range(3):
        new(builder, "bank_account", f"amy-{number}", NOW - number * DAY - HOUR, customer=amy)
    new(builder, "source", "amy", NOW - 5 * DAY, customer=amy, client_secret="src_client_secret_a", type="sepa_debit")
    for number in range(13):
        kind = "card" if number % 2 else "sepa_debit"
        new(builder, "payment_method", f"amy-{number}", NOW - number * HOUR, customer=amy, type=kind, allow_redisplay="always")
    new(builder, "tax_id", "amy", customer=amy, value="DE987654321")
    new(builder, "discount", "amy", customer=amy, source={"type": "coupon", "coupon": "SPRING10"})
    new(builder, "cash_balance", "amy", id=amy, customer=amy, available={"eur": 100})
    feature = new(builder, "entitlements.feature", "sso", NOW - 4 * DAY, lookup_key="sso", active=True)
    new(builder, "entitlements.feature", "fax", lookup_key="fax", active=False)
    new(builder, "entitlements.active_entitlement", "amy", _customer=amy, feature=feature)
    for key, status in (("amy", "requires_input"), ("done", "verified")):
        secrets = {"client_secret": "vs_1", "url": "https://x.example"}
        new(builder, "identity.verification_session", key, status=status, **secrets)
    calculation = new(builder, "tax.calculation", "fresh", expires_at=NOW + DAY)
    new(builder, "tax.calculation_line_item", "fresh", _calculation=calculation)


def _catalogue(builder: Builder) -> None:
    said: Said
    own: Said
    for key in ("desk", "empty"):
        said = {"name": f"Standing {key}", "description": "A desk to stand at", "active": True, "shippable": True}
        product = new(builder, "product", key, **said)
        new(builder, "product_feature", key, _product=product, entitlement_feature=builder.id("entitlements.feature", "sso"))
    product, common = builder.id("product", "desk"), {"currency": "eur", "type": "recurring", "tiers": [{"up_to": 10}]}
    for number in range(3):
        key, made = f"desk-{number}", NOW - 50 * DAY + number
        own = {"active": number != 2, "lookup_key": f"desk_{number}", "unit_amount": 1000 * number}
        price = new(builder, "price", key, made, product=product, **own, **common)
        new(builder, "plan", key, made, id=price, product=product)
    new(builder, "coupon", "spring", id="SPRING10", percent_off=10.0, duration="forever", valid=True)
    new(builder, "promotion_code", "spring", promotion={"type": "coupon", "coupon": "SPRING10"}, active=True)


def _billing(builder: Builder) -> None:
    said: Said
    item: Said
    line: Said
    amy, clocked, made = builder.id("customer", "amy"), builder.id("customer", "clocked"), NOW - 300 * DAY
    price = builder.id("price", "desk-1")
    for key, customer, status in (
        ("running", amy, "active"),
        ("trial", amy, "trialing"),
        ("ended", amy, "canceled"),
        ("clocked", clocked, "active"),
    ):
        said = {"customer": customer, "status": status, "canceled_at": NOW - 9 * DAY if status == "canceled" else None}
        said["discounts"] = [builder.id("discount", key)] if key == "running" else []
        said["latest_invoice"] = builder.id("invoice", "paid")
        subscription = new(builder, "subscription", key, made + len(key), **said)
        for number in range(12 if key == "running" else 1):
            item = {"subscription": subscription, "price": price, "plan": price}
            new(builder, "subscription_item", f"{key}-{number}", made + number, **item)
    running = builder.id("subscription", "running")
    new(builder, "discount", "running", subscription=running, source={"type": "coupon"})
    new(builder, "subscription_schedule", "amy", customer=amy, status="active")

    def taxes(amount: int) -> list[Said]:
        return [{"amount": amount, "tax_behavior": "exclusive", "tax_rate_details": {"tax_rate": "txr_1"}}]

    parent = {"subscription_details": {"subscription": running}}
    for key, status, of, hours in (
        ("draft", "draft", None, 1),
        ("draft-of-subscription", "draft", parent, 2),
        ("paid", "paid", parent, 3),
    ):
        said = {"customer": amy, "status": status, "parent": of, "number": f"FERN-{key}", "currency": "eur", "payments": None}
        said |= {"subtotal": 600, "subtotal_excluding_tax": 600, "total_excluding_tax": 600, "total_taxes": taxes(60)}
        said |= dict.fromkeys(("total", "amount_due", "amount_remaining"), 660)
        invoice = new(builder, "invoice", key, NOW - hours * HOUR, **said)
        for number in range(3):
            of_item = new(builder, "invoiceitem", f"{key}-{number}", customer=amy, invoice=invoice, amount=200)
            line = {"invoice": invoice, "amount": 200, "taxes": taxes(20)}
            line["parent"] = {"type": "invoice_item_details", "invoice_item_details": {"invoice_item": of_item}}
            new(builder, "line_item", f"{key}-{number}", NOW - hours * HOUR + number, **line)
        new(builder, "invoice_payment", key, invoice=invoice, payment={"type": "charge", "charge": builder.id("charge", "7")})
    new(builder, "invoiceitem", "pending", customer=amy, amount=100, test_clock=None)
    clock = builder.id("test_helpers.test_clock", "spring")
    for key, status, on_clock in (("open", "open", False), ("draft", "draft", False), ("clocked", "open", True)):
        said = {"customer": clocked if on_clock else amy, "status": status, "test_clock": clock if on_clock else None}
        said |= {"amount_subtotal": 300_000, "amount_total": 297_500, "currency": "eur", "expires_at": NOW + 30 * DAY}
        said |= {"total_details": {"amount_discount": 2500, "amount_shipping": 0, "amount_tax": 0}}
        said |= {"number": f"QT-{key}", "header": "An offer (with brackets) and a \\ in it"}
        quote = new(builder, "quote", key, **said)
        for number in range(40):
            item = {"_owner": quote, "_upfront": number % 2 == 0, "price": price, "quantity": 1, "currency": "eur"}
            item |= {"amount_subtotal": 7500, "description": f"Desk {number} — höhenverstellbar"}
            new(builder, "item", f"{key}-{number}", NOW - 10 * DAY + number, **item)


def _payments(builder: Builder) -> None:
    said: Said
    amy, seventh = builder.id("customer", "amy"), builder.id("charge", "7")
    same: Said = {"source": builder.id("card", "amy-1"), "billing_details": {"address": {"postal_code": "SW1A 1AA"}}}
    same["payment_method_details"] = {"type": "card", "card": {"brand": "visa", "last4": "4242", "exp_month": 4}}
    for number in range(37):
        key, made = str(number), NOW - number // 2 * DAY
        said = {"amount": 100 * number, "customer": amy if number % 2 else None, "metadata": {"order": key}}
        said |= {"amount_refunded": 50 if number % 3 == 1 else 0, "refunded": number % 3 == 2, "disputed": number == 7}
        said |= {"currency": "eur" if number % 5 else "jpy", "status": "succeeded" if number % 4 else "failed"}
        charge = new(builder, "charge", key, made, payment_intent=builder.id("payment_intent", key), **said, **same)
        said = {"amount": 100 * number, "customer": amy, "latest_charge": charge, "status": "succeeded", "currency": "eur"}
        new(builder, "payment_intent", key, made, client_secret=f"pi_{number}_secret_x", **said)
    for number in range(23):
        new(builder, "refund", str(number), NOW - number * HOUR, charge=seventh, amount=number)
    new(builder, "dispute", "7", charge=seventh, amount=700)
    new(builder, "setup_intent", "amy", client_secret="seti_secret_x", customer=amy, metadata={"private": "yes"})
    new(builder, "balance_transaction", "7", source=seventh)


def _rest(builder: Builder) -> None:
    amy = builder.id("customer", "amy")
    for kind, key in (("charge", "7"), ("customer", "plain")):
        new(builder, "event", f"about-{key}", type="charge.succeeded", _about=[kind, builder.id(kind, key)])
    for key, live_only in (("balance.summary.1", False), ("payouts.live.1", True)):
        new(builder, "reporting.report_type", key, id=key, name=key, _live_only=live_only)
    for code in ("aud", "eur", "gbp", "jpy", "usd"):
        new(builder, "exchange_rate", code, NOW, id=code, rates={"usd": 1.1})
        new(builder, "country_spec", code, NOW, id=code[:2].upper(), default_currency=code)
    for key, rules in (("used", ["rule_1"]), ("free", [])):
        value_list = new(builder, "radar.value_list", key, alias=key, _rules=rules)
        for number in range(12):
            new(builder, "radar.value_list_item", f"{key}-{number}", NOW - number, value_list=value_list, value=str(number))
    holder = new(builder, "issuing.cardholder", "amy", name="Amy")
    new(builder, "issuing.card", "amy", number="4000009990000001", cvc="123", cardholder=holder)
    versions = [{"version": 1, "nickname": "Old"}]
    new(builder, "invoice_rendering_template", "letter", version=2, nickname="New", _versions=versions)
    for key in ("0", "1"):
        new(builder, "terminal.reader", key, label=key, status="online", device_type="stripe_s700")
    new(builder, "terminal.location", "shop", display_name="Shop")
    for key, default in (("default", True), ("other", False), ("silent", None)):
        new(builder, "terminal.configuration", key, is_account_default=default)
    new(builder, "apple_pay_domain", "shop", domain_name="shop.fernway.example")
    new(builder, "webhook_endpoint", "billing", url="https://hooks.fernway.example")
    for formula in ("sum", "count", "last"):
        meter = new(builder, "billing.meter", formula, default_aggregation={"formula": formula}, status="active")
        for number in (one for one in range(48) if one % 24 < 20):
            body = {"meter": meter, "customer": amy, "value": number}
            builder.note("_usage", f"{formula}-{number}", NOW - 2 * DAY + number * HOUR, body)
        builder.note("_usage", f"{formula}-other", NOW - DAY, {"meter": meter, "customer": "cus_other", "value": 1000})
    for key in ("amy", "clocked"):
        grant = new(builder, "billing.credit_grant", key, customer=builder.id("customer", key))
        new(builder, "billing.credit_balance_transaction", key, credit_grant=grant)
    money = new(builder, "treasury.financial_account", "main", status="open")
    for key in ("failed", "processing", "succeeded"):
        new(builder, "treasury.debit_reversal", key, financial_account=money, status=key, received_debit="rd_1")
    ownership = new(builder, "financial_connections.account_ownership", "amy")
    new(builder, "financial_connections.account", "amy", ownership=ownership)
    for key in ("0", "1"):
        new(builder, "financial_connections.account_owner", key, ownership=ownership, name=key)


def dataset(write: Callable[[Builder], None], *kinds: str) -> Dataset:
    return Dataset(frozenset(kinds), write)


_WRITERS = {
    _people: "account person capability balance balance_settings tax.settings bank_account card tax_id",
    _customers: "test_helpers.test_clock customer card bank_account source payment_method tax_id discount cash_balance "
    "entitlements.feature entitlements.active_entitlement identity.verification_session tax.calculation "
    "tax.calculation_line_item",
    _catalogue: "product product_feature price plan coupon promotion_code",
    _billing: "subscription subscription_item discount subscription_schedule invoice invoiceitem line_item invoice_payment "
    "quote item",
    _payments: "charge payment_intent refund dispute setup_intent balance_transaction",
    _rest: "event reporting.report_type exchange_rate country_spec radar.value_list radar.value_list_item issuing.card "
    "issuing.cardholder invoice_rendering_template terminal.reader terminal.location terminal.configuration apple_pay_domain "
    "webhook_endpoint billing.meter _usage billing.credit_grant billing.credit_balance_transaction treasury.financial_account "
    "treasury.debit_reversal financial_connections.account_ownership financial_connections.account "
    "financial_connections.account_owner",
}

FAKES: tuple[Dataset, ...] = tuple(dataset(write, *kinds.split()) for write, kinds in _WRITERS.items())
