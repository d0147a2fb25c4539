"""Who may do what, and what is refused: keys, permissions, connected accounts, versions, addresses and parameters."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator

import pytest
import stripe

from registry.sandbox.payments.service import SHAPES
from registry.sandbox.server import application
from registry.sandbox.store import Body
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import SECRET_KEY, id_of, refusal, small
from tests.sandbox.test_world_references import NOW, WORLD, by_id, written

Ask = Callable[..., tuple[int, Body]]

AMY, FERNWAY, RESELLER = id_of("customer", "amy"), id_of("account", "fernway"), id_of("account", "reseller")
OTHER_MODE = "; a similar object exists in test mode, but a live mode key was used to make this request."


@pytest.mark.parametrize(
    ("path", "status", "code", "param", "message"),
    [
        ("/v1/customers/cus_x", 404, "resource_missing", "customer", "No such customer: 'cus_x'"),
        ("/v1/customers/cus_x/cards", 404, "resource_missing", "customer", "No such customer: 'cus_x'"),
        (f"/v1/customers/{AMY}/cards/card_x", 404, "resource_missing", "id", "No such card: 'card_x'"),
        (f"/v1/customers/{AMY}/sources/{id_of('card', 'debit')}", 404, "resource_missing", "id", None),
        ("/v1/quotes?customer=cus_x", 400, "resource_missing", "customer", "No such customer: 'cus_x'"),
        ("/v1/country_specs?starting_after=XX", 400, "resource_missing", "starting_after", "No such country_spec: 'XX'"),
        ("/v1/country_specs?ending_before=XX", 400, "resource_missing", "ending_before", "No such country_spec: 'XX'"),
        (f"/v1/charges/{id_of('charge', '8')}/refunds?starting_after={id_of('refund', '3')}", 400, "resource_missing",
         "starting_after", None),
        (f"/v1/customers/{AMY}/sources?object=boat", 400, None, "object", None),
        ("/v1/country_specs?starting_after=AU&ending_before=EU", 400, None, None,
         "Received both starting_after and ending_before parameters. Please pass in only one."),
        ("/v1/country_specs?limit=0", 400, "parameter_invalid_integer", "limit", "Invalid limit: must be from 1 to 100"),
        ("/v1/country_specs?limit=101", 400, "parameter_invalid_integer", "limit", "Invalid limit: must be from 1 to 100"),
        ("/v1/country_specs?limit=ten", 400, "parameter_invalid_integer", "limit", "Invalid integer: ten"),
        ("/v1/country_specs?limit=", 400, "parameter_invalid_empty", "limit", None),
        ("/v1/country_specs?limit[]=3", 400, None, "limit", None),
        ("/v1/country_specs?created[gte]=1&x=2", 400, "parameter_unknown", "created",
         "Received unknown parameters: created, x"),
        ("/v1/subscription_items", 400, "parameter_missing", "subscription", "Missing required param: subscription."),
        ("/v1/quotes?status=lost", 400, None, "status", "Invalid status: must be one of accepted, canceled, draft or open"),
        ("/v1/billing/alerts?alert_type=x", 400, None, "alert_type", "Invalid alert_type: must be usage_threshold"),
        ("/v1/payment_links?active=yes", 400, None, "active", "Invalid boolean: yes"),
        (f"/v1/customers/{AMY}?expand=discount", 400, None, "expand", "Invalid array"),
        (f"/v1/customers/{AMY}?expand[]=", 400, "parameter_invalid_empty", "expand", None),
        (f"/v1/payment_intents/{id_of('payment_intent', '7')}?client_secret=x", 400, None, "client_secret", None),
    ],
)  # fmt: skip
def test_refusals(path: str, status: int, code: str | None, param: str | None, message: str | None) -> None:
    answered, error = refusal(path)
    assert (answered, error["type"], error.get("code"), error.get("param")) == (status, "invalid_request_error", code, param)
    assert message is None or error["message"] == message
    assert error.get("doc_url") == (code and "https://docs.payments.example/error-codes/" + code.replace("_", "-"))


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/nothing"),
        ("GET", "/"),
        ("GET", "/v1/customers/"),
        ("GET", "/v1/customers/a/b/c/d"),
        ("POST", "/v1/customers"),
        ("PUT", f"/v1/customers/{AMY}"),
        ("DELETE", "/v1/charges/ch_x"),
        ("GET", f"/v1/quotes/{id_of('quote', 'open')}/pdf"),
    ],
)
def test_unrecognised_urls(method: str, path: str) -> None:
    status, error = refusal(path, method, small("rk_test_nothing_read"))
    assert (status, "code" in error) == (404, False)
    assert error["message"].startswith(f"Unrecognized request URL ({method}: {path})")


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Digest x", basic(""), basic(":x"), "Basic é"])
def test_without_a_key(header: str) -> None:
    status, error = refusal("/v1/account", Authorization=header)
    assert (status, error["type"], "code" in error) == (401, "invalid_request_error", False)
    assert error["message"].startswith("You did not provide an API key.")


@pytest.mark.parametrize("key", ["nonsense", "sk_test_", "sk_other_x", "xk_test_x", "sk_test_x y", "sk_test_1234567890/abcd"])
def test_something_that_is_no_key_is_masked(key: str) -> None:
    status, error = refusal("/v1/account", Authorization=f"Bearer {key}")
    start, _, shown = error["message"].partition(": ")
    assert (status, start, "*" in shown, key in shown) == (401, "Invalid API Key provided", True, False)


@pytest.mark.parametrize("header", ["Bearer sk_test_x", "bearer rk_test_x", basic("sk_test_x:"), basic("sk_test_x")])
def test_keys_that_open(header: str) -> None:
    response = small("").send("GET", "/v1/account", headers={"Authorization": header})
    assert (response.status_code, response.json()["id"]) == (200, FERNWAY)


def test_a_publishable_key_needs_a_client_secret() -> None:
    intent, setup, source = id_of("payment_intent", "7"), id_of("setup_intent", "amy"), id_of("source", "amy")
    public = small("pk_test_x")
    for path in (f"customers/{AMY}", f"payment_intents/{intent}", f"payment_intents/{intent}?client_secret=wrong", "account"):
        status, error = refusal(f"/v1/{path}", "GET", public)
        assert (status, error["code"]) == (401, "secret_key_required")
    shown = public.get(f"/v1/payment_intents/{intent}?client_secret=pi_7_secret_x")
    assert (shown["id"], shown["amount"], shown["client_secret"]) == (intent, 700, "pi_7_secret_x")
    assert not {"customer", "latest_charge", "metadata", "application"} & shown.keys()
    shown = public.get(f"/v1/setup_intents/{setup}?client_secret=seti_secret_x")
    assert (shown["id"], "metadata" in shown, "customer" in shown) == (setup, False, False)
    shown = public.get(f"/v1/sources/{source}?client_secret=src_client_secret_a")
    assert (shown["id"], shown["customer"]) == (source, AMY)


def test_a_live_key_sees_an_empty_world() -> None:
    live = small("sk_live_x")
    for path, method, status in (
        (f"/v1/customers/{AMY}", "GET", 404),
        (f"/v1/customers/{AMY}", "DELETE", 404),
        (f"/v1/quotes?customer={AMY}", "GET", 400),
    ):
        answered, error = refusal(path, method, live)
        assert (answered, error["code"], error["param"]) == (status, "resource_missing", "customer")
        assert error["message"] == f"No such customer: '{AMY}'{OTHER_MODE}"
    clock = id_of("test_helpers.test_clock", "spring")
    for method, path in (("GET", ""), ("GET", f"/{clock}"), ("DELETE", f"/{clock}")):
        status, error = refusal(f"/v1/test_helpers/test_clocks{path}", method, live)
        assert (status, "test mode" in error["message"]) == (400, True)
    for path, headers in ((f"/v1/accounts/{RESELLER}", {}), ("/v1/balance", {"Stripe_Account": RESELLER})):
        status, error = refusal(path, "GET", live, **headers)
        assert (status, "code" in error) == (400, False)
        assert error["message"].startswith(f"The account {RESELLER} was a test account created with a testmode")
    for path in ("/v1/quotes", "/v1/charges/search?query=amount>0"):
        assert live.get(path)["data"] == []
    assert live.get("/v1/account")["id"] == FERNWAY
    balance = live.get("/v1/balance")
    assert (balance["livemode"], balance["available"][0]["amount"]) == (True, 0)
    assert len(live.get("/v1/country_specs")["data"]) == 5


@pytest.fixture
def asked() -> Iterator[Ask]:
    """Asks the sandbox's own world; the status and the body of a response, or of its error."""
    with Direct(application(seed=WORLD.seed, now=NOW), "http://sandbox/payments", Authorization=f"Bearer {SECRET_KEY}") as api:

        def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, Body]:
            response = api.send(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            body = response.json()
            return response.status_code, body.get("error", body)

        yield ask


CUSTOMER = next(row.id for row in written(WORLD)["customer"] if not row.body.get("test_clock"))
OWN = next(row.id for row in written(WORLD)["account"] if row.body.get("_own"))
CONNECTED = [row.id for row in written(WORLD)["account"] if not row.body.get("_own")]


@pytest.mark.parametrize(
    ("key", "method", "path", "lacking"),
    [
        ("rk_test_customer_read", "GET", f"/v1/customers/{CUSTOMER}/sources", ""),
        ("rk_test_customer_read", "GET", "/v1/customers/search?query=created>0", ""),
        ("rk_test_customer_read", "GET", "/v1/charges/search?query=created>0", "rak_charge_read"),
        ("rk_test_customer_read", "DELETE", f"/v1/customers/{CUSTOMER}", "rak_customer_write"),
        ("rk_test_customer_read__charge_read__51Fern", "GET", "/v1/charges/search?query=created>0", ""),
        ("rk_test_customer_read__charge_read__51Fern", "GET", "/v1/balance", "rak_balance_read"),
        ("rk_test_customer_write", "GET", f"/v1/customers/{CUSTOMER}", ""),
        ("rk_test_customer_write", "DELETE", f"/v1/customers/{CUSTOMER}", ""),
        ("rk_test_all_read", "DELETE", f"/v1/customers/{CUSTOMER}", "rak_customer_write"),
        ("rk_test_all_read__customer_write", "DELETE", f"/v1/customers/{CUSTOMER}", ""),
        ("rk_test_nothing_read", "GET", "/v1/tax_codes", "rak_tax_code_read"),
        ("rk_test_51Fern", "DELETE", f"/v1/customers/{CUSTOMER}", ""),
        ("rk_live_country_spec_read", "GET", "/v1/country_specs", ""),
        ("sk_test_customer_read", "DELETE", f"/v1/customers/{CUSTOMER}", ""),
    ],
)
def test_a_restricted_key_does_what_it_names(asked: Ask, key: str, method: str, path: str, lacking: str) -> None:
    status, body = asked(path, method, Authorization=f"Bearer {key}")
    assert status == (403 if lacking else 200)
    if lacking:
        assert f"the '{lacking}' permission" in body["message"]
        assert f"on account '{OWN}'" in body["message"]
        assert key not in body["message"]
        assert "deleted" not in asked(f"/v1/customers/{CUSTOMER}")[1]


def test_the_own_account_is_all_that_a_connected_one_sees(asked: Ask) -> None:
    one, other = CONNECTED[:2]
    for header in ("Stripe_Account", "Stripe_Context"):
        assert asked("/v1/account", **{header: one}) == asked(f"/v1/accounts/{one}")
        assert asked("/v1/account", **{header: OWN}) == asked("/v1/account")
    capabilities = f"/v1/accounts/{one}/capabilities"
    assert asked(capabilities, Stripe_Account=one) == asked(capabilities)
    for path in (f"accounts/{other}", f"accounts/{OWN}", f"accounts/{other}/capabilities", f"customers/{CUSTOMER}"):
        status, error = asked(f"/v1/{path}", Stripe_Account=one)
        assert (status, error["code"]) == (404, "resource_missing"), path
    for path in ("/v1/quotes", "/v1/customers/search?query=created>0"):
        assert asked(path, Stripe_Account=one)[1]["data"] == []
    assert asked("/v1/country_specs", Stripe_Account=one) == asked("/v1/country_specs")
    assert asked(f"/v1/customers/{CUSTOMER}", "DELETE", Stripe_Account=one)[0] == 404


@pytest.mark.parametrize("account", CONNECTED)
def test_a_connected_accounts_balance_is_what_the_ledger_says(asked: Ask, account: str) -> None:
    """What left the platform's balance for the account, less what came back, is the account's."""
    transfers, fees = by_id(WORLD, "transfer"), by_id(WORLD, "application_fee")
    reversals, refunds = by_id(WORLD, "transfer_reversal"), by_id(WORLD, "fee_refund")
    theirs = {id_ for id_, row in transfers.items() if row.body["destination"] == account}
    theirs |= {id_ for id_, row in fees.items() if row.body["account"] == account}
    theirs |= {id_ for id_, row in reversals.items() if row.body["transfer"] in theirs}
    theirs |= {id_ for id_, row in refunds.items() if row.body["fee"] in theirs}
    moved = sum(row.body["amount"] for row in written(WORLD)["balance_transaction"] if row.body["source"] in theirs)
    status, balance = asked("/v1/balance", Stripe_Account=account)
    assert status == 200
    assert sum(part["amount"] for part in balance["available"] if part["currency"] == "usd") == -moved >= 0
    assert balance != asked("/v1/balance")[1]


def test_a_connected_accounts_settings_are_its_own(asked: Ask) -> None:
    account = asked(f"/v1/accounts/{CONNECTED[0]}")[1]
    settings, own = (asked("/v1/balance_settings", Stripe_Account=id_)[1]["payments"] for id_ in (account["id"], OWN))
    assert settings["payouts"]["schedule"]["interval"] == account["settings"]["payouts"]["schedule"]["interval"]
    assert (settings.keys(), settings["payouts"].keys()) == (own.keys(), own["payouts"].keys())
    taxes = asked("/v1/tax/settings", Stripe_Account=account["id"])[1]
    assert (taxes["status"], asked("/v1/tax/settings")[1]["status"]) == ("pending", "active")


def test_accounts_that_are_not_connected_or_deleted(asked: Ask) -> None:
    status, error = asked("/v1/balance", Stripe_Account="acct_nobody")
    assert (status, error["code"], SECRET_KEY in error["message"]) == (403, "account_invalid", False)
    account = next(row.id for row in written(WORLD)["account"] if row.body["type"] == "custom")
    assert asked(f"/v1/accounts/{account}", "DELETE")[0] == 200
    status, error = asked("/v1/balance", Stripe_Account=account)
    assert (status, "code" in error) == (403, False)
    assert error["message"].startswith(f"The account {account} has been deleted")


@pytest.mark.parametrize("version", [SHAPES, stripe.api_version, "2020-08-27", "2025-10-29.preview"])
def test_versions_that_can_be_named(version: str) -> None:
    headers = {"Stripe-Version": version}
    assert small().send("GET", "/v1/customers/search?query=created>0", headers=headers).status_code == 200


@pytest.mark.parametrize("version", ["", "latest", "2025-09-30.Clover", "2025-09-31.clover", "2020-8-27", "9999-99-99.endive"])
def test_versions_that_do_not_exist(version: str) -> None:
    status, error = refusal("/v1/account", Stripe_Version=version)
    assert (status, error["type"], error["message"]) == (400, "invalid_request_error", f"Invalid API version: {version}")


def test_searches_are_younger_than_the_oldest_versions() -> None:
    status, error = refusal("/v1/customers/search?query=created>0", Stripe_Version="2020-03-02")
    assert (status, "2020-08-27" in error["message"]) == (400, True)
    assert small().send("GET", "/v1/account", headers={"Stripe-Version": "2020-03-02"}).status_code == 200
