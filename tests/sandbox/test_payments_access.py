"""Connected accounts: what they have, and what is left of a deleted one. What keys may do is in `strictness.json`."""

from collections.abc import Iterator

import pytest

from registry.sandbox.server import application
from tests.sandbox.direct import Direct
from tests.sandbox.payments_fakes import SECRET_KEY, delete, refusal
from tests.sandbox.written_worlds import NOW, WORLD, by_id, written


@pytest.fixture
def api() -> Iterator[Direct]:
    """A client of the sandbox's own world."""
    with Direct(application(seed=WORLD.seed, now=NOW), "http://sandbox/payments", Authorization=f"Bearer {SECRET_KEY}") as api:
        yield api


def test_a_connected_accounts_balance_is_what_the_ledger_says(api: Direct) -> None:
    """What left the platform's balance for the account, less what came back, is the account's."""
    transfers, fees = by_id(WORLD, "transfer"), by_id(WORLD, "application_fee")
    reversals, refunds = by_id(WORLD, "transfer_reversal"), by_id(WORLD, "fee_refund")
    connected = [row.id for row in written(WORLD)["account"] if not row.body.get("_own")]
    assert connected
    for account in connected:
        theirs = {id_ for id_, row in transfers.items() if row.body["destination"] == account}
        theirs |= {id_ for id_, row in fees.items() if row.body["account"] == account}
        theirs |= {id_ for id_, row in reversals.items() if row.body["transfer"] in theirs}
        theirs |= {id_ for id_, row in refunds.items() if row.body["fee"] in theirs}
        moved = sum(row.body["amount"] for row in written(WORLD)["balance_transaction"] if row.body["source"] in theirs)
        balance = api.send("GET", "/v1/balance", headers={"Stripe-Account": account}).json()
        assert sum(part["amount"] for part in balance["available"] if part["currency"] == "usd") == -moved >= 0
        assert balance != api.get("/v1/balance")


def test_an_account_that_is_deleted(api: Direct) -> None:
    account = next(row.id for row in written(WORLD)["account"] if row.body["type"] == "custom")
    delete(api, f"/v1/accounts/{account}")
    status, error = refusal("/v1/balance", api=api, Stripe_Account=account)
    assert (status, "code" in error) == (403, False)
    assert error["message"].startswith(f"The account {account} has been deleted")
