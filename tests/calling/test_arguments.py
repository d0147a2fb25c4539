"""Raw values in, checked arguments or errors in words out."""

from __future__ import annotations

from typing import Any

import pytest

from registry.calling.arguments import Arguments, check
from registry.catalog.loader import load

TOOLS = load().tools


def arguments(tool: str, **raw: Any) -> Arguments:
    return check(TOOLS[tool], raw)


def errors(tool: str, **raw: Any) -> list[str]:
    return [str(error) for error in arguments(tool, **raw).errors]


def test_everything_wrong_is_told_at_once() -> None:
    found = arguments("GetCustomerCards", card_retrieval_limit="500", fields_to_expand=[3], cards=1)
    assert [error.parameter for error in found.errors] == ["cards", "customer_id", "fields_to_expand", "card_retrieval_limit"]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("500", "`card_retrieval_limit` must be a whole number from 1 to 100; got 500"),
        (0, "`card_retrieval_limit` must be a whole number from 1 to 100; got 0"),
        ("ten", '`card_retrieval_limit` must be a whole number from 1 to 100; got "ten"'),
        (True, "`card_retrieval_limit` must be a whole number from 1 to 100; got true"),
        (10.0, "`card_retrieval_limit` must be a whole number from 1 to 100; got 10.0"),
        ("9" * 5000, "`card_retrieval_limit` must be a whole number from 1 to 100; got " + "9" * 57 + "…"),
        ("", "`card_retrieval_limit` cannot be empty; enter a value, or leave it not set"),
    ],
)
def test_whole_numbers(raw: object, message: str) -> None:
    assert errors("GetCustomerCards", customer_id="cus_1", card_retrieval_limit=raw) == [message]


def test_a_number_may_come_as_text() -> None:
    assert arguments("GetCustomerCards", customer_id="cus_1", card_retrieval_limit=" 25 ").values["card_retrieval_limit"] == 25


def test_unknown_names_are_refused_with_the_nearest() -> None:
    message = "`customer` is not a parameter of GetCustomerCards; did you mean `customer_id`?"
    assert errors("GetCustomerCards", customer_id="cus_1", customer="cus_1") == [message]
    assert errors("Whoami", user="x") == ["`user` is not a parameter of Whoami; its parameters: none"]


@pytest.mark.parametrize("raw", ["", ".", "..", "a\x00b", "a\nb", "\x1b[31m", "a\x7f", "a\x85b", "\ud800", " . "])
def test_ids_that_are_refused(raw: str) -> None:
    assert [error.parameter for error in arguments("GetCustomerCards", customer_id=raw).errors] == ["customer_id"]


@pytest.mark.parametrize("raw", [7, ["cus_1"], {"id": "cus_1"}, True])
def test_ids_are_text(raw: object) -> None:
    assert errors("GetCustomerCards", customer_id=raw)[0].startswith("`customer_id` must be text; got ")


def test_three_states() -> None:
    assert "domain_name_filter" not in arguments("ListWalletPayDomains").values
    assert "domain_name_filter" not in arguments("ListWalletPayDomains", domain_name_filter="").values
    update = arguments("UpdateCrmUserInfo", user_identifier="7", first_name="", additional_teams_ids=[])
    assert update.errors == ()
    assert (update.values["first_name"], update.values["additional_teams_ids"]) == ("", ())
    assert "last_name" not in update.values
    assert errors("UpdateCrmUserInfo", user_identifier="7", user_role_id="") == [
        "`user_role_id` cannot be empty; enter a value, or leave it not set"
    ]
    assert errors("ListIncidents", team_ids=[]) == ["`team_ids` cannot be an empty list; add an item, or leave it not set"]


def test_null_from_json_counts_as_not_given() -> None:
    assert arguments("ListIncidents", status=None, team_ids=None) == Arguments()


def test_choices() -> None:
    assert arguments("GetTerminalReaders", filter_by_device_type="verifone_P400").values == {
        "filter_by_device_type": "vendorB_P400"
    }
    assert arguments("ListIncidents", status="Triggered").values == {"status": "triggered"}
    assert errors("ListIncidents", status="trigered") == [
        '`status` must be triggered, acknowledged or resolved; got "trigered"; did you mean triggered?'
    ]
    assert errors("GetBillingAlerts", filter_by_alert_type="x") == ['`filter_by_alert_type` must be usage_threshold; got "x"']


def test_yes_and_no() -> None:
    for raw, value in (("true", True), ("No", False), (True, True), (False, False)):
        assert arguments("ListLogEntries", is_overview=raw).values == {"is_overview": value}
    assert errors("ListLogEntries", is_overview=1) == ["`is_overview` must be true or false; got 1"]


def test_lists() -> None:
    assert arguments("ListIncidents", team_ids="A, B\nC").values == {"team_ids": ("A", "B", "C")}
    assert arguments("ListIncidents", team_ids=["A"]).values == {"team_ids": ("A",)}
    assert errors("ListIncidents", team_ids=["A", ""]) == ["`team_ids` has an empty entry; remove it"]
    assert errors("ListIncidents", team_ids=[1]) == ["`team_ids` must be a list of strings; got [1]"]
    assert errors("ListIncidents", team_ids=" , ") == ["`team_ids` cannot be an empty list; add an item, or leave it not set"]


