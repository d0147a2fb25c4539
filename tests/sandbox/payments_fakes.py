"""A small payments world for tests: a few objects of the kinds that the rules are about."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.routing import Mount

from registry.sandbox import payments
from registry.sandbox.payments.builder import Builder, Dataset
from registry.sandbox.payments.shapes import identifier
from registry.sandbox.world import DAY, HOUR, World

NOW = 1_760_000_000 // DAY * DAY
WORLD = World(1, NOW)
SECRET_KEY = "sk_test_51Fernway"
HEADERS = {"Authorization": f"Bearer {SECRET_KEY}"}


def id_of(kind: str, key: str) -> str:
    return identifier(WORLD, kind, key)


def application(*datasets: Dataset) -> Starlette:
    api, files = payments.services(WORLD, datasets or FAKES)
    return Starlette(routes=[Mount("/payments", app=api), Mount("/files", app=files)])


def client(*datasets: Dataset, key: str | None = SECRET_KEY) -> httpx.AsyncClient:
    """A client of a sandbox of its own."""
    return _client(application(*datasets), key)


def reader(*datasets: Dataset, key: str | None = SECRET_KEY) -> httpx.AsyncClient:
    """A client that only reads, of a sandbox for all tests that only read: writing its world takes longer than most of them."""
    return _client(_kept(*datasets), key)


_kept = cache(application)


def _client(app: Starlette, key: str | None) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
    transport = httpx.ASGITransport(app=app)
    return httpx.AsyncClient(transport=transport, base_url="http://sandbox/payments", headers=headers)


def new(builder: Builder, kind: str, key: str, created: int = NOW - DAY, **fields: Any) -> str:
    """Add an object; what the test does not care about, it lacks."""
    return builder.new(kind, key, created, **fields)


def _people(builder: Builder) -> None:
    own = builder.id("account", "fernway")
    new(builder, "account", "fernway", NOW - 900 * DAY, email="pay@fernway.example", _own=True)
    partners: dict[str, dict[str, Any]] = {
        "reseller": {"controller": {"type": "application"}},
        "independent": {"controller": {"type": "account"}},
        "live-standard": {
            "_live": True,
            "controller": {"type": "application", "stripe_dashboard": {"type": "full"}, "losses": {"payments": "stripe"}},
        },
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
    verified = {"status": "verified"}
    for key, relationship, verification in (
        ("opener", {"representative": True, "executive": False}, verified),
        ("chief", {"executive": True}, verified),
        ("deputy", {"executive": True}, {"status": "pending"}),
        ("owner", {"owner": True}, verified),
    ):
        new(builder, "person", key, account=reseller, relationship=relationship, verification=verification)
    new(builder, "bank_account", "payout", account=reseller, default_for_currency=True, currency="eur", last4="3000")
    new(builder, "bank_account", "spare", NOW - 3 * DAY, account=reseller, default_for_currency=False, currency="eur")
    new(builder, "card", "debit", NOW - 2 * DAY, account=reseller, default_for_currency=False, brand="Visa")
    new(builder, "tax_id", "own", value="DE123456789", owner={"type": "self", "account": own})


def _customers(builder: Builder) -> None:
    clock = new(builder, "test_helpers.test_clock", "spring", status="ready", frozen_time=NOW)
    amy = new(
        builder,
        "customer",
        "amy",
        NOW - 400 * DAY,
        name="Amy Ştefănescu",
        email="amy@meadow.example",
        phone="+4915550100",
        metadata={"tier": "gold", 'odd "key"': "1"},
        default_source=builder.id("card", "amy-1"),
        discount=builder.id("discount", "amy"),
        invoice_settings={"default_payment_method": builder.id("payment_method", "amy-1")},
    )
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
    new(builder, "entitlements.feature", "sso", NOW - 4 * DAY, lookup_key="sso", active=True)
    new(builder, "entitlements.feature", "fax", lookup_key="fax", active=False)
    new(builder, "entitlements.active_entitlement", "amy", _customer=amy, feature=builder.id("entitlements.feature", "sso"))
    for key in ("amy", "clocked"):
        new(
            builder,
            "identity.verification_session",
            key,
            status="requires_input",
            client_secret="vs_1",
            url="https://x.example",
        )
    new(builder, "identity.verification_session", "done", status="verified", client_secret="vs_1", url="https://x.example")
    for key, expires in (("fresh", NOW + DAY), ("stale", NOW)):
        calculation = new(builder, "tax.calculation", key, expires_at=expires)
        for number in range(3):
            new(builder, "tax.calculation_line_item", f"{key}-{number}", _calculation=calculation, amount=number)


def _catalogue(builder: Builder) -> None:
    for key, kept in (("desk", True), ("empty", False)):
        product = new(
            builder, "product", key, name=f"Standing {key}", description="A desk to stand at", active=True, shippable=True
        )
        new(builder, "product_feature", key, _product=product, entitlement_feature=builder.id("entitlements.feature", "sso"))
        if kept:
            for number in range(3):
                price = builder.id("price", f"{key}-{number}")
                new(
                    builder,
                    "price",
                    f"{key}-{number}",
                    NOW - 50 * DAY + number,
                    product=product,
                    active=number != 2,
                    currency="eur",
                    type="recurring",
                    lookup_key=f"{key}_{number}",
                    unit_amount=1000 * number,
                    tiers=[{"up_to": 10}],
                )
                new(builder, "plan", f"{key}-{number}", NOW - 50 * DAY + number, id=price, product=product)
    new(builder, "coupon", "spring", id="SPRING10", percent_off=10.0, duration="forever", valid=True)
    new(builder, "promotion_code", "spring", promotion={"type": "coupon", "coupon": "SPRING10"}, active=True)


def _billing(builder: Builder) -> None:
    amy, clocked = builder.id("customer", "amy"), builder.id("customer", "clocked")
    for key, customer, status in (
        ("running", amy, "active"),
        ("trial", amy, "trialing"),
        ("ended", amy, "canceled"),
        ("clocked", clocked, "active"),
    ):
        subscription = new(
            builder,
            "subscription",
            key,
            NOW - 300 * DAY + len(key),
            customer=customer,
            status=status,
            canceled_at=NOW - 9 * DAY if status == "canceled" else None,
            discounts=[builder.id("discount", key)] if key == "running" else [],
            latest_invoice=builder.id("invoice", "paid"),
        )
        for number in range(12 if key == "running" else 1):
            price = builder.id("price", "desk-1")
            new(
                builder,
                "subscription_item",
                f"{key}-{number}",
                NOW - 300 * DAY + number,
                subscription=subscription,
                price=price,
                plan=price,
            )
    new(builder, "discount", "running", subscription=builder.id("subscription", "running"), source={"type": "coupon"})
    new(builder, "subscription_schedule", "amy", customer=amy, status="active")
    subscription_parent = {"subscription_details": {"subscription": builder.id("subscription", "running")}}
    for key, status, parent, created in (
        ("draft", "draft", None, NOW - HOUR),
        ("draft-of-subscription", "draft", subscription_parent, NOW - 2 * HOUR),
        ("paid", "paid", subscription_parent, NOW - 3 * HOUR),
    ):
        invoice = new(
            builder,
            "invoice",
            key,
            created,
            customer=amy,
            status=status,
            parent=parent,
            number=f"FERN-{key}",
            subtotal=600,
            total=660,
            amount_due=660,
            amount_remaining=660,
            subtotal_excluding_tax=600,
            total_excluding_tax=600,
            total_taxes=[{"amount": 60, "tax_behavior": "exclusive", "tax_rate_details": {"tax_rate": "txr_1"}}],
            currency="eur",
            payments=None,
        )
        for number in range(3):
            item = new(builder, "invoiceitem", f"{key}-{number}", customer=amy, invoice=invoice, amount=200)
            new(
                builder,
                "line_item",
                f"{key}-{number}",
                created + number,
                invoice=invoice,
                amount=200,
                taxes=[{"amount": 20, "tax_behavior": "exclusive", "tax_rate_details": {"tax_rate": "txr_1"}}],
                parent={"type": "invoice_item_details", "invoice_item_details": {"invoice_item": item}},
            )
        new(builder, "invoice_payment", key, invoice=invoice, payment={"type": "charge", "charge": builder.id("charge", "7")})
    new(builder, "invoiceitem", "pending", customer=amy, amount=100, test_clock=None)
    for key, status, on_clock in (("open", "open", False), ("draft", "draft", False), ("clocked", "open", True)):
        quote = new(
            builder,
            "quote",
            key,
            customer=clocked if on_clock else amy,
            status=status,
            number=f"QT-{key}" if status != "draft" else None,
            test_clock=builder.id("test_helpers.test_clock", "spring") if on_clock else None,
            amount_subtotal=300_000,
            amount_total=297_500,
            total_details={"amount_discount": 2500, "amount_shipping": 0, "amount_tax": 0},
            currency="eur",
            expires_at=NOW + 30 * DAY,
            header="An offer (with brackets) and a \\ in it",
        )
        for number in range(40):
            new(
                builder,
                "item",
                f"{key}-{number}",
                NOW - 10 * DAY + number,
                _owner=quote,
                _upfront=number % 2 == 0,
                amount_subtotal=7500,
                currency="eur",
                description=f"Desk {number} — höhenverstellbar",
                quantity=1,
                price=builder.id("price", "desk-1"),
            )


def _payments(builder: Builder) -> None:
    amy = builder.id("customer", "amy")
    for number in range(37):
        new(
            builder,
            "charge",
            str(number),
            NOW - number // 2 * DAY,
            amount=100 * number,
            amount_refunded=50 if number % 3 == 1 else 0,
            refunded=number % 3 == 2,
            customer=amy if number % 2 else None,
            currency="eur" if number % 5 else "jpy",
            status="succeeded" if number % 4 else "failed",
            disputed=number == 7,
            payment_intent=builder.id("payment_intent", str(number)),
            source=builder.id("card", "amy-1"),
            billing_details={"address": {"postal_code": "SW1A 1AA"}},
            payment_method_details={"type": "card", "card": {"brand": "visa", "last4": "4242", "exp_month": 4}},
            metadata={"order": str(number)},
        )
        new(
            builder,
            "payment_intent",
            str(number),
            NOW - number // 2 * DAY,
            amount=100 * number,
            customer=amy,
            client_secret=f"pi_{number}_secret_x",
            latest_charge=builder.id("charge", str(number)),
            status="succeeded",
            currency="eur",
        )
    for number in range(23):
        new(builder, "refund", str(number), NOW - number * HOUR, charge=builder.id("charge", "7"), amount=number)
    new(builder, "dispute", "7", charge=builder.id("charge", "7"), amount=700)
    new(builder, "setup_intent", "amy", client_secret="seti_secret_x", customer=amy, metadata={"private": "yes"})
    new(builder, "balance_transaction", "7", source=builder.id("charge", "7"))


def _rest(builder: Builder) -> None:
    amy = builder.id("customer", "amy")
    for kind, key in (("charge", "7"), ("customer", "plain")):
        new(builder, "event", f"about-{key}", type="charge.succeeded", _about=[kind, builder.id(kind, key)])
    new(builder, "event", "old", NOW - 31 * DAY, type="charge.succeeded", _about=["charge", builder.id("charge", "7")])
    for key, live_only in (("balance.summary.1", False), ("payouts.live.1", True)):
        new(builder, "reporting.report_type", key, id=key, name=key, _live_only=live_only)
    for code in ("aud", "eur", "gbp", "jpy", "usd"):
        new(builder, "exchange_rate", code, NOW, id=code, rates={"usd": 1.1})
        new(builder, "country_spec", code, NOW, id=code[:2].upper(), default_currency=code)
    for key, rules in (("used", ["rule_1"]), ("free", [])):
        value_list = new(builder, "radar.value_list", key, alias=key, _rules=rules)
        for number in range(12):
            new(builder, "radar.value_list_item", f"{key}-{number}", NOW - number, value_list=value_list, value=str(number))
    new(
        builder, "issuing.card", "amy", number="4000009990000001", cvc="123", cardholder=builder.id("issuing.cardholder", "amy")
    )
    new(builder, "issuing.cardholder", "amy", name="Amy")
    new(
        builder,
        "invoice_rendering_template",
        "letter",
        version=2,
        nickname="New",
        _versions=[{"version": 1, "nickname": "Old"}],
    )
    for number in range(3):
        new(
            builder, "terminal.reader", str(number), NOW - number, label=str(number), status="online", device_type="stripe_s700"
        )
    new(builder, "terminal.location", "shop", display_name="Shop")
    for key, default in (("default", True), ("other", False), ("silent", None)):
        new(builder, "terminal.configuration", key, is_account_default=default)
    new(builder, "apple_pay_domain", "shop", domain_name="shop.fernway.example")
    new(builder, "webhook_endpoint", "billing", url="https://hooks.fernway.example")
    for formula in ("sum", "count", "last"):
        meter = new(builder, "billing.meter", formula, default_aggregation={"formula": formula}, status="active")
        for number in range(48):
            if number % 24 < 20:
                body = {"meter": meter, "customer": amy, "value": number}
                builder.note("_usage", f"{formula}-{number}", NOW - 2 * DAY + number * HOUR, body)
        builder.note("_usage", f"{formula}-other", NOW - DAY, {"meter": meter, "customer": "cus_other", "value": 1000})
    grants = [new(builder, "billing.credit_grant", key, customer=builder.id("customer", key)) for key in ("amy", "clocked")]
    for number, grant in enumerate(grants * 2):
        new(builder, "billing.credit_balance_transaction", str(number), NOW - number, credit_grant=grant)
    financial_account = new(builder, "treasury.financial_account", "main", status="open")
    for number, status in enumerate(("failed", "processing", "succeeded")):
        new(
            builder,
            "treasury.debit_reversal",
            str(number),
            NOW - number,
            financial_account=financial_account,
            status=status,
            received_debit="rd_1",
        )
    ownership = new(builder, "financial_connections.account_ownership", "amy")
    new(builder, "financial_connections.account", "amy", ownership=ownership)
    for number in range(2):
        new(builder, "financial_connections.account_owner", str(number), ownership=ownership, name=str(number))


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
