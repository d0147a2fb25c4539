"""Cards and bank accounts: payment sources of customers, and where payouts go."""

from __future__ import annotations

from typing import Any

from registry.sandbox.cast import COMPANY
from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters import partners
from registry.sandbox.payments.chapters.cohort import Cohort, first
from registry.sandbox.payments.chapters.contracts import joined
from registry.sandbox.payments.chapters.methods import CARDS, Method, fingerprint, source_brand, wallet
from registry.sandbox.payments.chapters.parts import place, year_of
from registry.sandbox.world import DAY

LOOSE = ("till", "kiosk", "guest")
"""Cards that a token stands for and that no customer keeps."""


def write(builder: Builder) -> None:
    """Write the chapter."""
    write_cohort(builder, first(builder.world))
    now = builder.world.now
    year = year_of(now)
    for external in partners.OWN_EXTERNALS:
        _external(builder, external, "fernway", COMPANY, "US", "company", now - 900 * DAY, year)
    for partner in partners.PARTNERS:
        country = partner.where.rpartition("|")[2]
        holder = "individual" if partner.business == "individual" else "company"
        for external in partner.externals:
            made = now - (partner.days - 1) * DAY
            _external(builder, external, partner.key, partner.name, country, holder, made, year)
    for number, key in enumerate(LOOSE):
        builder.new(
            "card",
            f"token/{key}",
            now - (5 + number) * DAY,
            brand="Visa",
            country="US",
            cvc_check="unchecked",
            exp_month=8 + number,
            exp_year=year + 2,
            fingerprint=builder.world.token(f"fingerprint/token/{key}", 16),
            funding="credit",
            last4="4242",
        )


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
        address_city=address["city"],
        address_country=address["country"],
        address_line1=address["line1"],
        address_line1_check=("pass", "unchecked", "fail")[method.place % 3],
        address_state=address["state"],
        address_zip=address["postal_code"],
        address_zip_check="pass" if address["postal_code"] else None,
        allow_redisplay=("unspecified", "limited", "always")[method.place % 3],
        brand=source_brand(card.brand),
        country=buyer.country,
        cvc_check=("pass", "unchecked", "fail", "unavailable")[(len(buyer.key) + method.place) % 4],
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
    german = buyer.country == "DE"
    builder.new(
        "bank_account",
        method.key,
        created,
        customer=builder.id("customer", buyer.key),
        account_holder_name=buyer.name,
        account_holder_type="company",
        account_type=None if german else "checking",
        bank_name="TESTBANK" if german else "TEST BANK",
        country=buyer.country,
        currency=buyer.currency,
        fingerprint=fingerprint(builder.world, method),
        last4="3000" if german else "6789",
        routing_number=None if german else "110000000",
        status="verified" if method.place % 2 else "new",
    )


def _external(
    builder: Builder, external: partners.External, owner: str, name: str, country: str, holder: str, created: int, year: int
) -> None:
    nothing: dict[str, list[str]] = {"currently_due": [], "errors": [], "past_due": [], "pending_verification": []}
    common: dict[str, Any] = {
        "account": builder.id("account", owner),
        "country": "DE" if external.currency == "eur" and country in ("US", "GB") else country,
        "currency": external.currency,
        "default_for_currency": external.usual,
        "fingerprint": builder.world.token(f"fingerprint/{external.key}", 16),
        "last4": external.last4,
    }
    if external.brand:
        builder.new(
            "card",
            external.key,
            created,
            **common,
            available_payout_methods=["standard", "instant"],
            brand=source_brand(external.brand),
            cvc_check="pass",
            exp_month=11,
            exp_year=year + 2,
            funding="debit",
            name=name,
            regulated_status="regulated",
        )
        return
    builder.new(
        "bank_account",
        external.key,
        created,
        **common,
        account_holder_name=name,
        account_holder_type=holder,
        available_payout_methods=["standard", "instant"] if external.key == "kestrel/checking" else ["standard"],
        bank_name=external.bank,
        future_requirements=nothing,
        requirements=nothing | {"errors": _errors(external.status)},
        routing_number=external.routing,
        status=external.status,
    )


def _errors(status: str) -> list[Any]:
    if status not in ("errored", "verification_failed"):
        return []
    reason = "The bank account has been declined by the receiving bank."
    return [{"code": "invalid_value_other", "reason": reason, "requirement": "external_account"}]
