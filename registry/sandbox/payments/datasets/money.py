"""Money in this world: exchange rates, prices and fees.

Amounts are whole numbers of a currency's smallest unit. The account settles in US dollars and euros; everything else is
converted into dollars, so that the sums of the balance can be checked against the charges.
"""

from __future__ import annotations

from typing import NamedTuple

# US dollars for one unit of the currency.
RATES: dict[str, float] = {
    "usd": 1.0, "aed": 0.2723, "aud": 0.6582, "brl": 0.1843, "cad": 0.7214, "chf": 1.2375, "clp": 0.00105, "cny": 0.1404,
    "czk": 0.0481, "dkk": 0.1572, "eur": 1.1734, "gbp": 1.3441, "hkd": 0.1286, "ils": 0.2998, "inr": 0.01126,
    "jpy": 0.00678, "krw": 0.000711, "mxn": 0.0545, "nok": 0.1004, "nzd": 0.5792, "pln": 0.2752, "sek": 0.1063,
    "sgd": 0.7751, "thb": 0.0309, "try": 0.0241, "zar": 0.0580,
}  # fmt: skip

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
