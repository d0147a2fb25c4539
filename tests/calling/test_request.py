"""Arguments in, the exact request out."""

import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from registry.accounts.connection import Endpoint, connections, sandbox
from registry.calling.arguments import check
from registry.calling.request import build, plan, preview
from registry.calling.sending import opening
from registry.catalog.loader import load
from registry.catalog.model import Parameter
from registry.json_text import NULL

TOOLS = load().tools


def endpoint(toolkit: str) -> Endpoint:
    return sandbox().endpoint(toolkit)


def url(name: str, **raw: Any) -> str:
    tool = TOOLS[name]
    return plan(tool, check(tool, raw)).url(endpoint(tool.toolkit)).removeprefix("http://sandbox.callboard")


def test_query_values() -> None:
    assert url("GetCustomerCards", customer_id="cus_1", fields_to_expand=["data.a", "data.b"]) == (
        "/payments/v1/customers/cus_1/cards?expand%5B%5D=data.a&expand%5B%5D=data.b&limit=10"
    )
    assert url("GetTerminalReaders", filter_by_device_type="vendorB_P400") == (
        "/payments/v1/terminal/readers?device_type=verifone_P400&limit=10"
    )
    assert url("GetExchangeRates") == "/payments/v1/exchange_rates"
    assert url("GetPaymentsPaymentLinks", include_active_payment_links="no").endswith("limit=10&active=false")
    assert url("ListIncidents", status="triggered", team_ids=["A", "B"]) == (
        "/incidents/incidents?statuses%5B%5D=triggered&team_ids%5B%5D=A&team_ids%5B%5D=B&limit=10"
    )
    assert url("ListLogEntries") == "/incidents/log_entries?is_overview=true&limit=10"
    assert url("Whoami") == (
        "/incidents/users/me?include%5B%5D=contact_methods&include%5B%5D=notification_rules&include%5B%5D=teams"
    )


@pytest.mark.parametrize(("raw", "sent"), [(NULL, None), ("null", "none"), ("b", "B")])
def test_null_is_no_value_of_an_enum(raw: object, sent: str | None) -> None:
    kind = Parameter(
        type="string", name="kind", place="body", wire_name="k", nullable=True, enum=("null", "b"), wire_enum=("none", "B")
    )
    tool = replace(TOOLS["CreateCrmUser"], parameters=(kind,))
    body = plan(tool, check(tool, {"kind": raw})).body
    assert body is not None
    assert json.loads(body.text()) == {"k": sent}


@pytest.mark.parametrize(
    "identifier",
    ["cus/../../v1/balance", "..%2f..", "a?b=c", "a#b", "a;b", "a\\b", "%2e%2e", "...", "é 東京", "a@b+c.example", "//x"],
)
def test_no_id_reaches_another_path(identifier: str) -> None:
    tool = TOOLS["GetCustomerCards"]
    request = build(plan(tool, check(tool, {"customer_id": identifier})), endpoint(tool.toolkit))
    segments = request.url.raw_path.decode().partition("?")[0].split("/")
    assert len(segments) == 6
    assert segments[:4] + segments[5:] == ["", "payments", "v1", "customers", "cards"]
    assert request.url.path.split("/customers/")[1].removesuffix("/cards") == identifier


def test_what_is_shown_is_what_is_sent() -> None:
    for tool in TOOLS.values():
        raw = {parameter.name: _some_value(parameter) for parameter in tool.parameters if parameter.role not in _LEFT_OUT}
        arguments = check(tool, raw)
        assert arguments.errors == (), tool.name
        planned = plan(tool, arguments)
        request = build(planned, endpoint(tool.toolkit))
        shown = preview(planned, endpoint(tool.toolkit))
        assert str(request.url) == shown.url
        assert request.method == shown.method == tool.method
        assert set(shown.headers) - {"Content-Type"} == {"User-Agent", "Accept", "Authorization"}
        assert "{" not in urlsplit(shown.url).path
        if tool.effect == "delete":
            assert (request.content, shown.body, request.headers.get("content-length", "0")) == (b"", None, "0")
            assert not {"content-type", "transfer-encoding"} & set(request.headers)


