"""What times and amounts mean, beside the number."""

import pytest

from registry.text.readings import money, reading
from tests.cases import cases_beside

CASES = cases_beside(__file__)

NOW = 1_763_000_000


@pytest.mark.parametrize(("key", "value", "currency", "told"), CASES["readings"])
def test_readings(key: str | None, value: str, currency: str | None, told: str) -> None:
    assert reading(key, value, {"currency": currency}.get, NOW) == told


def test_s4_amounts_of_currencies_without_parts_and_in_thousandths() -> None:
    amounts = (money(0, "usd"), money(5, "usd"), money(-5, "bhd"), money(12, "krw"))
    assert amounts == ("0.00 USD", "0.05 USD", "-0.005 BHD", "12 KRW")
    # Without parts for people, with two places for the service.
    assert (money(500_000, "ugx"), money(120_000, "isk"), money(1_050, "huf")) == ("5,000 UGX", "1,200 ISK", "10.50 HUF")
    assert (money(1_050, "twd"), money(500, "mga"), money(-50_000, "ugx")) == ("10.50 TWD", "500 MGA", "-500 UGX")
