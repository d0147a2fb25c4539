"""Who may do what: keys, permissions, connected accounts and versions. What is refused is in `strictness.json`."""

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
CONNECTED = [row.id for row in written(WORLD)["account"] if not row.body.get("_own")]


@pytest.mark.parametrize(
    ("key", "method", "path"),
    [
        ("rk_test_customer_read", "GET", f"/v1/customers/{CUSTOMER}/sources"),
        ("rk_test_customer_read", "GET", "/v1/customers/search?query=created>0"),
        ("rk_test_customer_read__charge_read__51Fern", "GET", "/v1/charges/search?query=created>0"),
        ("rk_test_customer_write", "GET", f"/v1/customers/{CUSTOMER}"),
        ("rk_test_customer_write", "DELETE", f"/v1/customers/{CUSTOMER}"),
        ("rk_test_all_read__customer_write", "DELETE", f"/v1/customers/{CUSTOMER}"),
        ("rk_test_51Fern", "DELETE", f"/v1/customers/{CUSTOMER}"),
        ("rk_live_country_spec_read", "GET", "/v1/country_specs"),
        ("sk_test_customer_read", "DELETE", f"/v1/customers/{CUSTOMER}"),
    ],
)
def test_a_restricted_key_does_what_it_names(asked: Ask, key: str, method: str, path: str) -> None:
    assert asked(path, method, Authorization=f"Bearer {key}")[0] == 200


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
