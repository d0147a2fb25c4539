"""Who may do what: restricted keys, requests on behalf of connected accounts, and the versions that a request may name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import stripe

from registry.sandbox.payments.service import SHAPES
from registry.sandbox.server import application
from registry.sandbox.store import Body
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import SECRET_KEY
from tests.sandbox.payments_fakes import application as fake_application
from tests.sandbox.payments_fakes import id_of as fake_id
from tests.sandbox.test_world_references import NOW, WORLD, by_id, written

Error = tuple[int, Body]


@pytest.fixture
def api() -> Iterator[Direct]:
    with Direct(application(seed=WORLD.seed, now=NOW), "http://sandbox/payments", Authorization=f"Bearer {SECRET_KEY}") as api:
        yield api


@pytest.fixture
def asked(api: Direct) -> Callable[..., Error]:
    """The status and the body of a response, or of its error."""

    def ask(path: str, method: str = "GET", **headers: str) -> Error:
        response = api.send(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        body = response.json()
        return response.status_code, body.get("error", body)

    return ask


CUSTOMER = next(row.id for row in written(WORLD)["customer"] if not row.body.get("test_clock"))
OWN = next(row.id for row in written(WORLD)["account"] if row.body.get("_own"))
CONNECTED = [row.id for row in written(WORLD)["account"] if not row.body.get("_own")]

PERMISSIONS = [
    ("rk_test_customer_read", "GET", f"/v1/customers/{CUSTOMER}", ""),
    ("rk_test_customer_read", "GET", f"/v1/customers/{CUSTOMER}/sources", ""),
    ("rk_test_customer_read", "GET", "/v1/customers/search?query=created>0", ""),
    ("rk_test_customer_read", "GET", "/v1/account", "rak_account_read"),
    ("rk_test_customer_read", "GET", "/v1/charges/search?query=created>0", "rak_charge_read"),
    ("rk_test_customer_read", "DELETE", f"/v1/customers/{CUSTOMER}", "rak_customer_write"),
    ("rk_test_customer_read__charge_read__51Fern", "GET", "/v1/charges/search?query=created>0", ""),
    ("rk_test_customer_read__charge_read__51Fern", "GET", "/v1/balance", "rak_balance_read"),
    ("rk_test_customer_write", "GET", f"/v1/customers/{CUSTOMER}", ""),
    ("rk_test_customer_write", "DELETE", f"/v1/customers/{CUSTOMER}", ""),
    ("rk_test_all_read", "GET", "/v1/country_specs", ""),
    ("rk_test_all_read", "DELETE", f"/v1/customers/{CUSTOMER}", "rak_customer_write"),
    ("rk_test_all_read__customer_write", "DELETE", f"/v1/customers/{CUSTOMER}", ""),
    ("rk_test_all_write", "DELETE", f"/v1/customers/{CUSTOMER}", ""),
    ("rk_test_nothing_read", "GET", "/v1/tax_codes", "rak_tax_code_read"),
    ("rk_test_51Fern", "DELETE", f"/v1/customers/{CUSTOMER}", ""),
    ("rk_live_country_spec_read", "GET", "/v1/country_specs", ""),
    ("rk_live_country_spec_read", "GET", "/v1/balance", "rak_balance_read"),
    ("sk_test_customer_read", "DELETE", f"/v1/customers/{CUSTOMER}", ""),
]


@pytest.mark.parametrize(("key", "method", "path", "lacking"), PERMISSIONS)
def test_a_restricted_key_does_what_it_names(
    asked: Callable[..., Error], key: str, method: str, path: str, lacking: str
) -> None:
    status, body = asked(path, method, Authorization=f"Bearer {key}")
    assert status == (403 if lacking else 200)
    if lacking:
        assert (body["type"], "code" in body) == ("invalid_request_error", False)
        assert f"the '{lacking}' permission" in body["message"]
        assert f"on account '{OWN}'" in body["message"]
        assert key not in body["message"]


def test_a_refused_deletion_deletes_nothing(asked: Callable[..., Error]) -> None:
    path = f"/v1/customers/{CUSTOMER}"
    assert asked(path, "DELETE", Authorization="Bearer rk_test_customer_read")[0] == 403
    assert "deleted" not in asked(path)[1]


def test_an_address_is_recognised_before_the_key_is_looked_at(asked: Callable[..., Error]) -> None:
    assert asked("/v1/nothing", Authorization="Bearer rk_test_customer_read")[0] == 404


@pytest.mark.parametrize("header", ["Stripe_Account", "Stripe_Context"])
def test_a_connected_account_is_ones_own(asked: Callable[..., Error], header: str) -> None:
    for id_ in CONNECTED:
        assert asked("/v1/account", **{header: id_}) == asked(f"/v1/accounts/{id_}")
    assert asked("/v1/account", **{header: OWN}) == asked("/v1/account")


def test_the_own_account_is_all_that_a_connected_one_sees(api: Direct, asked: Callable[..., Error]) -> None:
    one, other = CONNECTED[:2]
    capabilities = f"/v1/accounts/{one}/capabilities"
    assert asked(capabilities, Stripe_Account=one) == asked(capabilities)
    assert asked(f"/v1/accounts/{one}/external_accounts", Stripe_Account=one)[0] == 200
    for person in (row.id for row in written(WORLD)["person"] if row.body["account"] == one):
        assert asked(f"/v1/accounts/{one}/persons/{person}", Stripe_Account=one)[1]["id"] == person
    for path in (
        f"/v1/accounts/{other}",
        f"/v1/accounts/{OWN}",
        f"/v1/accounts/{other}/capabilities",
        f"/v1/customers/{CUSTOMER}",
        f"/v1/customers/{CUSTOMER}/sources",
        f"/v1/charges/{written(WORLD)['charge'][0].id}",
    ):
        status, error = asked(path, Stripe_Account=one)
        assert (status, error["code"]) == (404, "resource_missing"), path
    assert asked("/v1/quotes", Stripe_Account=one)[1]["data"] == []
    assert asked("/v1/customers/search?query=created>0", Stripe_Account=one)[1]["data"] == []
    assert asked(f"/v1/payment_methods?customer={CUSTOMER}", Stripe_Account=one)[0] == 400
    assert asked("/v1/country_specs", Stripe_Account=one) == asked("/v1/country_specs")
    status, _ = asked(f"/v1/customers/{CUSTOMER}", "DELETE", Stripe_Account=one)
    assert (status, "deleted" in api.get(f"/v1/customers/{CUSTOMER}")) == (404, False)


@pytest.mark.parametrize("account", CONNECTED)
def test_a_connected_accounts_balance_is_what_the_ledger_says(asked: Callable[..., Error], account: str) -> None:
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
    assert sum(part["amount"] for part in balance["available"] if part["currency"] == "usd") == -moved
    assert all(part["amount"] == sum(part["source_types"].values()) for part in balance["available"] + balance["pending"])
    assert balance != asked("/v1/balance")[1]


def test_some_connected_account_has_money(asked: Callable[..., Error]) -> None:
    parts = [asked("/v1/balance", Stripe_Account=id_)[1]["available"] for id_ in CONNECTED]
    amounts = [sum(part["amount"] for part in one) for one in parts]
    assert min(amounts) >= 0
    assert sum(amount > 0 for amount in amounts) >= 3


def test_a_connected_accounts_settings_are_its_own(asked: Callable[..., Error]) -> None:
    account = asked(f"/v1/accounts/{CONNECTED[0]}")[1]
    settings = asked("/v1/balance_settings", Stripe_Account=account["id"])[1]
    assert settings["payments"]["payouts"]["schedule"]["interval"] == account["settings"]["payouts"]["schedule"]["interval"]
    own = asked("/v1/balance_settings")[1]
    assert settings.keys() == own.keys()
    assert settings["payments"].keys() == own["payments"].keys()
    assert settings["payments"]["payouts"].keys() == own["payments"]["payouts"].keys()
    states = {asked("/v1/balance_settings", Stripe_Account=id_)[1]["payments"]["payouts"]["status"] for id_ in CONNECTED}
    assert states == {"enabled", "disabled"}
    taxes = asked("/v1/tax/settings", Stripe_Account=account["id"])[1]
    assert (taxes["status"], asked("/v1/tax/settings")[1]["status"]) == ("pending", "active")


def test_an_account_that_is_not_connected(asked: Callable[..., Error]) -> None:
    status, error = asked("/v1/balance", Stripe_Account="acct_nobody")
    assert (status, error["type"], error["code"]) == (403, "invalid_request_error", "account_invalid")
    assert "does not have access to account 'acct_nobody'" in error["message"]
    assert SECRET_KEY not in error["message"]


def test_an_account_that_was_deleted(asked: Callable[..., Error]) -> None:
    account = next(row.id for row in written(WORLD)["account"] if row.body["type"] == "custom")
    assert asked(f"/v1/accounts/{account}", "DELETE")[0] == 200
    status, error = asked("/v1/balance", Stripe_Account=account)
    assert (status, "code" in error) == (403, False)
    assert error["message"].startswith(f"The account {account} has been deleted")


def test_a_test_account_and_a_live_key() -> None:
    account = fake_id("account", "reseller")
    with Direct(fake_application(), "http://sandbox/payments", Authorization="Bearer sk_live_x") as api:
        response = api.send("GET", "/v1/balance", headers={"Stripe-Account": account})
    assert response.status_code == 400
    assert response.json()["error"]["message"].startswith(f"The account {account} was a test account created with a testmode")


@pytest.mark.parametrize(
    "version",
    [SHAPES, stripe.api_version, "2020-08-27", "2024-06-20", "2025-03-31.basil", "2025-08-27.basil", "2025-10-29.preview"],
)
def test_versions_that_exist(asked: Callable[..., Error], version: str) -> None:
    assert asked("/v1/customers/search?query=created>0", Stripe_Version=version)[0] == 200


@pytest.mark.parametrize(
    "version",
    [
        "",
        "latest",
        "2025-09-30",
        "2025-09-30.Clover",
        "2025-09-30.basil",
        "2025-09-31.clover",
        "2024-06-20.acacia",
        "2020-8-27",
        "2020-08-28",
        "2019-01-01",
        "9999-99-99.endive",
    ],
)
def test_versions_that_do_not_exist(asked: Callable[..., Error], version: str) -> None:
    status, error = asked("/v1/account", Stripe_Version=version)
    assert (status, error["type"], error["message"]) == (400, "invalid_request_error", f"Invalid API version: {version}")


def test_searches_are_younger_than_the_oldest_versions(asked: Callable[..., Error]) -> None:
    headers: Any = {"Stripe_Version": "2020-03-02"}
    assert asked("/v1/account", **headers)[0] == 200
    status, error = asked("/v1/customers/search?query=created>0", **headers)
    assert (status, "2020-08-27" in error["message"]) == (400, True)
