"""The official client of the incident service reads the sandbox over a real socket.

The client refuses any base URL that is not https, and the sandbox speaks plain http on the loopback interface. Its transport
therefore does what a proxy that ends TLS does: it sends the request on in the clear and says so in ``X-Forwarded-Proto``.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pagerduty
import pytest

from registry.sandbox.server import application
from tests.sandbox.serving import served

NOW = 1764555240
PARTS = ["acknowledgers", "assignees", "services", "teams", "users"]


class EndOfTls(httpx2.HTTPTransport):
    """Sends https requests on as http."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = request.url.copy_with(scheme="http")
        request.headers["X-Forwarded-Proto"] = "https"
        return super().handle_request(request)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(application(seed=1, now=NOW, strict_keys=True)) as found:
        yield f"{found.replace('http://', 'https://')}/incidents"


def connected(address: str, token: str = "sandbox", **options: Any) -> pagerduty.RestApiV2Client:
    return pagerduty.RestApiV2Client(token, base_url=address, transport=EndOfTls(), **options)


@pytest.fixture
def vendor(address: str) -> Iterator[pagerduty.RestApiV2Client]:
    with connected(address) as client:
        yield client


@pytest.mark.parametrize("name", ["users", "teams", "services", "schedules", "escalation_policies", "oncalls", "log_entries"])
def test_lists_page_by_themselves(vendor: pagerduty.RestApiV2Client, name: str) -> None:
    small = list(vendor.iter_all(name, page_size=7 if name != "log_entries" else 50))
    assert small == vendor.list_all(name) == list(vendor.iter_all(name, total=True))
    assert len(small) == vendor.get_total(name) > 5


def test_incidents(vendor: pagerduty.RestApiV2Client) -> None:
    every = vendor.list_all("incidents", params={"date_range": "all", "include": PARTS})
    assert len(every) == vendor.get_total("incidents", params={"date_range": "all"}) > 55
    open_ = vendor.list_all("incidents", params={"date_range": "all", "statuses": ["triggered", "acknowledged"]})
    assert [one["id"] for one in open_] == [one["id"] for one in every if one["status"] != "resolved"]
    until = datetime.fromtimestamp(NOW, UTC)
    history = list(vendor.iter_history("/incidents", until - timedelta(days=150), until))
    assert {one["id"] for one in history} < {one["id"] for one in every}
    assert vendor.rget(open_[0]) == vendor.rget(open_[0]["self"]) == vendor.rget(f"/incidents/{open_[0]['incident_number']}")


def test_who_am_i(vendor: pagerduty.RestApiV2Client, address: str) -> None:
    assert vendor.rget("/users/me")["email"] == "sam.ode@fernway.example"
    assert vendor.api_key_access == "user"
    with connected(address, "account-sandbox") as account:
        assert account.api_key_access == "account"
    with connected(address, "pdus+_sandbox", auth_type="bearer") as bearer:
        assert bearer.rget("/users/me")["name"] == "Sam Ode"
    for token in ("user-token", "sandbox-1", "expired-sandbox"):  # the sandbox is strict
        with connected(address, token) as wrong, pytest.raises(pagerduty.HttpError, match="401"):
            wrong.rget("/users/me")


def test_plain_http_on_loopback(address: str) -> None:
    headers = {"Authorization": "Token token=sandbox"}
    plain = address.replace("https:", "http:")
    answer = httpx2.get(f"{plain}/users/me", headers=headers).json()
    assert answer["user"]["self"] == f"{plain}/users/{answer['user']['id']}"
    with pytest.raises(pagerduty.UrlError):
        pagerduty.RestApiV2Client("abc", base_url=plain)
