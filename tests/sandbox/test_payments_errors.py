"""What the API refuses: keys, addresses, parameters, ids and modes, each with its status and body."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.sandbox.payments_fakes import client, id_of, reader

AMY = id_of("customer", "amy")
OTHER_MODE = "; a similar object exists in test mode, but a live mode key was used to make this request."


async def refusal(
    path: str, *, method: str = "GET", key: str | None = "sk_test_x", **headers: str
) -> tuple[int, dict[str, Any]]:
    async with client(key=key) as api:
        response = await api.request(method, path, headers=headers)
    body = response.json()
    assert list(body) == ["error"], body
    assert None not in body["error"].values()
    assert response.headers["Request-Id"].startswith("req_")
    return response.status_code, body["error"]


@pytest.mark.parametrize(
    ("path", "status", "code", "param", "message"),
    [
        ("/v1/customers/cus_x", 404, "resource_missing", "customer", "No such customer: 'cus_x'"),
        ("/v1/payment_intents/pi_x", 404, "resource_missing", "intent", "No such payment_intent: 'pi_x'"),
        ("/v1/customers/cus_x/cards", 404, "resource_missing", "customer", "No such customer: 'cus_x'"),
        (f"/v1/customers/{AMY}/cards/card_x", 404, "resource_missing", "id", "No such card: 'card_x'"),
        ("/v1/quotes?customer=cus_x", 400, "resource_missing", "customer", "No such customer: 'cus_x'"),
        ("/v1/country_specs?starting_after=XX", 400, "resource_missing", "starting_after", "No such country_spec: 'XX'"),
        ("/v1/country_specs?ending_before=XX", 400, "resource_missing", "ending_before", "No such country_spec: 'XX'"),
        ("/v1/country_specs?limit=0", 400, "parameter_invalid_integer", "limit", "Invalid limit: must be from 1 to 100"),
        ("/v1/country_specs?limit=101", 400, "parameter_invalid_integer", "limit", "Invalid limit: must be from 1 to 100"),
        ("/v1/country_specs?limit=ten", 400, "parameter_invalid_integer", "limit", "Invalid integer: ten"),
        ("/v1/country_specs?limit=", 400, "parameter_invalid_empty", "limit", None),
        ("/v1/country_specs?limit[]=3", 400, None, "limit", None),
        ("/v1/country_specs?colour=red", 400, "parameter_unknown", "colour", "Received unknown parameter: colour"),
        (
            "/v1/country_specs?created[gte]=1&x=2",
            400,
            "parameter_unknown",
            "created",
            "Received unknown parameters: created, x",
        ),
        ("/v1/subscription_items", 400, "parameter_missing", "subscription", "Missing required param: subscription."),
        ("/v1/charges/search", 400, "parameter_missing", "query", "Missing required param: query."),
        ("/v1/quotes?status=lost", 400, None, "status", "Invalid status: must be one of accepted, canceled, draft or open"),
        ("/v1/billing/alerts?alert_type=x", 400, None, "alert_type", "Invalid alert_type: must be usage_threshold"),
        ("/v1/payment_links?active=yes", 400, None, "active", "Invalid boolean: yes"),
        ("/v1/customers/" + AMY + "?expand=discount", 400, None, "expand", "Invalid array"),
        ("/v1/customers/" + AMY + "?expand[a]=discount", 400, None, "expand", "Invalid array"),
        ("/v1/customers/" + AMY + "?expand[]=", 400, "parameter_invalid_empty", "expand", None),
        (
            "/v1/country_specs?starting_after=AU&ending_before=EU",
            400,
            None,
            None,
            "Received both starting_after and ending_before parameters. Please pass in only one.",
        ),
    ],
)
async def test_refusals(path: str, status: int, code: str | None, param: str | None, message: str | None) -> None:
    answered, error = await refusal(path)
    assert answered == status
    assert (error["type"], error.get("code"), error.get("param")) == ("invalid_request_error", code, param)
    assert message is None or error["message"] == message
    if code:
        assert error["doc_url"] == "https://docs.payments.example/error-codes/" + code.replace("_", "-")
    else:
        assert "doc_url" not in error


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/nothing"),
        ("GET", "/v1"),
        ("GET", "/"),
        ("GET", "/v1/customers/"),
        ("GET", "/v1/customers/a/b/c/d"),
        ("POST", "/v1/customers"),
        ("POST", f"/v1/customers/{AMY}"),
        ("PUT", f"/v1/customers/{AMY}"),
        ("DELETE", "/v1/charges/ch_x"),
        ("GET", f"/v1/quotes/{id_of('quote', 'open')}/pdf"),
        ("GET", "/v2/customers"),
    ],
)
async def test_unrecognised_urls(method: str, path: str) -> None:
    status, error = await refusal(path, method=method)
    assert status == 404
    assert error["message"].startswith(f"Unrecognized request URL ({method}: {path})")
    assert "code" not in error


async def test_a_cursor_of_another_owners_list_is_unknown() -> None:
    refund = id_of("refund", "3")
    status, error = await refusal(f"/v1/charges/{id_of('charge', '8')}/refunds?starting_after={refund}")
    assert (status, error["code"], error["param"]) == (400, "resource_missing", "starting_after")
    status, error = await refusal(f"/v1/customers/{AMY}/sources?starting_after={id_of('card', 'debit')}")
    assert (status, error["code"], error["param"]) == (400, "resource_missing", "starting_after")


async def test_an_object_of_another_owner_is_missing() -> None:
    for path in (
        f"/v1/charges/{id_of('charge', '8')}/refunds/{id_of('refund', '3')}",
        f"/v1/customers/{id_of('customer', 'plain')}/tax_ids/{id_of('tax_id', 'amy')}",
        f"/v1/customers/{AMY}/sources/{id_of('card', 'debit')}",
        f"/v1/customers/{id_of('customer', 'plain')}/subscriptions/{id_of('subscription', 'running')}",
    ):
        status, error = await refusal(path)
        assert (status, error["code"]) == (404, "resource_missing")


async def test_request_ids_differ() -> None:
    async with reader() as api:
        ids = {(await api.get(path)).headers["Request-Id"] for path in ("/v1/account", "/v1/account", "/v1/nothing")}
    assert len(ids) == 3


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Digest x", basic(""), basic(":x"), "Basic é"])
async def test_without_a_key(header: str | None) -> None:
    async with reader(key=None) as api:
        response = await api.get("/v1/account", headers=[(b"Authorization", header.encode())] if header is not None else [])
    error = response.json()["error"]
    assert response.status_code == 401
    assert error["message"].startswith("You did not provide an API key.")
    assert (error["type"], "code" in error) == ("invalid_request_error", False)


@pytest.mark.parametrize("key", ["nonsense", "sk_test_", "sk_other_x", "xk_test_x", "sk_test_x y", "sk_test_1234567890/abcd"])
async def test_something_that_is_no_key_is_masked(key: str) -> None:
    status, error = await refusal("/v1/account", key=None, Authorization=f"Bearer {key}")
    assert status == 401
    assert error["message"].startswith("Invalid API Key provided: ")
    shown = error["message"].removeprefix("Invalid API Key provided: ")
    assert "*" in shown
    assert key not in shown


@pytest.mark.parametrize("header", ["Bearer sk_test_x", "bearer rk_test_x", basic("sk_test_x:"), basic("sk_test_x")])
async def test_keys_that_open(header: str) -> None:
    async with reader(key=None) as api:
        response = await api.get("/v1/account", headers={"Authorization": header})
    assert (response.status_code, response.json()["id"]) == (200, id_of("account", "fernway"))


async def test_a_publishable_key_needs_a_client_secret() -> None:
    intent, setup, source = id_of("payment_intent", "7"), id_of("setup_intent", "amy"), id_of("source", "amy")
    for path in (
        f"/v1/customers/{AMY}",
        f"/v1/payment_intents/{intent}",
        f"/v1/payment_intents/{intent}?client_secret=pi_8_secret_x",
        "/v1/account",
    ):
        status, error = await refusal(path, key="pk_test_x")
        assert (status, error["code"]) == (401, "secret_key_required")
        assert error["message"].startswith("This API call cannot be made with a publishable API key")
    async with reader(key="pk_test_x") as api:
        shown = (await api.get(f"/v1/payment_intents/{intent}?client_secret=pi_7_secret_x")).json()
        assert (shown["id"], shown["amount"], shown["client_secret"]) == (intent, 700, "pi_7_secret_x")
        assert not {"customer", "latest_charge", "metadata", "application"} & shown.keys()
        shown = (await api.get(f"/v1/setup_intents/{setup}?client_secret=seti_secret_x")).json()
        assert (shown["id"], "metadata" in shown, "customer" in shown) == (setup, False, False)
        shown = (await api.get(f"/v1/sources/{source}?client_secret=src_client_secret_a")).json()
        assert (shown["id"], shown["customer"]) == (source, AMY)


async def test_a_wrong_client_secret_is_refused_with_a_secret_key_too() -> None:
    intent = id_of("payment_intent", "7")
    status, error = await refusal(f"/v1/payment_intents/{intent}?client_secret=pi_8_secret_x")
    assert (status, error["param"]) == (400, "client_secret")


async def test_a_live_key_sees_an_empty_world() -> None:
    for path, status, param in (
        (f"/v1/customers/{AMY}", 404, "customer"),
        (f"/v1/customers/{AMY}/sources", 404, "customer"),
        (f"/v1/quotes?customer={AMY}", 400, "customer"),
    ):
        answered, error = await refusal(path, key="sk_live_x")
        assert (answered, error["code"], error["param"]) == (status, "resource_missing", param)
        assert error["message"] == f"No such customer: '{AMY}'{OTHER_MODE}"
    status, error = await refusal("/v1/customers/cus_x", key="sk_live_x")
    assert error["message"] == "No such customer: 'cus_x'"
    status, error = await refusal(f"/v1/customers/{AMY}", key="sk_live_x", method="DELETE")
    assert (status, error["code"]) == (404, "resource_missing")
    status, error = await refusal(f"/v1/accounts/{id_of('account', 'reseller')}", key="sk_live_x")
    assert (status, "code" in error) == (400, False)
    assert error["message"].startswith(f"The account {id_of('account', 'reseller')} was a test account created with a testmode")
    async with reader(key="sk_live_x") as api:
        assert (await api.get("/v1/quotes")).json()["data"] == []
        assert (await api.get("/v1/charges/search?query=amount>0")).json()["data"] == []
        assert (await api.get("/v1/account")).json()["id"] == id_of("account", "fernway")
        balance = (await api.get("/v1/balance")).json()
        assert (balance["livemode"], balance["available"][0]["amount"]) == (True, 0)
        assert len((await api.get("/v1/country_specs")).json()["data"]) == 5


async def test_test_clocks_refuse_a_live_key() -> None:
    clock = id_of("test_helpers.test_clock", "spring")
    for method, path in (
        ("GET", "/v1/test_helpers/test_clocks"),
        ("GET", f"/v1/test_helpers/test_clocks/{clock}"),
        ("DELETE", f"/v1/test_helpers/test_clocks/{clock}"),
    ):
        status, error = await refusal(path, method=method, key="sk_live_x")
        assert (status, "test mode" in error["message"]) == (400, True)
