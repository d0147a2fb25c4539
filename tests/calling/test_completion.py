"""What is offered for what is typed: codes by their names, zones by their cities, fields, times."""

from datetime import UTC, datetime

import pytest

from registry.calling.arguments import check
from registry.calling.completion import completes, completions
from registry.calling.scalars import countries, currencies
from registry.catalog.loader import load

TOOLS = load().tools
NOW = datetime(2026, 11, 21, 16, 22, 27, tzinfo=UTC).timestamp()


def offered(tool: str, name: str, typed: str, *before: str) -> list[tuple[str, str]]:
    parameter = TOOLS[tool].parameter(name)
    assert parameter is not None
    assert completes(parameter)
    return completions(TOOLS[tool], parameter, before, typed, NOW)


@pytest.mark.parametrize(
    ("tool", "name", "typed", "first"),
    [
        ("GetCountrySpecifications", "country_code", "de", ("DE", "Germany")),
        ("GetCountrySpecifications", "country_code", "germ", ("DE", "Germany")),
        ("GetCountrySpecifications", "country_code", "kingd", ("GB", "United Kingdom")),
        ("GetCountrySpecifications", "country_code", "TURKI", ("TR", "Türkiye")),
        ("GetDeprecatedExchangeRates", "currency_rate_id", "eu", ("eur", "Euro")),
        ("GetDeprecatedExchangeRates", "currency_rate_id", "yen", ("jpy", "Japanese Yen")),
        ("ListSchedules", "time_zone", "europe/berl", ("Europe/Berlin", "17:22 now · UTC+01:00")),
        ("ListSchedules", "time_zone", "kolkata", ("Asia/Kolkata", "21:52 now · UTC+05:30")),
        ("ListSchedules", "time_zone", "new york", ("America/New_York", "11:22 now · UTC-05:00")),
        ("ListCustomerPaymentSources", "filter_by_object_type", "ba", ("bank_account", "")),
        ("ListIncidents", "since", "yesterday 9:00 berl", ("yesterday 9:00 Europe/Berlin", "17:22 now · UTC+01:00")),
    ],
)
def test_the_best_offer(tool: str, name: str, typed: str, first: tuple[str, str]) -> None:
    assert offered(tool, name, typed)[0] == first


def test_nothing_is_offered_for_nothing_where_there_are_too_many() -> None:
    assert offered("GetCountrySpecifications", "country_code", "") == []
    assert offered("ListSchedules", "time_zone", "") == []
    assert offered("GetDeprecatedExchangeRates", "currency_rate_id", "qqq") == []
    assert [value for value, _ in offered("ListIncidents", "since", "")][:2] == ["now", "-24h"]
    assert offered("ListIncidents", "since", "soon ber") == []


def test_a_list_goes_on_behind_its_entries() -> None:
    first = [value for value, _ in offered("RetrievePaymentsChargeDetails", "fields_to_expand", "cust")]
    assert first[0] == "customer"
    further = [value for value, _ in offered("RetrievePaymentsChargeDetails", "fields_to_expand", "cust", "customer")]
    assert "customer" not in further
    assert "customer.default_source" in further


def test_every_code_is_one_that_is_taken() -> None:
    assert (len(countries()), len(currencies())) == (249, 155)
    for code in countries():
        assert check(TOOLS["GetCountrySpecifications"], {"country_code": code.lower()}).values == {"country_code": code}
    for code in currencies():
        assert check(TOOLS["GetDeprecatedExchangeRates"], {"currency_rate_id": code}).values == {"currency_rate_id": code}
    assert all(name.strip() == name and name for name in (*countries().values(), *currencies().values()))
