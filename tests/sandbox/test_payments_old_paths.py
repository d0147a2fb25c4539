"""The paths that are no longer in the newest description answer as those that took their place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from registry.sandbox.payments.routes.lists import LISTS
from registry.sandbox.payments.routes.objects import OBJECTS
from registry.sandbox.server import application
from tests.sandbox.direct import Direct
from tests.sandbox.payments_addresses import spots
from tests.sandbox.test_world_references import NOW, WORLD, written

ROWS = written(WORLD)

OBJECT_TWINS = {
    "/v1/accounts/{account}/bank_accounts/{id}": "/v1/accounts/{account}/external_accounts/{id}",
    "/v1/accounts/{account}/people/{person}": "/v1/accounts/{account}/persons/{person}",
    "/v1/balance/history/{id}": "/v1/balance_transactions/{id}",
    "/v1/customers/{customer}/bank_accounts/{id}": "/v1/customers/{customer}/sources/{id}",
    "/v1/customers/{customer}/cards/{id}": "/v1/customers/{customer}/sources/{id}",
    "/v1/customers/{customer}/subscriptions/{subscription_exposed_id}": "/v1/subscriptions/{subscription_exposed_id}",
    "/v1/link_account_sessions/{session}": "/v1/financial_connections/sessions/{session}",
    "/v1/linked_accounts/{account}": "/v1/financial_connections/accounts/{account}",
}
ALONE = (
    "/v1/charges/{charge}/dispute",
    "/v1/customers/{customer}/discount",
    "/v1/customers/{customer}/subscriptions/{subscription_exposed_id}/discount",
    "/v1/issuing/settlements/{settlement}",
    "/v1/sources/{source}/mandate_notifications/{mandate_notification}",
    "/v1/sources/{source}/source_transactions/{source_transaction}",
)
"""Those without a successor; what they lead to is written in the world itself."""


@pytest.fixture(scope="module")
def api() -> Iterator[Direct]:
    app = application(seed=WORLD.seed, now=NOW)
    with Direct(app, "http://sandbox/payments", Authorization="Bearer sk_test_old") as api:
        yield api


@pytest.mark.parametrize("old", OBJECT_TWINS)
def test_old_paths_lead_to_the_same_objects(api: Direct, old: str) -> None:
    found = list(spots(old, OBJECTS[old], ROWS, NOW))
    twins = {}
    for spot in found:
        ids = dict(zip(_names(old), _ids(old, spot.address), strict=True))
        twins[spot.address] = "/".join(
            ids[part[1:-1]] if part.startswith("{") else part for part in OBJECT_TWINS[old].split("/")
        )
    assert len(twins) >= 3
    for address, twin in [*twins.items()][:40]:
        assert api.get(address) == api.get(twin)


@pytest.mark.parametrize("path", ALONE)
def test_old_paths_without_a_successor_answer(api: Direct, path: str) -> None:
    found = list(spots(path, OBJECTS[path], ROWS, NOW))
    assert found
    for spot in found[:10]:
        shown = api.get(spot.address)
        assert (shown["object"], shown["id"]) == (spot.kind, spot.id)


def test_old_lists_hold_the_same_objects(api: Direct) -> None:
    lengths = {"cards": 0, "bank_accounts": 0, "subscriptions": 0, "owners": 0}
    for customer in (row.id for row in ROWS["customer"]):
        base = f"/v1/customers/{customer}"
        for name, kind in (("cards", "card"), ("bank_accounts", "bank_account")):
            listed = api.get(f"{base}/{name}", limit=100)
            assert listed["url"] == f"{base}/{name}"
            assert listed["data"] == api.get(f"{base}/sources", object=kind, limit=100)["data"]
            lengths[name] += len(listed["data"])
        running = api.get(f"{base}/subscriptions", limit=100)["data"]
        embedded = api.get(base, **{"expand[]": "subscriptions"})["subscriptions"]
        assert [one["id"] for one in running][:10] == [one["id"] for one in embedded["data"]]
        lengths["subscriptions"] += len(running)
    for row in ROWS["financial_connections.account"]:
        if row.body.get("ownership"):
            owners = [
                api.get(f"/v1/{start}/{row.id}/owners", ownership=row.body["ownership"])["data"]
                for start in ("linked_accounts", "financial_connections/accounts")
            ]
            assert owners[0] == owners[1]
            lengths["owners"] += len(owners[0])
    assert min(lengths.values()) >= 3


@pytest.mark.parametrize("name", ["bank_accounts", "people"])
def test_old_deletions_delete(name: str) -> None:
    app = application(seed=WORLD.seed, now=NOW)
    kinds = ("person",) if name == "people" else ("bank_account", "card")
    with Direct(app, "http://sandbox/payments", Authorization="Bearer sk_test_old") as api:
        done = 0
        for kind in kinds:
            for row in ROWS[kind]:
                if row.body.get("account"):
                    address = f"/v1/accounts/{row.body['account']}/{name}/{row.id}"
                    modern = address.replace("people", "persons").replace("bank_accounts", "external_accounts")
                    if api.send("DELETE", address).status_code == 200:
                        assert api.send("GET", modern).status_code == 404
                        done += 1
        assert done


def test_every_old_path_of_a_list_is_known() -> None:
    assert {
        "/v1/customers/{customer}/bank_accounts",
        "/v1/customers/{customer}/cards",
        "/v1/customers/{customer}/subscriptions",
        "/v1/linked_accounts/{account}/owners",
    } <= LISTS.keys()


def _names(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


def _ids(path: str, address: str) -> list[str]:
    return [id_ for part, id_ in zip(path.split("/"), address.split("/"), strict=True) if part.startswith("{")]
