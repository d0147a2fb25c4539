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
from tests.sandbox.payments_fakes import SECRET_KEY, id_of, small
from tests.sandbox.test_world_references import NOW, WORLD, by_id, written

Ask = Callable[..., tuple[int, Body]]

AMY, FERNWAY, RESELLER = id_of("customer", "amy"), id_of("account", "fernway"), id_of("account", "reseller")


def basic(text: str) -> str:
    return "Basic " + base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("header", ["Bearer sk_test_x", "bearer rk_test_x", basic("sk_test_x:"), basic("sk_test_x")])
def test_keys_that_open(header: str) -> None:
    response = small("").send("GET", "/v1/account", headers={"Authorization": header})
    assert (response.status_code, response.json()["id"]) == (200, FERNWAY)


def test_a_publishable_key_needs_a_client_secret() -> None:
    intent, setup, source = id_of("payment_intent", "7"), id_of("setup_intent", "amy"), id_of("source", "amy")
    public = small("pk_test_x")
    shown = public.get(f"/v1/payment_intents/{intent}?client_secret=pi_7_secret_x")
    assert (shown["id"], shown["amount"], shown["client_secret"]) == (intent, 700, "pi_7_secret_x")
    assert not {"customer", "latest_charge", "metadata", "application"} & shown.keys()
    shown = public.get(f"/v1/setup_intents/{setup}?client_secret=seti_secret_x")
    assert (shown["id"], "metadata" in shown, "customer" in shown) == (setup, False, False)
    shown = public.get(f"/v1/sources/{source}?client_secret=src_client_secret_a")
    assert (shown["id"], shown["customer"]) == (source, AMY)


def test_a_live_key_sees_an_empty_world() -> None:
    live = small("sk_live_x")
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
