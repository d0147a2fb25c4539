"""What times and amounts mean, beside the number."""

import pytest

from registry.text.readings import money, reading

NOW = 1_763_000_000


@pytest.mark.parametrize(
    ("key", "value", "currency", "told"),
    [
        ('"created"', "1755000000", None, "12 Aug 2025 12:00 UTC, 3 months ago"),
        ('"created"', "1763000000", None, "13 Nov 2025 02:13 UTC, now"),
        ('"created"', "12", None, ""),
        ('"last4"', "1755000000", None, ""),
        ('"created_at"', '"2025-11-13T02:13:20Z"', None, "now"),
        ('"at"', '"2025-11-13T03:13:20+02:00"', None, "1 hour ago"),
        ('"at"', '"2025-02-30T00:00:00Z"', None, ""),
        ('"amount"', "4200", "usd", "42.00 USD"),
        ('"amount_refunded"', "-4205", "eur", "-42.05 EUR"),
        ('"unit_amount"', "500", "jpy", "500 JPY"),
        ('"total"', "1500", "kwd", "1.500 KWD"),
        ('"balance"', "123456789", "chf", "1,234,567.89 CHF"),
        ('"effective_at"', "1763000090", None, "13 Nov 2025 02:14 UTC, in 1 minute"),
        ('"amount"', "4200", None, ""),
        ('"amount"', "42.5", "usd", ""),
        ('"count"', "4200", "usd", ""),
        (None, "4200", "usd", ""),
    ],
)
def test_readings(key: str | None, value: str, currency: str | None, told: str) -> None:
    assert reading(key, value, {"currency": currency}.get, NOW) == told


def test_s4_amounts_of_currencies_without_parts_and_in_thousandths() -> None:
    amounts = (money(0, "usd"), money(5, "usd"), money(-5, "bhd"), money(12, "krw"))
    assert amounts == ("0.00 USD", "0.05 USD", "-0.005 BHD", "12 KRW")
    # Without parts for people, with two places for the service.
    assert (money(500_000, "ugx"), money(120_000, "isk"), money(1_050, "huf")) == ("5,000 UGX", "1,200 ISK", "10.50 HUF")
    assert (money(1_050, "twd"), money(500, "mga"), money(-50_000, "ugx")) == ("10.50 TWD", "500 MGA", "-500 UGX")
