"""Customers and their tax ids; the company's own tax ids as well."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.cohort import Cohort, first
from registry.sandbox.payments.chapters.contracts import invoiced, joined, late
from registry.sandbox.payments.chapters.discounts import ON_CUSTOMERS
from registry.sandbox.payments.chapters.methods import wallet
from registry.sandbox.payments.chapters.parts import Hash, place
from registry.sandbox.payments.chapters.people import Buyer
from registry.sandbox.payments.naming import names
from registry.sandbox.world import DAY

_METADATA: dict[str, dict[str, str]] = {
    "ada.romero": {"crm": "1001", "tier": "gold"},
    "brightwater": {"crm": "1002", "tier": "gold", "order_id": "6735"},
    "halden": {"crm": "1003", "tier": "enterprise", "account_manager": "hana.kim"},
    "escape": {"colour": "red alert", "crm": "1031"},
    "brackets": {"trade_tag": "wholesale", "crm": "1032"},
    "quotes": {"said": "He said yes", "crm": "1033"},
    "confetti": {"emoji": "three cheers"},
    "mansour": {"ملاحظة": "عميل منذ ٢٠٢٣"},
    "gallery": {"purpose": "one payment method of every type", "owner": "sam.ode"},
}

# Ids that the company notes down about a customer, of objects that no field of the customer names.
_NOTED: dict[str, dict[str, tuple[str, str, str | None]]] = {
    "cedar": {
        "bank_link": ("financial_connections.session", "cedar", None),
        "setup_token": ("confirmation_token", "cedar", None),
    },
    "blue.heron": {
        "bank_link": ("financial_connections.session", "blue.heron", None),
        "bank_token": ("token", "bank", "btok_"),
    },
    "riverbend": {"bank_link": ("financial_connections.session", "riverbend", None)},
    "granite.peak": {"bank_link": ("financial_connections.session", "granite", None)},
    "brightwater": {"vaulted": ("forwarding.request", "vaulted", None)},
    "lantern": {"forwarded": ("forwarding.request", "refused", None)},
    "harbour.finch": {"forwarded": ("forwarding.request", "network", None), "quote": ("quote", "harbour.finch", None)},
    "maple.main": {"session": ("checkout.session", "card.maple", "cs_test_")},
    "petrova": {"schedule": ("subscription_schedule", "petrova", None)},
    "fernandez": {"schedule": ("subscription_schedule", "fernandez", None)},
}

_SHIPPED = ("brightwater", "cedar", "thistle", "maple.main", "riverbend")

_VERIFIED = ("verified", "pending", "unavailable", "unverified")

_OWN_TAX_IDS = (("us_ein", "12-3456789", "US"), ("eu_oss_vat", "EU123456789", None), ("gb_vat", "GB123456789", "GB"))


def write(builder: Builder) -> None:
    """Write the chapter."""
    write_cohort(builder, first(builder.world))
    now = builder.world.now
    for number, (type_, value, country) in enumerate(_OWN_TAX_IDS):
        builder.new(
            "tax_id",
            f"fernway/{type_}",
            now - (900 - number) * DAY,
            type=type_,
            value=value,
            country=country,
            owner={"type": "self"},
        )


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write the customers of a cohort, with their tax ids."""
    since = joined(cohort)
    for number, buyer in enumerate(cohort.buyers):
        id_ = _customer(builder, cohort, buyer, since[buyer.key])
        if buyer.tax_id:
            _tax_id(builder, buyer, id_, since[buyer.key], _VERIFIED[number % 4 if number % 3 == 0 else 0])


def _customer(builder: Builder, cohort: Cohort, buyer: Buyer, created: int) -> str:
    key = buyer.key
    invoices = invoiced(cohort)[key]
    methods = wallet(buyer)
    fields: dict[str, Any] = {}
    first = next((method for method in methods if method.older), None)
    if first:
        fields["default_source"] = names(builder.world)(first.kind, first.key)
    usual = next((method for method in methods if not method.older), None)
    if usual and not (methods[0].older):
        fields["invoice_settings"] = _invoice_settings(names(builder.world)("payment_method", usual.key))
    if key == "halden":
        template = names(builder.world)("invoice_rendering_template", "enterprise")
        rendering = {"amount_tax_display": "exclude_tax", "template": template}
        fields["invoice_settings"] = fields["invoice_settings"] | {
            "custom_fields": [{"name": "Purchase order", "value": "4500019873"}],
            "footer": "Zahlbar innerhalb von 30 Tagen.",
            "rendering_options": rendering,
        }
    if key in ON_CUSTOMERS:
        fields["discount"] = names(builder.world)("discount", f"customer/{key}")
    if key in _METADATA or key in _NOTED:
        noted = {label: names(builder.world)(*about) for label, about in _NOTED.get(key, {}).items()}
        fields["metadata"] = _METADATA.get(key, {}) | noted
    if key in _SHIPPED:
        fields["shipping"] = {"address": place(buyer.where), "name": buyer.name, "phone": buyer.phone}
    if buyer.locale:
        fields["preferred_locales"] = [buyer.locale]
    if buyer.clock:
        fields["test_clock"] = names(builder.world)("test_helpers.test_clock", buyer.clock)
    if key == "long.name":
        fields["description"] = "Name as it stands in the commercial register; do not shorten."
    if key == "nameless":
        fields["description"] = "Signed up by telephone"
        fields["email"] = "signup-7713@nameless.example"
    return builder.new(
        "customer",
        key,
        created,
        name=buyer.name,
        address=place(buyer.where),
        balance=sum(entry.amount for entry in cohort.ledgers.get(key, ())),
        currency=buyer.currency if invoices else None,
        delinquent=key in late(cohort),
        invoice_prefix=invoice_prefix(builder, key),
        next_invoice_sequence=invoices + 1,
        phone=buyer.phone,
        tax_exempt=buyer.exempt,
        tax=_place_of_tax(buyer),
        **({"email": buyer.email} | fields),
    )


def invoice_prefix(builder: Builder, key: str) -> str:
    """What the numbers of a customer's invoices start with."""
    return builder.world.capitals(f"prefix/{key}", 8)


def _invoice_settings(method: str) -> Hash:
    return {"default_payment_method": method}


def _place_of_tax(buyer: Buyer) -> Hash:
    state = buyer.where.split("|")[2] or None
    location = {"country": buyer.country, "state": state}
    return {"location": location}


def _tax_id(builder: Builder, buyer: Buyer, customer: str, created: int, status: str) -> None:
    type_, _, value = buyer.tax_id.partition(":")
    verified = status == "verified"
    builder.new(
        "tax_id",
        buyer.key,
        created + 120,
        customer=customer,
        country=buyer.country,
        owner={"customer": customer, "type": "customer"},
        type=type_,
        value=value,
        verification={
            "status": status,
            "verified_address": buyer.where.split("|")[0] if verified else None,
            "verified_name": buyer.name if verified else None,
        },
    )