@pytest.mark.parametrize(
    ("account", "name", "raw", "expected"),
    [
        ("payments", "DownloadQuotePdf", {"quote_id": "qt_1"}, "https://files.stripe.com/v1/quotes/qt_1/pdf"),
        ("crm", "FetchCrmUsersList", {}, "https://api.hubapi.com/settings/users/v3/"),
        ("crm", "GetAccountRoles", {}, "https://api.hubapi.com/settings/users/v3/roles"),
    ],
)
def test_other_hosts_and_moved_paths(account: str, name: str, raw: dict[str, str], expected: str) -> None:
    environment = {"PAYMENTS_API_KEY": "sk_live_1", "CRM_ACCESS_TOKEN": "t", "CRM_USERS_PATH": "/settings/users/v3"}
    tool = TOOLS[name]
    assert plan(tool, check(tool, raw)).url(connections(environment)[account].endpoint(tool.toolkit)) == expected


_LEFT_OUT = ("secret", "cursor_before")  # shown masked; cannot go together with the other cursor
_BY_NAME = {
    "user_identifier": "7",
    "since": "2026-03-01",
    "until": "2026-03-02",
    "start_time_timestamp": "1767225600",
    "stop_aggregating_until": "1767312000",
    "user_identifier_property": "USER_ID",
}
_BY_FORMAT = {
    "token": "some-thing/ü?",
    "domain": "shop.example",
    "digits": "7",
    "time-zone": "Europe/Berlin",
    "country": "DE",
    "currency": "eur",
    "email": "a@b.example",
}
_BY_TYPE = {"integer": "7", "boolean": "true", "array": ["data.x"], "string": "some thing/ü?"}


def _some_value(parameter: Parameter) -> object:
    if parameter.name in _BY_NAME:
        return _BY_NAME[parameter.name]
    if parameter.enum:
        return parameter.enum[0]
    if parameter.role == "query":
        return 'metadata["some"]:"thing/ü?"'
    return _BY_FORMAT.get(parameter.format or "") or _BY_TYPE[parameter.type]


def test_a_body() -> None:
    tool = TOOLS["UpdateCrmUserInfo"]
    arguments = check(tool, {"user_identifier": "7", "first_name": "", "additional_teams_ids": [], "user_role_id": "3"})
    request = build(plan(tool, arguments), endpoint("CrmUsersApi"))
    assert str(request.url).endswith("/crm/settings/v3/users/7?idProperty=USER_ID")
    assert json.loads(request.content) == {"secondaryTeamIds": [], "firstName": "", "roleId": "3"}
    assert request.headers["content-type"] == "application/json"


def test_no_welcome_email_unless_it_was_asked_for() -> None:
    tool = TOOLS["CreateCrmUser"]
    for given, sent in (({}, False), ({"send_welcome_email": True}, True)):
        body = plan(tool, check(tool, {"user_email": "a@b.example", **given})).body
        assert body is not None
        assert body.members == {"email": "a@b.example", "sendWelcomeEmail": sent}


def test_what_is_missing_is_shown_by_its_name() -> None:
    tool = TOOLS["GetCustomerCards"]
    assert plan(tool, check(tool, {})).path == "/v1/customers/{customer}/cards"


def test_the_opening_request_of_composed_tools() -> None:
    tool = TOOLS["ListOncalls"]
    assert opening(tool, check(tool, {"team_ids": ["A"]})).path == "/escalation_policies"
    assert opening(tool, check(tool, {})).query == (("limit", "10"),)
    assert opening(tool, check(tool, {"since": "2026-03-01", "limit": 5})).query[1:] == (("limit", "100"), ("offset", "0"))


@pytest.mark.parametrize(
    ("name", "accept"),
    [
        ("ListIncidents", "application/vnd.pagerduty+json;version=2"),
        ("FetchCrmUsersList", "application/json"),
        ("GetExchangeRates", "application/json"),
    ],
)
def test_each_service_is_asked_for_its_own_version_of_json(name: str, accept: str) -> None:
    tool = TOOLS[name]
    assert build(plan(tool, check(tool, {})), endpoint(tool.toolkit)).headers.get_list("accept") == [accept]