def test_expand() -> None:
    assert arguments("RetrieveCustomerDetails", customer_id="c", expand_response_fields=["default_source"]).errors == ()
    assert errors("RetrieveCustomerDetails", customer_id="c", expand_response_fields=["a.b.c.d.e"]) == [
        '`expand_response_fields` can expand at most 4 levels deep; got "a.b.c.d.e"'
    ]
    assert errors("GetChargeRefunds", charge_id="c", fields_to_expand=["charge"]) == [
        "`fields_to_expand` expands fields of list items, which start with `data.`; write `data.charge`"
    ]
    assert errors("SearchPaymentsCustomers", search_query_string="email:null", expand_response_fields=["total_count"]) == [
        "`expand_response_fields` expands fields of list items, which start with `data.`; write `data.total_count`"
    ]


def test_both_cursors_together() -> None:
    found = errors("GetChargeRefunds", charge_id="c", pagination_ending_before="a", pagination_starting_after="b")
    assert found == ["`pagination_starting_after` cannot be combined with `pagination_ending_before`; set only one of them"]


@pytest.mark.parametrize(
    ("raw", "sent"),
    [
        ("2026-03-01T09:00Z", "2026-03-01T09:00:00Z"),
        ("2026-03-01T10:00+01:00", "2026-03-01T09:00:00Z"),
        ("2026-03-01 09:00 UTC", "2026-03-01T09:00:00Z"),
        ("2026-03-01", "2026-03-01T00:00:00Z"),
        ("20260301T090000Z", "2026-03-01T09:00:00Z"),
        ("2026-03-01t09:00z", "2026-03-01T09:00:00Z"),
    ],
)
def test_times_are_sent_in_utc(raw: str, sent: str) -> None:
    assert arguments("ListIncidents", since=raw).values == {"since": sent}


@pytest.mark.parametrize("raw", ["someday", "2026-13-01", "9:0", "0000-01-01T00:00+23:59", "2026-03-01T25:00Z"])
def test_times_that_are_none(raw: str) -> None:
    assert errors("ListIncidents", since=raw)[0].startswith("`since` must be a time such as ")


def test_windows() -> None:
    assert errors("ListIncidents", since="2026-03-02", until="2026-03-01") == [
        "`until` must be later than `since` (2026-03-02T00:00:00Z); got 2026-03-01T00:00:00Z"
    ]
    assert errors("ListIncidents", since="2026-01-01", until="2026-09-01") == [
        "`until` must be within six months of `since`; split the period into several calls"
    ]
    assert errors("ListLogEntries", since="2026-01-01", until="2026-09-01") == []


def test_depth_of_an_offset_list() -> None:
    assert errors("ListUsers", offset=9_960, limit=50)[0].startswith("`offset` plus limit must not exceed 10000")
    assert errors("ListUsers", offset=9_990) == []
    assert errors("ListUsers", offset=-1) == ["`offset` must be a whole number of 0 or more; got -1"]


@pytest.mark.parametrize(
    ("start", "stop", "grouping", "wrong"),
    [
        (1_767_225_600, 1_767_229_200, None, []),
        (1_767_225_601, 1_767_229_200, None, ["start_time_timestamp"]),
        (1_767_225_660, 1_767_229_200, "hour", ["start_time_timestamp"]),
        (1_767_225_600, 1_767_229_200, "hour", []),
        (1_767_225_600, 1_767_229_200, "day", ["stop_aggregating_until"]),
        (1_767_225_600, 1_767_312_000, "day", []),
        (1_767_225_600, 1_767_225_600, None, ["stop_aggregating_until"]),
        (1_767_225_601, 1_767_225_600, "hours", ["granularity_for_event_summaries"]),
    ],
)
def test_meter_summaries(start: int, stop: int, grouping: str | None, wrong: list[str]) -> None:
    raw: dict[str, Any] = {"customer_id": "c", "meter_id": "m", "start_time_timestamp": start, "stop_aggregating_until": stop}
    if grouping:
        raw["granularity_for_event_summaries"] = grouping
    assert [error.parameter for error in arguments("GetBillingMeterEventSummaries", **raw).errors] == wrong


def test_zones_countries_currencies_and_addresses() -> None:
    assert arguments("ListSchedules", time_zone="europe/BERLIN").values == {"time_zone": "Europe/Berlin"}
    assert "did you mean Europe/Berlin" in errors("ListSchedules", time_zone="Europe/Berln")[0]
    assert errors("ListSchedules", time_zone="../etc/passwd")[0].startswith("`time_zone` must be an IANA time zone")
    assert arguments("GetCountrySpecifications", country_code="de").values == {"country_code": "DE"}
    for wrong in ("XX", "DEU", "d", "D1"):
        assert "two-letter country code" in errors("GetCountrySpecifications", country_code=wrong)[0]
    assert arguments("GetDeprecatedExchangeRates", currency_rate_id="EUR").values == {"currency_rate_id": "eur"}
    assert "three-letter currency code" in errors("GetDeprecatedExchangeRates", currency_rate_id="euro")[0]
    assert "must be an email address" in errors("CreateCrmUser", user_email="ada")[0]


def test_an_identifier_and_what_it_is() -> None:
    assert arguments("RemoveCrmUser", user_identifier="ada@x.example").values["user_identifier_property"] == "EMAIL"
    assert "user_identifier_property" not in arguments("RemoveCrmUser", user_identifier="7").values
    assert errors("RetrieveCrmUserById", user_identifier="ada@x.example", user_identifier_property="USER_ID") == [
        "`user_identifier` is an email address; set `user_identifier_property` to EMAIL, or enter the user's id"
    ]
    assert errors("RetrieveCrmUserById", user_identifier="ada@x.example", user_identifier_property="EMAIL") == []
    assert errors("RetrieveCrmUserById", user_identifier="7", user_identifier_property="EMAIL") == [
        "`user_identifier` is not an email address; enter one, or set `user_identifier_property` to USER_ID"
    ]
