"""Connected accounts: what they have, and what is left of a deleted one. What keys may do is in `strictness.json`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from registry.sandbox.server import application
from registry.sandbox.store import Body
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import SECRET_KEY
from tests.sandbox.test_world_references import NOW, WORLD, by_id, written

Ask = Callable[..., tuple[int, Body]]


@pytest.fixture
def asked() -> Iterator[Ask]:
    """Asks the sandbox's own world; the status and the body of a response, or of its error."""
    with Direct(application(seed=WORLD.seed, now=NOW), "http://sandbox/payments", Authorization=f"Bearer {SECRET_KEY}") as api:

        def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, Body]:
            response = api.send(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            body = response.json()
            return response.status_code, body.get("error", body)

        yield ask


CONNECTED = [row.id for row in written(WORLD)["account"] if not row.body.get("_own")]


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


def test_an_account_that_is_deleted(asked: Ask) -> None:
    account = next(row.id for row in written(WORLD)["account"] if row.body["type"] == "custom")
    assert asked(f"/v1/accounts/{account}", "DELETE")[0] == 200
    status, error = asked("/v1/balance", Stripe_Account=account)
    assert (status, "code" in error) == (403, False)
    assert error["message"].startswith(f"The account {account} has been deleted")
