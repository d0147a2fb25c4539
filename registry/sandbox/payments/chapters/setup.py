"""How the account is set up: domains, payment methods on offer, the customer portal, webhooks, invoice templates."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.parts import SITE, Hash
from registry.sandbox.payments.shapes import shapes
from registry.sandbox.world import DAY

_DOMAINS = (
    ("pay", "pay.fernway.example", True, "active"),
    ("shop", "shop.fernway.example", True, "active"),
    ("www", "www.fernway.example", True, "inactive"),
    ("old", "classic.fernway.example", False, "inactive"),
)

_WALLETS = ("amazon_pay", "apple_pay", "google_pay", "klarna", "link", "paypal")

_OFFERED = frozenset(
    {"card", "apple_pay", "google_pay", "link", "sepa_debit", "us_bank_account", "bacs_debit", "ideal", "cartes_bancaires"}
)

# key, address, status, events, days ago, API version, description
_WEBHOOKS: tuple[tuple[str, str, str, tuple[str, ...], int, str | None, str | None], ...] = (
    (
        "billing",
        f"{SITE}/hooks/billing",
        "enabled",
        ("invoice.paid", "invoice.payment_failed", "customer.subscription.deleted"),
        800,
        "2025-09-30.clover",
        "Books invoices",
    ),
    (
        "disputes",
        f"{SITE}/hooks/disputes",
        "enabled",
        ("charge.dispute.created", "charge.dispute.closed"),
        500,
        "2025-09-30.clover",
        "Pages the payments team",
    ),
    ("everything", "https://warehouse.fernway.example/in", "enabled", ("*",), 320, None, "Data warehouse feed"),
    (
        "connect",
        f"{SITE}/hooks/marketplace",
        "enabled",
        ("account.updated", "capability.updated", "payout.failed"),
        300,
        "2024-06-20",
        None,
    ),
    ("laptop", "https://sam.tunnel.example/hook", "disabled", ("payment_intent.succeeded",), 45, None, "Sam's laptop"),
)

_KNOWN_METHODS = tuple(
    name for name, field in shapes()["payment_method_configuration"].fields.items() if field["type"] == "hash"
)


def write_domains(builder: Builder) -> None:
    """Write domains and payment method configurations."""
    now = builder.world.now
    for number, (key, name, enabled, status) in enumerate(_DOMAINS):
        wallets: dict[str, Any] = {}
        for wallet in _WALLETS:
            failed = wallet == "apple_pay" and key == "www"
            wallets[wallet] = {"status": "inactive" if failed or not enabled else "active"}
            if failed:
                wallets[wallet]["status_details"] = {"error_message": "The verification file was not found."}
        builder.new("payment_method_domain", key, now - (600 - number * 90) * DAY, domain_name=name, enabled=enabled, **wallets)
        if status == "active" or key == "old":
            builder.new("apple_pay_domain", key, now - (610 - number * 90) * DAY, domain_name=name)
    configurations: tuple[tuple[str, str, bool, bool, str | None, frozenset[str]], ...] = (
        ("default", "Default", True, True, None, _OFFERED),
        ("europe", "Europe", True, False, None, _OFFERED | {"bancontact", "p24", "eps", "klarna"}),
        ("hardware", "Hardware shop", False, False, None, frozenset({"card"})),
        ("partner", "Marketplace", True, False, "default", frozenset({"card", "link"})),
    )
    for number, (key, name, active, default, parent, on) in enumerate(configurations):
        fields: dict[str, Any] = {method: _offer(on=method in on) for method in _KNOWN_METHODS}
        if parent:
            fields["parent"] = builder.id("payment_method_configuration", parent)
            fields["application"] = builder.id("application", "marketplace")
        builder.new(
            "payment_method_configuration",
            key,
            now - (500 - number) * DAY,
            active=active,
            is_default=default,
            name=name,
            **fields,
        )


def _offer(*, on: bool) -> Hash:
    value = "on" if on else "off"
    return {"available": on, "display_preference": {"overridable": None, "preference": value, "value": value}}


def write_portal(builder: Builder) -> None:
    """Write the configurations of the customer portal."""
    now = builder.world.now
    for number, (key, name, active, default, products) in enumerate(
        (
            ("default", None, True, True, (("board", ("board.month", "board.year")), ("desk", ("desk.month", "desk.year")))),
            ("fleet", "Fleet customers", True, False, (("fleet", ("fleet.month", "fleet.year")),)),
            ("classic", "Classic customers", False, False, ()),
        )
    ):
        offered = [
            {
                "adjustable_quantity": {"enabled": product == "board", "maximum": None, "minimum": 1},
                "prices": [builder.id("price", price) for price in prices],
                "product": builder.id("product", product),
            }
            for product, prices in products
        ]
        made = now - (420 - number * 60) * DAY
        builder.new(
            "billing_portal.configuration",
            key,
            made,
            active=active,
            business_profile={
                "headline": "Your subscription",
                "privacy_policy_url": f"{SITE}/privacy",
                "terms_of_service_url": f"{SITE}/terms",
            },
            default_return_url=f"{SITE}/account",
            features=_features(offered, cancel=key != "fleet"),
            is_default=default,
            login_page={"enabled": default, "url": f"{SITE}/portal" if default else None},
            metadata={"owner": "tomas.novak"},
            name=name,
            updated=made + 40 * DAY,
        )


def _features(products: list[Hash], *, cancel: bool) -> Hash:
    return {
        "customer_update": {"allowed_updates": ["email", "address", "tax_id"], "enabled": True},
        "invoice_history": {"enabled": True},
        "payment_method_update": {"enabled": True, "payment_method_configuration": None},
        "subscription_cancel": {
            "cancellation_reason": {"enabled": True, "options": ["too_expensive", "missing_features", "unused", "other"]},
            "enabled": cancel,
            "mode": "at_period_end",
            "proration_behavior": "none",
        },
        "subscription_update": {
            "billing_cycle_anchor": None,
            "default_allowed_updates": ["price", "quantity"] if products else [],
            "enabled": bool(products),
            "products": products,
            "proration_behavior": "create_prorations",
            "schedule_at_period_end": {"conditions": []},
            "trial_update_behavior": "end_trial",
        },
    }


def write_hooks(builder: Builder) -> None:
    """Write webhook endpoints."""
    for key, url, status, events, days, version, text in _WEBHOOKS:
        builder.new(
            "webhook_endpoint",
            key,
            builder.world.now - days * DAY,
            api_version=version,
            application=builder.id("application", "marketplace") if key == "connect" else None,
            description=text,
            enabled_events=list(events),
            metadata={"owner": "sam.ode"},
            status=status,
            url=url,
        )


def write_templates(builder: Builder) -> None:
    """Write invoice rendering templates."""
    now = builder.world.now
    for number, (key, status, names) in enumerate(
        (
            ("enterprise", "active", ("Enterprise", "Enterprise, with order number", "Enterprise (two languages)")),
            ("plain", "active", ("Plain",)),
            ("christmas", "archived", ("Christmas 2023", "Christmas 2024")),
        )
    ):
        versions = [{"nickname": name, "version": place + 1} for place, name in enumerate(names)]
        builder.new(
            "invoice_rendering_template",
            key,
            now - (360 - number * 20) * DAY,
            metadata={"owner": "oskar.berg"},
            nickname=names[-1],
            status=status,
            version=len(names),
            _versions=versions[:-1],
        )


# key, name, status, days until its time, days ago that it was made
_CLOCKS = (
    ("renewal", "Yearly renewal", "ready", 0.0, 50.0),
    ("trial", "Trial that ends", "advancing", 12.0, 15.0),
    ("stuck", "Statements in February", "internal_failure", -1.0, 40.0),
)


def write_clocks(builder: Builder) -> None:
    """Write test clocks."""
    now = builder.world.now
    for key, name, status, ahead, days in _CLOCKS:
        frozen = now + int(ahead * DAY)
        details: Hash = {"advancing": {"target_frozen_time": frozen + 30 * DAY}} if status == "advancing" else {}
        builder.new(
            "test_helpers.test_clock",
            key,
            now - int(days * DAY),
            deletes_after=now + 30 * DAY,
            frozen_time=frozen,
            name=name,
            status=status,
            status_details=details,
        )
