"""Cards and bank accounts: payment sources of customers, and where payouts go."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.cohort import Cohort
from registry.sandbox.payments.datasets.contracts import joined
from registry.sandbox.payments.datasets.methods import CARDS, SOURCE_NAMES, Method, fingerprint, wallet
from registry.sandbox.payments.datasets.parts import Hash, place, year_of

_CHECKS = ("pass", "unchecked", "fail", "unavailable")
_BANKS: dict[str, Hash] = {
    "DE": {"account_type": None, "bank_name": "TESTBANK", "last4": "3000", "routing_number": None},
    "US": {"account_type": "checking", "bank_name": "TEST BANK", "last4": "6789", "routing_number": "110000000"},
}


def write_cohort(builder: Builder, cohort: Cohort) -> None:
    """Write the payment sources of a cohort's customers."""
    year = year_of(builder.world.now)
    since = joined(cohort)
    for buyer in cohort.buyers:
        for method in wallet(buyer):
            if not method.older:
                continue
            created = since[buyer.key] + 60 + method.place
            if method.kind == "card":
                _card(builder, method, created, year)
            else:
                _bank_account(builder, method, created)


def _card(builder: Builder, method: Method, created: int, year: int) -> None:
    buyer, card = method.buyer, CARDS[method.code]
    address = place(buyer.where)
    month, years = method.expires
    builder.new(
        "card",
        method.key,
        created,
        customer=builder.id("customer", buyer.key),
        **{f"address_{field}": address[field] for field in ("city", "country", "line1", "state")},
        address_line1_check=_CHECKS[method.place % 3],
        address_zip=address["postal_code"],
        address_zip_check="pass" if address["postal_code"] else None,
        allow_redisplay=("unspecified", "limited", "always")[method.place % 3],
        brand=SOURCE_NAMES[card.brand],
        country=buyer.country,
        cvc_check=_CHECKS[(len(buyer.key) + method.place) % 4],
        exp_month=month,
        # One of a customer's older cards has run out.
        exp_year=year + years - (6 if method.place % 4 == 3 else 0),
        fingerprint=fingerprint(builder.world, method),
        funding=card.funding,
        last4=card.last4,
        name=buyer.name,
        regulated_status="regulated" if card.funding == "debit" else "unregulated",
        tokenization_method="apple_pay" if buyer.key == "lantern" else None,
    )


def _bank_account(builder: Builder, method: Method, created: int) -> None:
    buyer = method.buyer
    builder.new(
        "bank_account",
        method.key,
        created,
        **_BANKS["DE" if buyer.country == "DE" else "US"],
        customer=builder.id("customer", buyer.key),
        account_holder_name=buyer.name,
        account_holder_type="company",
        country=buyer.country,
        currency=buyer.currency,
        fingerprint=fingerprint(builder.world, method),
        status="verified" if method.place % 2 else "new",
    )
