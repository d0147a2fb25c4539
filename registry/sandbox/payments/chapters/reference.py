"""Tables of the platform: countries with their rules, and exchange rates."""

from __future__ import annotations

from registry.sandbox.payments.builder import Builder
from registry.sandbox.payments.chapters.money import RATES
from registry.sandbox.payments.chapters.parts import Hash, midnight

# country: currency, currencies of bank accounts, extra payment methods, fields asked of companies
_COUNTRIES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "AU": ("aud", ("aud",), ("au_becs_debit", "afterpay_clearpay"), ("company.tax_id",)),
    "BR": ("brl", ("brl",), ("boleto", "pix"), ("company.tax_id", "representative.political_exposure")),
    "CA": ("cad", ("cad", "usd"), ("acss_debit",), ("company.tax_id",)),
    "DE": ("eur", ("eur", "usd", "gbp"), ("sepa_debit", "giropay"), ("company.tax_id", "company.directors_provided")),
    "FR": ("eur", ("eur", "usd", "gbp"), ("sepa_debit", "cartes_bancaires"), ("company.tax_id", "company.directors_provided")),
    "GB": ("gbp", ("gbp", "eur", "usd"), ("bacs_debit",), ("company.registration_number", "company.directors_provided")),
    "IN": ("inr", ("inr",), ("upi",), ("company.tax_id", "representative.id_number")),
    "JP": ("jpy", ("jpy",), ("konbini", "customer_balance"),
           ("company.address_kana", "company.address_kanji", "company.name_kana")),
    "SG": ("sgd", ("sgd", "usd"), ("paynow", "grabpay"), ("company.tax_id",)),
    "US": ("usd", ("usd",), ("us_bank_account", "cashapp"), ("company.tax_id", "representative.ssn_last_4")),
}  # fmt: skip

_COMPANY = (
    "business_profile.mcc", "business_profile.url", "business_type", "company.address.line1", "company.name",
    "external_account",
)  # fmt: skip
_PERSON = (
    "business_profile.mcc", "business_type", "external_account", "individual.dob.day", "individual.first_name",
    "individual.last_name",
)  # fmt: skip


def write(builder: Builder) -> None:
    """Write the chapter."""
    today = midnight(builder.world.now)
    everywhere = sorted(_COUNTRIES)
    for place, country in enumerate(everywhere):
        currency, accounts, methods, asked = _COUNTRIES[country]
        builder.new(
            "country_spec",
            country,
            place,
            id=country,
            default_currency=currency,
            supported_bank_account_currencies={one: _where(one) for one in accounts},
            supported_payment_currencies=sorted(RATES),
            supported_payment_methods=["card", *methods],
            supported_transfer_countries=everywhere,
            verification_fields={
                "company": _fields((*_COMPANY, *asked)),
                "individual": _fields((*_PERSON, "individual.verification.document")),
            },
        )
    for place, currency in enumerate(sorted(RATES)):
        rates = {other: round(RATES[currency] / RATES[other], 6) for other in sorted(RATES) if other != currency}
        builder.new("exchange_rate", currency, today - 60 + place, id=currency, rates=rates)


def _where(currency: str) -> list[str]:
    return sorted(country for country, (own, *_) in _COUNTRIES.items() if own == currency)


def _fields(names: tuple[str, ...]) -> Hash:
    return {"additional": ["tos_acceptance.date", "tos_acceptance.ip"], "minimum": sorted(names)}
