"""Customers and their tax ids; the company's own tax ids as well."""

from __future__ import annotations

from collections import Counter

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import Buyer, Cohort
from registry.sandbox.payments.datasets.bills import bills_of
from registry.sandbox.payments.datasets.contracts import joined
from registry.sandbox.payments.datasets.methods import wallet
from registry.sandbox.payments.datasets.parts import Hash, place
from registry.sandbox.payments.datasets.subscribing import ON_CUSTOMERS
from registry.sandbox.payments.datasets.tables import particular
from registry.sandbox.payments.shapes import ABSENT

_VERIFIED = ("verified", "pending", "unavailable", "unverified")


def write(builder: Builder, cohort: Cohort) -> None:
    """Write the customers of a cohort, with their tax ids."""
    since, bills = joined(cohort), bills_of(cohort).values()
    invoices = Counter(bill.buyer.key for bill in bills if bill.number)
    late = {bill.buyer.key for bill in bills if bill.turn in ("open", "lost") and bill.collect != "send_invoice"}
    for number, buyer in enumerate(cohort.buyers):
        balance = sum(entry.amount for entry in cohort.ledgers.get(buyer.key, ()))
        fields = {"delinquent": buyer.key in late, "balance": balance}
        id_ = _customer(builder, buyer, since[buyer.key], invoices[buyer.key], fields)
        if buyer.tax_id:
            _tax_id(builder, buyer, id_, since[buyer.key], _VERIFIED[number % 4 if number % 3 == 0 else 0])


def _customer(builder: Builder, buyer: Buyer, created: int, invoices: int, fields: Hash) -> str:
    key, methods = buyer.key, wallet(buyer)
    fields |= {
        "discount": builder.link("discount", f"customer/{key}" if key in ON_CUSTOMERS else None),
        "email": buyer.email,
        "preferred_locales": [buyer.locale] if buyer.locale else ABSENT,
        "test_clock": builder.link("test_helpers.test_clock", buyer.clock),
    }
    if first := next((method for method in methods if method.older), None):
        fields["default_source"] = builder.id(first.kind, first.key)
    if methods and not methods[0].older:
        fields["invoice_settings"] = {"default_payment_method": builder.id("payment_method", methods[0].key)}
    for name, value in particular(builder.world, "customer", key).items():
        fields[name] = fields.get(name, {}) | value if isinstance(value, dict) else value
    return builder.new(
        "customer",
        key,
        created,
        name=buyer.name,
        address=place(buyer.where),
        currency=buyer.currency if invoices else None,
        invoice_prefix=invoice_prefix(builder, key),
        next_invoice_sequence=invoices + 1,
        phone=buyer.phone,
        tax_exempt=buyer.exempt,
        tax={"location": {"country": buyer.country, "state": buyer.where.split("|")[2] or None}},
        **fields,
    )


def invoice_prefix(builder: Builder, key: str) -> str:
    """What the numbers of a customer's invoices start with."""
    return builder.world.capitals(f"prefix/{key}", 8)


def _tax_id(builder: Builder, buyer: Buyer, customer: str, created: int, status: str) -> None:
    type_, _, value = buyer.tax_id.partition(":")
    names = {"verified_address": buyer.where.split("|")[0], "verified_name": buyer.name}
    known = {"status": status} | (names if status == "verified" else dict.fromkeys(names))
    fields: Hash = {"customer": customer, "owner": {"customer": customer, "type": "customer"}, "verification": known}
    builder.new("tax_id", buyer.key, created + 120, **fields, country=buyer.country, type=type_, value=value)
