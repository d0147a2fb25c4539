"""Small pieces that the datasets put together: dates, addresses, money, and hashes that look the same wherever they appear.

Amounts are whole numbers of a currency's smallest unit. The account settles in US dollars and euros; everything else is
converted into dollars, so that the sums of the balance can be checked against the charges.
"""

from datetime import UTC, datetime
from typing import Any

from registry.sandbox.payments.datasets.agreed import file
from registry.sandbox.payments.shapes import Builder

Hash = dict[str, Any]

PAY = "https://pay.fernway.example"

NOT_AUTOMATIC: Hash = {"disabled_reason": None, "enabled": False, "liability": None}
AUTOMATIC: Hash = {"enabled": True, "liability": {"type": "self"}, "provider": "stripe", "status": "complete"}


def midnight(moment: int) -> int:
    """The start of the moment's day in UTC."""
    return moment - moment % 86_400


def year_of(moment: int) -> int:
    """The calendar year in UTC."""
    return datetime.fromtimestamp(moment, UTC).year


def place(text: str) -> Hash:
    """A postal address from ``line1|city|state|postal code|country``; empty parts are null."""
    line1, city, state, postal_code, country = (part or None for part in text.split("|"))
    assert country is not None
    return {"city": city, "country": country, "line1": line1, "postal_code": postal_code, "state": state}


def tax_entry(amount: int, taxable: int, rate: str, *, inclusive: bool) -> Hash:
    """One tax on an invoice, an invoice line or a credit note."""
    return {
        "amount": amount,
        "tax_behavior": "inclusive" if inclusive else "exclusive",
        "tax_rate_details": {"tax_rate": rate},
        "taxable_amount": taxable,
        "type": "tax_rate_details",
    }


def to_authenticate(about: str) -> Hash:
    """The next action of a payment or setup intent: the customer authenticates at its own address."""
    way = {"return_url": f"{PAY}/return", "url": f"{PAY}/authenticate/{about}"}
    return {"redirect_to_url": way, "type": "redirect_to_url"}


RATES: dict[str, float] = file("reference")["rate"]
"""US dollars for one unit of the currency."""

_WHOLE_UNITS = frozenset({"clp", "jpy", "krw"})
_SETTLED = frozenset({"usd", "eur"})


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


def settle(amount: int, currency: str) -> tuple[int, str, float | None]:
    """An amount as it arrives on the balance, its currency, and the rate of its conversion if it was converted."""
    if currency in _SETTLED:
        return amount, currency, None
    rate = RATES[currency]
    return round(amount * rate * 100 / units(currency)), "usd", rate


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
