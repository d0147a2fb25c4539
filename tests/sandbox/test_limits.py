"""Rate limits: what every response tells, who is counted together, and what happens beyond the limit."""

from __future__ import annotations

import httpx
import pytest

from registry.sandbox.server import application

NOW = 1764555240
PAYMENTS, FILES = "/payments/v1/products/none", "/files/v1/quotes/none/pdf"
INCIDENTS, CRM = "/incidents/users/nobody", "/crm/settings/v3/users/roles"
REFUSED = 429


class Watch:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def api(watch: Watch, *, limits: bool = True, faults: tuple[str, ...] = ()) -> httpx.AsyncClient:
    app = application(seed=1, now=NOW, limits=limits, ticks=watch, faults=faults)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://sandbox")


async def asked(client: httpx.AsyncClient, place: str, times: int, key: str = "sk_test_1") -> list[httpx.Response]:
    return [await client.get(place, headers={"Authorization": f"Bearer {key}"}) for _ in range(times)]


def refusals(responses: list[httpx.Response]) -> int:
    return [response.status_code for response in responses].count(REFUSED)


async def test_incidents_count_down_in_every_answer() -> None:
    watch = Watch()
    client = api(watch)
    told = []
    for place in (INCIDENTS, "/incidents/teams", "/incidents/nothing/here"):
        response = (await asked(client, place, 1))[0]
        told.append([response.headers[f"ratelimit-{name}"] for name in ("limit", "remaining", "reset")])
        watch.seconds += 20.5
    assert told == [["960", "959", "60"], ["960", "958", "40"], ["960", "957", "19"]]
    watch.seconds += 60
    assert (await asked(client, INCIDENTS, 1))[0].headers["ratelimit-remaining"] == "959"
    unknown = await client.get(INCIDENTS)
    assert (unknown.status_code, unknown.headers["ratelimit-limit"]) == (401, "960")


async def test_incidents_beyond_the_limit() -> None:
    watch = Watch()
    client = api(watch, faults=("incidents 503 x960",))
    assert refusals(await asked(client, INCIDENTS, 960)) == 0
    watch.seconds += 12
    refused = (await asked(client, INCIDENTS, 1))[0]
    assert refused.json() == {"error": {"message": "Rate Limit Exceeded", "code": 2020}}
    assert refused.headers["ratelimit-remaining"] == "0"
    assert refused.headers["ratelimit-reset"] == "48"
    assert refusals(await asked(client, INCIDENTS, 1, "another")) == 0
    watch.seconds += 48
    assert refusals(await asked(client, INCIDENTS, 1)) == 0


@pytest.mark.parametrize(("key", "limit"), [("sk_test_1", 25), ("sk_live_1", 100)])
async def test_payments_by_the_mode_of_the_key(key: str, limit: int) -> None:
    watch = Watch()
    client = api(watch)
    responses = await asked(client, PAYMENTS, limit - 1, key) + await asked(client, FILES, 2, key)
    assert [response.status_code == REFUSED for response in responses] == [False] * limit + [True]
    refused = responses[-1]
    assert refused.headers["Stripe-Rate-Limited-Reason"] == "global-rate"
    assert refused.headers["Request-Id"].startswith("req_")
    assert refused.json()["error"]["code"] == "rate_limit"
    other_mode = "sk_live_2" if "test" in key else "sk_test_2"
    assert refusals(await asked(client, PAYMENTS, 1, other_mode)) == 0
    assert refusals(await asked(client, PAYMENTS, 1, key.replace("1", "2"))) == 1
    watch.seconds += 1
    assert refusals(await asked(client, PAYMENTS, 1, key)) == 0


async def test_wrong_keys_do_not_count() -> None:
    client = api(Watch())
    assert {response.status_code for response in await asked(client, PAYMENTS, 40, "nonsense")} == {401}
    assert refusals(await asked(client, PAYMENTS, 25)) == 0


async def test_crm_in_any_ten_seconds() -> None:
    watch = Watch()
    client = api(watch)
    first = (await asked(client, CRM, 1))[0]
    told = {name: value for name, value in first.headers.items() if "ratelimit" in name}
    assert told == {
        "x-hubspot-ratelimit-interval-milliseconds": "10000",
        "x-hubspot-ratelimit-max": "110",
        "x-hubspot-ratelimit-remaining": "109",
    }
    watch.seconds += 9
    assert refusals(await asked(client, CRM, 109)) == 0
    refused = (await asked(client, CRM, 1))[0]
    assert (refused.status_code, refused.json()["policyName"]) == (REFUSED, "TEN_SECONDLY_ROLLING")
    assert refused.headers["X-HubSpot-RateLimit-Remaining"] == "0"
    assert refusals(await asked(client, CRM, 1, "another")) == 0
    watch.seconds += 1
    assert [response.status_code for response in await asked(client, CRM, 2)] == [200, REFUSED]
