"""Tables of the platform: countries with their rules, and exchange rates."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.datasets.money import RATES
from registry.sandbox.payments.datasets.parts import Hash, midnight
from registry.sandbox.payments.datasets.rows import file

_COUNTRIES: dict[str, list[list[str]]] = {
    country: [words.split() for words in row] for country, row in file("reference")["country"].items()
}
"""Currency, currencies of bank accounts, extra payment methods, fields asked of companies; in the order of the alphabet."""


def write(builder: Builder) -> None:
    """Write the dataset."""
    today = midnight(builder.world.now)
    asked = file("reference")["asked"]
    for place, (country, ((currency,), accounts, methods, more)) in enumerate(_COUNTRIES.items()):
        builder.new(
            "country_spec",
            country,
            place,
            id=country,
            default_currency=currency,
            supported_bank_account_currencies={one: _where(one) for one in accounts},
            supported_payment_currencies=sorted(RATES),
            supported_payment_methods=["card", *methods],
            supported_transfer_countries=list(_COUNTRIES),
            verification_fields={
                "company": _fields(*asked["company"].split(), *more),
                "individual": _fields(*asked["individual"].split()),
            },
        )
    for place, currency in enumerate(sorted(RATES)):
        rates = {other: round(RATES[currency] / RATES[other], 6) for other in sorted(RATES) if other != currency}
        builder.new("exchange_rate", currency, today - 60 + place, id=currency, rates=rates)


def _where(currency: str) -> list[str]:
    return [country for country, (own, *_) in _COUNTRIES.items() if own == [currency]]


def _fields(*names: str) -> Hash:
    return {"additional": ["tos_acceptance.date", "tos_acceptance.ip"], "minimum": sorted(names)}
