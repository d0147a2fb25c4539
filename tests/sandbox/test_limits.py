"""Rate limits: what every response tells, who is counted together, and what happens beyond the limit."""

from typing import Any

import pytest

from registry.sandbox import limits
from registry.sandbox.server import application
from registry.sandbox.world import DAY
from tests.sandbox.direct import Direct

NOW = 1764555240
PAYMENTS, FILES, SEARCH = "/payments/v1/products/none", "/files/v1/quotes/none/pdf", "/payments/v1/prices/search"
INCIDENTS, CRM = "/incidents/nothing/here", "/crm/nothing/here"
X, DAILY = "x-hubspot-ratelimit-", "x-hubspot-ratelimit-daily-remaining"
SIGNED_IN = "sandbox-oauth-1"


class Watch:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def api(watch: Watch, *, refuses: bool = True) -> Direct:
    return Direct(application(seed=1, now=NOW, limits=refuses, ticks=watch), "http://sandbox")


def asked(api: Direct, place: str, key: str, times: int = 1) -> tuple[int, dict[str, str], Any]:
    """How many of some requests were refused, and the last one's headers and error."""
    answers = [api.send("GET", place, headers={"Authorization": f"Bearer {key}"}) for _ in range(times)]
    body = answers[-1].json()
    return [one.status_code for one in answers].count(429), dict(answers[-1].headers), body.get("error", body)


@pytest.mark.parametrize(
    ("place", "key", "most", "seconds", "first", "refused", "says"),
    [
        (PAYMENTS, "sk_test_1", 25, 1, {}, {"stripe-rate-limited-reason": "global-rate"}, {"code": "rate_limit"}),
        (PAYMENTS, "sk_live_1", 25, 1, {}, {"stripe-rate-limited-reason": "endpoint-rate"}, {"code": "rate_limit"}),
        (SEARCH, "sk_live_1", 20, 1, {}, {"stripe-rate-limited-reason": "endpoint-rate"}, {"code": "rate_limit"}),
        (FILES, "sk_test_1", 20, 1, {}, {"stripe-rate-limited-reason": "endpoint-rate"}, {"code": "rate_limit"}),
        (
            *(INCIDENTS, "any", 960, 60, {"ratelimit-limit": "960", "ratelimit-remaining": "959", "ratelimit-reset": "60"}),
            *({"ratelimit-remaining": "0", "ratelimit-reset": "60"}, {"message": "Rate Limit Exceeded", "code": 2020}),
        ),
        (
            *(CRM, "any", 190, 10, {X + "max": "190", X + "remaining": "189", X + "daily": "650000", DAILY: "649999"}),
            *({X + "remaining": "0", X + "interval-milliseconds": "10000"}, {"policyName": "TEN_SECONDLY_ROLLING"}),
        ),
        (
            *(CRM, SIGNED_IN, 110, 10, {X + "max": "110", X + "remaining": "109"}),
            *({X + "remaining": "0"}, {"policyName": "TEN_SECONDLY_ROLLING", "errorType": "RATE_LIMIT"}),
        ),
        (
            *(CRM, "a day", 7, DAY, {X + "remaining": "189", X + "daily": "7", DAILY: "6"}),
            *(
                {X + "interval-milliseconds": "10000", DAILY: "0"},
                {"policyName": "DAILY", "message": "You have reached your daily limit."},
            ),
        ),
    ],
)
def test_a_limit(
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    key: str,
    most: int,
    seconds: int,
    first: dict[str, str],
    refused: dict[str, str],
    says: dict[str, Any],
) -> None:
    """So many requests in so many seconds; the one after is refused, and what it says is the limit that was hit."""
    if key == "a day":
        monkeypatch.setattr(limits, "PER_DAY", most)
    watch = Watch()
    client = api(watch)
    count, headers, _ = asked(client, place, key)
    assert (count, headers) == (0, headers | first)
    assert (DAILY in headers) is (place == CRM and key != SIGNED_IN)
    assert asked(client, place, key, most - 1)[0] == 0
    for _ in range(2):  # a refused request is not counted
        count, headers, error = asked(client, place, key)
        assert (count, headers, error) == (1, headers | refused, error | says)
    if place not in (PAYMENTS, FILES, SEARCH):
        assert asked(client, place, "another")[0] == 0
    watch.seconds += seconds
    assert asked(client, place, key)[0] == 0


def test_who_is_counted_together_in_payments() -> None:
    client = api(Watch())
    assert asked(client, PAYMENTS, "nonsense", 40)[0] == 0, "wrong keys do not count"
    assert asked(client, PAYMENTS, "sk_test_1", 24)[0] == 0
    assert [asked(client, place, key)[0] for place, key in ((FILES, "rk_test_2"), (PAYMENTS, "sk_test_3"))] == [0, 1]
    assert [asked(client, f"/payments/v1/{name}/none", "sk_live_1", 25)[0] for name in ("charges", "prices", "coupons")] == [
        0
    ] * 3
    assert asked(client, PAYMENTS, "sk_live_1", 25)[0] == 0
    last = asked(client, "/payments/v1/payouts/none", "sk_live_1")
    assert (last[0], last[1]["stripe-rate-limited-reason"]) == (1, "global-rate"), "100 in all"


def test_s5_an_endpoint_is_one_whatever_the_id() -> None:
    client = api(Watch())
    several = [asked(client, f"/payments/v1/prices/price_{n}", "sk_live_1")[0] for n in range(26)]
    assert (sum(several), asked(client, "/payments/v1/products/prod_1", "sk_live_1")[0]) == (1, 0)


def test_windows_roll_or_begin_with_a_request() -> None:
    watch = Watch()
    client = api(watch)
    assert [asked(client, place, "one")[0] for place in (INCIDENTS, CRM)] == [0, 0]
    watch.seconds += 9.5
    assert asked(client, CRM, "one", 189)[0] == 0
    watch.seconds += 0.5
    assert [asked(client, CRM, "one")[0] for _ in range(2)] == [0, 1]
    assert asked(client, INCIDENTS, "one")[1]["ratelimit-reset"] == "50"
    watch.seconds += 50
    assert asked(client, INCIDENTS, "one")[1]["ratelimit-remaining"] == "959"


def test_without_limits_they_are_told_all_the_same() -> None:
    client = api(Watch(), refuses=False)
    count, headers, _ = asked(client, CRM, "one", 200)
    assert (count, headers[X + "remaining"]) == (0, "0")
