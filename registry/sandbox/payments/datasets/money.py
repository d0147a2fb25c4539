"""Money in this world: exchange rates, prices and fees; and the platform's tables of countries and rates.

Amounts are whole numbers of a currency's smallest unit. The account settles in US dollars and euros; everything else is
converted into dollars, so that the sums of the balance can be checked against the charges.
"""

from __future__ import annotations

from typing import NamedTuple

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.agreed import file
from registry.sandbox.payments.datasets.parts import midnight

RATES: dict[str, float] = file("reference")["rate"]
"""US dollars for one unit of the currency."""

_WHOLE_UNITS = frozenset({"clp", "jpy", "krw"})
_SETTLED = frozenset({"usd", "eur"})


class Settled(NamedTuple):
    """An amount as on the balance; `rate` is None without conversion."""

    amount: int
    currency: str
    rate: float | None


def units(currency: str) -> int:
    """How many of the smallest units make one of the currency."""
    return 1 if currency in _WHOLE_UNITS else 100


def local(cents: int, currency: str) -> int:
    """The list price in a currency of what costs so many US cents: a round figure of about the same worth."""
    if currency == "usd":
        return cents
    worth = cents / 100 / RATES[currency]
    step = 1.0 if worth >= 8 else 0.1
    while worth / step > 400:
        step *= 10
    return int(round(worth / step) * step * units(currency) + 0.5)


def settle(amount: int, currency: str) -> Settled:
    """An amount as it arrives on the balance."""
    if currency in _SETTLED:
        return Settled(amount, currency, None)
    rate = RATES[currency]
    return Settled(round(amount * rate * 100 / units(currency)), "usd", rate)


def share(amount: int, percent: float) -> int:
    """So many percent (in thousandths at the finest) of an amount, halves rounded away from zero."""
    thousandths = round(percent * 1_000)
    whole = (2 * abs(amount) * thousandths + 100_000) // 200_000
    return whole if amount >= 0 else -whole


def fee(settled: int, method: str, *, foreign: bool) -> int:
    """What is kept of a settled amount that was paid by a type of payment method."""
    match method:
        case "us_bank_account" | "customer_balance" | "acss_debit":
            return min(500, share(settled, 0.8))
        case "sepa_debit" | "bacs_debit" | "au_becs_debit" | "ideal":
            return min(600, 35 + share(settled, 0.5))
        case "card_present":
            return 5 + share(settled, 2.7)
        case _:
            return 30 + share(settled, 4.4 if foreign else 2.9)


def reference(builder: Builder) -> None:
    """Write the tables of countries with their rules, and of exchange rates."""
    held = file("reference")
    countries = {country: [words.split() for words in row] for country, row in held["country"].items()}
    own = {currency: [country for country, row in countries.items() if row[0] == [currency]] for currency in RATES}
    for place, (country, ((currency,), accounts, methods, more)) in enumerate(countries.items()):
        asked = {"company": held["asked"]["company"].split() + more, "individual": held["asked"]["individual"].split()}
        always = ["tos_acceptance.date", "tos_acceptance.ip"]
        builder.new(
            "country_spec",
            country,
            place,
            id=country,
            default_currency=currency,
            supported_bank_account_currencies={one: own[one] for one in accounts},
            supported_payment_currencies=sorted(RATES),
            supported_payment_methods=["card", *methods],
            supported_transfer_countries=list(countries),
            verification_fields={who: {"additional": always, "minimum": sorted(fields)} for who, fields in asked.items()},
        )
    for place, currency in enumerate(sorted(RATES)):
        rates = {other: round(RATES[currency] / RATES[other], 6) for other in sorted(RATES) if other != currency}
        builder.new("exchange_rate", currency, midnight(builder.world.now) - 60 + place, id=currency, rates=rates)
