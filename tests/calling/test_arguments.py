"""Raw values in, checked arguments or errors in words out; and what is offered for what is typed."""

from datetime import UTC, datetime
from typing import Any

import pytest

from registry.calling.arguments import Arguments, check
from registry.calling.scalars import countries, currencies
from registry.calling.search_queries import completes, completions
from registry.catalog.loader import load
from tests.cases import cases_beside

CASES = cases_beside(__file__)

TOOLS = load().tools


def arguments(tool: str, **raw: Any) -> Arguments:
    return check(TOOLS[tool], raw)


def errors(tool: str, **raw: Any) -> list[str]:
    return [str(error) for error in arguments(tool, **raw).errors]


def test_everything_wrong_is_told_at_once() -> None:
    found = arguments("GetCustomerCards", card_retrieval_limit="500", fields_to_expand=[3], cards=1)
    assert [error.parameter for error in found.errors] == ["cards", "customer_id", "fields_to_expand", "card_retrieval_limit"]


WHOLE = "`card_retrieval_limit` must be a whole number from 1 to 100; got "
LEFT_EMPTY = "cannot be empty; enter a value, or leave it not set"
NO_ITEMS = "`team_ids` cannot be an empty list; add an item, or leave it not set"
WRONG: list[tuple[str, dict[str, Any], str]] = [
    *(("GetCustomerCards", {"customer_id": raw}, "`customer_id` must be text; got ") for raw in (7, ["cus_1"], True)),
    *(("GetCustomerCards", {"customer_id": raw}, "`customer_id` ") for raw in ("", "..", " . ", "a\x00b", "a\nb", "\ud800")),
    *(
        ("ListIncidents", {"since": raw}, "`since` must be a time such as ")
        for raw in ("someday", "2026-13-01", "9:0", "0000-01-01T00:00+23:59", "2026-03-01T25:00Z")
    ),
    *(
        ("GetCustomerCards", {"customer_id": "cus_1", "card_retrieval_limit": raw}, WHOLE + shown)
        for raw, shown in (("500", "500"), (0, "0"), ("ten", '"ten"'), (True, "true"), ("9" * 5000, "9" * 57 + "…"))
    ),
    ("GetCustomerCards", {"customer_id": "cus_1", "card_retrieval_limit": ""}, f"`card_retrieval_limit` {LEFT_EMPTY}"),
    (
        "GetCustomerCards",
        {"customer_id": "cus_1", "customer": "cus_1"},
        "`customer` is not a parameter of GetCustomerCards; did you mean `customer_id`?",
    ),
    ("Whoami", {"user": "x"}, "`user` is not a parameter of Whoami; its parameters: none"),
    ("UpdateCrmUserInfo", {"user_identifier": "7", "user_role_id": ""}, f"`user_role_id` {LEFT_EMPTY}"),
    ("ListIncidents", {"team_ids": []}, NO_ITEMS),
    ("ListIncidents", {"team_ids": " , "}, NO_ITEMS),
    ("ListIncidents", {"team_ids": ["A", ""]}, "`team_ids` has an empty entry; remove it"),
    ("ListIncidents", {"team_ids": [1]}, "`team_ids` must be a list of strings; got [1]"),
    (
        "ListIncidents",
        {"status": "trigered"},
        '`status` must be triggered, acknowledged or resolved; got "trigered"; did you mean triggered?',
    ),
    ("GetBillingAlerts", {"filter_by_alert_type": "x"}, '`filter_by_alert_type` must be usage_threshold; got "x"'),
    ("ListLogEntries", {"is_overview": 1}, "`is_overview` must be true or false; got 1"),
    (
        "RetrieveCustomerDetails",
        {"customer_id": "c", "expand_response_fields": ["a.b.c.d.e"]},
        '`expand_response_fields` can expand at most 4 levels deep; got "a.b.c.d.e"',
    ),
    (
        "GetChargeRefunds",
        {"charge_id": "c", "fields_to_expand": ["charge"]},
        "`fields_to_expand` expands fields of list items, which start with `data.`; write `data.charge`",
    ),
    (
        "GetChargeRefunds",
        {"charge_id": "c", "pagination_ending_before": "a", "pagination_starting_after": "b"},
        "`pagination_starting_after` cannot be combined with `pagination_ending_before`; set only one of them",
    ),
    (
        "ListIncidents",
        {"since": "2026-03-02", "until": "2026-03-01"},
        "`until` must be later than `since` (2026-03-02T00:00:00Z); got 2026-03-01T00:00:00Z",
    ),
    ("ListUsers", {"offset": 9_960, "limit": 50}, "`offset` plus limit must not exceed 10000"),
    ("ListSchedules", {"time_zone": "Europe/Berln"}, "`time_zone` must be an IANA time zone"),
    *(
        ("GetCountrySpecifications", {"country_code": wrong}, "`country_code` must be a two-letter country code")
        for wrong in ("XX", "DEU", "d", "D1")
    ),
    ("GetDeprecatedExchangeRates", {"currency_rate_id": "euro"}, "`currency_rate_id` must be a three-letter currency code"),
    ("CreateCrmUser", {"user_email": "ada"}, "`user_email` must be an email address"),
    (
        "RetrieveCrmUserById",
        {"user_identifier": "ada@x.example", "user_identifier_property": "USER_ID"},
        "`user_identifier` is an email address; set `user_identifier_property` to EMAIL, or enter the user's id",
    ),
    (
        "RetrieveCrmUserById",
        {"user_identifier": "7", "user_identifier_property": "EMAIL"},
        "`user_identifier` is not an email address; enter one, or set `user_identifier_property` to USER_ID",
    ),
]


