"""Customers and their tax ids; the company's own tax ids as well."""

from __future__ import annotations

from typing import Any

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.cohort import Cohort
from registry.sandbox.payments.chapters.contracts import invoiced, joined, late
from registry.sandbox.payments.chapters.discounts import ON_CUSTOMERS
from registry.sandbox.payments.chapters.methods import wallet
from registry.sandbox.payments.chapters.parts import Hash, place
from registry.sandbox.payments.chapters.people import Buyer
from registry.sandbox.payments.chapters.told import particular
from registry.sandbox.payments.naming import names

_VERIFIED = ("verified", "pending", "unavailable", "unverified")


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
    if key in ON_CUSTOMERS:
        fields["discount"] = names(builder.world)("discount", f"customer/{key}")
    if buyer.locale:
        fields["preferred_locales"] = [buyer.locale]
    if buyer.clock:
        fields["test_clock"] = names(builder.world)("test_helpers.test_clock", buyer.clock)
    for name, value in particular(builder.world, "customer", key).items():
        fields[name] = fields.get(name, {}) | value if isinstance(value, dict) else value
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
