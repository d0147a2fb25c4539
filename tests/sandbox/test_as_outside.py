"""What clients notice besides the objects: credentials that fail, versions, headers, dates, operations that are missing."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

import httpx
import pytest

from registry.sandbox.checked_ports import CheckedPorts
from registry.sandbox.payments.service import SHAPES
from registry.sandbox.server import application

NOW, PORT = 1_780_000_000, 4321
PLACES = {
    "payments": "/payments/v1/quotes?limit=1",
    "incidents": "/incidents/teams?limit=1",
    "crm": "/crm/settings/v3/users/?limit=1",
}


@pytest.fixture(scope="module")
def door() -> CheckedPorts:
    return CheckedPorts(application(now=NOW), {PORT: ""})


async def ask(door: CheckedPorts, place: str, token: str = "sk_test_1", method: str = "GET", **headers: str) -> httpx.Response:
    base = f"http://127.0.0.1:{PORT}"
    async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url=base) as client:
        return await client.request(method, place, headers={"Authorization": f"Bearer {token}", **headers})


@pytest.mark.parametrize(
    ("service", "token", "status", "said"),
    [
        ("payments", "sk_test_unknown", 401, "Invalid API Key provided"),
        ("payments", "nonsense", 401, "Invalid API Key provided"),
        ("payments", "sk_live_expired_1", 401, "api_key_expired"),
        ("payments", "pk_test_1", 401, "secret_key_required"),
        ("payments", "rk_test_customer_read", 403, "rak_quote_read"),
        ("incidents", "unknown-1", 401, "2006"),
        ("incidents", "expired-1", 401, "2006"),
        ("incidents", "restricted-1", 403, "2010"),
        ("crm", "unknown-1", 401, "INVALID_AUTHENTICATION"),
        ("crm", "expired-1", 401, "EXPIRED_AUTHENTICATION"),
        ("crm", "restricted-1", 403, "MISSING_SCOPES"),
    ],
)
async def test_wrong_credentials_fail_in_the_services_own_words(
    door: CheckedPorts, service: str, token: str, status: int, said: str
) -> None:
    refused = await ask(door, PLACES[service], token)
    assert (refused.status_code, said in refused.text) == (status, True), refused.text
    assert (await ask(door, PLACES[service])).status_code == 200


async def test_a_key_of_the_other_mode(door: CheckedPorts) -> None:
    id_ = (await ask(door, PLACES["payments"])).json()["data"][0]["id"]
    refused = await ask(door, f"/payments/v1/quotes/{id_}", "sk_live_1")
    assert (refused.status_code, "a similar object exists in test mode" in refused.text) == (404, True)


async def test_one_version_is_spoken_and_others_are_noted(door: CheckedPorts) -> None:
    own = await ask(door, PLACES["payments"])
    assert (own.headers["stripe-version"], "sandbox-note" in own.headers) == (SHAPES, False)
    other = await ask(door, PLACES["payments"], **{"Stripe-Version": "2020-08-27"})
    assert (other.status_code, other.headers["stripe-version"]) == (200, SHAPES)
    assert SHAPES in other.headers["sandbox-note"]


async def test_what_answers_say_of_their_request(door: CheckedPorts) -> None:
    refused = await ask(door, "/payments/v1/quotes/qt_none", **{"Idempotency-Key": "once"})
    assert refused.json()["error"]["request_log_url"].endswith(refused.headers["request-id"])
    assert (refused.headers["idempotency-key"], refused.headers["stripe-should-retry"]) == ("once", "false")
    fine = await ask(door, PLACES["payments"])
    assert "stripe-should-retry" not in fine.headers
    assert "idempotency-key" not in fine.headers


@pytest.mark.parametrize("place", ["/payments/v1/topups", "/incidents/tags", "/crm/settings/v3/currencies"])
async def test_an_operation_that_is_missing_is_said_to_be(door: CheckedPorts, place: str) -> None:
    refused = await ask(door, place)
    assert refused.status_code == 404
    assert "The sandbox has the operations that the tools need; this is none of them" in refused.text


async def test_the_date_moves_with_the_clock() -> None:
    door = CheckedPorts(application(now=NOW), {PORT: ""})
    for moved in (0, 86_400):
        for place in (*PLACES.values(), "/sandbox/clock", "/nothing"):
            dates = (await ask(door, place)).headers.get_list("date")
            assert [parsedate_to_datetime(one).timestamp() for one in dates] == [NOW + moved], place
        async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url=f"http://127.0.0.1:{PORT}") as client:
            await client.post("/sandbox/clock", json={"advance": 86_400})