@pytest.mark.parametrize(("tool", "raw", "message"), WRONG)
def test_what_is_wrong_is_told_with_its_rule(tool: str, raw: dict[str, Any], message: str) -> None:
    (told,) = errors(tool, **raw)
    assert told.startswith(message)


TAKEN: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "GetCustomerCards",
        {"customer_id": "c", "card_retrieval_limit": " 25 "},
        {"customer_id": "c", "card_retrieval_limit": 25},
    ),
    ("ListWalletPayDomains", {"domain_name_filter": ""}, {}),
    (
        "UpdateCrmUserInfo",
        {"user_identifier": "7", "first_name": "", "additional_teams_ids": []},
        {"user_identifier": "7", "first_name": "", "additional_teams_ids": ()},
    ),
    ("ListIncidents", {"status": None, "team_ids": None}, {}),
    ("ListIncidents", {"status": "Triggered"}, {"status": "triggered"}),
    ("ListIncidents", {"team_ids": "A, B\nC"}, {"team_ids": ("A", "B", "C")}),
    ("ListIncidents", {"team_ids": ["A"]}, {"team_ids": ("A",)}),
    ("ListLogEntries", {"since": "2026-01-01", "until": "2026-09-01"}, {"until": "2026-09-01T00:00:00Z"}),
    *(
        ("ListLogEntries", {"is_overview": raw}, {"is_overview": value})
        for raw, value in (("true", True), ("No", False), (True, True), (False, False))
    ),
    *(
        ("ListLogEntries", {"since": raw}, {"since": "2026-03-01T09:00:00Z"})
        for raw in ("2026-03-01T10:00+01:00", "2026-03-01 09:00 UTC", "20260301T090000Z", "2026-03-01t09:00z")
    ),
    ("GetTerminalReaders", {"filter_by_device_type": "verifone_P400"}, {"filter_by_device_type": "vendorB_P400"}),
    ("ListUsers", {"offset": 9_990}, {"offset": 9_990}),
    ("ListSchedules", {"time_zone": "europe/BERLIN"}, {"time_zone": "Europe/Berlin"}),
    ("GetCountrySpecifications", {"country_code": "de"}, {"country_code": "DE"}),
    ("GetDeprecatedExchangeRates", {"currency_rate_id": "EUR"}, {"currency_rate_id": "eur"}),
    ("RemoveCrmUser", {"user_identifier": "ada@x.example"}, {"user_identifier_property": "EMAIL"}),
    ("RemoveCrmUser", {"user_identifier": "7"}, {"user_identifier": "7"}),
]


@pytest.mark.parametrize(("tool", "raw", "values"), TAKEN)
def test_what_is_taken(tool: str, raw: dict[str, Any], values: dict[str, Any]) -> None:
    found = arguments(tool, **raw)
    assert found.errors == ()
    assert {name: found.values.get(name) for name in values} == values
    assert found.values.keys() - values.keys() <= {name for name, value in raw.items() if value not in ("", None)}


@pytest.mark.parametrize(("start", "stop", "grouping", "wrong"), CASES["meter summaries"])
def test_meter_summaries(start: int, stop: int, grouping: str | None, wrong: list[str]) -> None:
    raw: dict[str, Any] = {"customer_id": "c", "meter_id": "m", "start_time_timestamp": start, "stop_aggregating_until": stop}
    if grouping:
        raw["granularity_for_event_summaries"] = grouping
    assert [error.parameter for error in arguments("GetBillingMeterEventSummaries", **raw).errors] == wrong


NOW = datetime(2026, 11, 21, 16, 22, 27, tzinfo=UTC).timestamp()


def offered(tool: str, name: str, typed: str, *before: str) -> list[tuple[str, str]]:
    parameter = TOOLS[tool].parameter(name)
    assert parameter is not None
    assert completes(parameter)
    return completions(TOOLS[tool], parameter, before, typed, NOW)


@pytest.mark.parametrize(("tool", "name", "typed", "first"), CASES["the best offer"])
def test_the_best_offer(tool: str, name: str, typed: str, first: list[str]) -> None:
    assert [*offered(tool, name, typed)[0]] == first


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
