"""The sandbox's own payments world, read through the service: every operation has something to answer with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from registry.sandbox.payments.operations import OBJECTS
from registry.sandbox.payments.rendering import holds_objects
from registry.sandbox.payments.shapes import kinds_of, shapes
from registry.sandbox.server import application
from tests.sandbox.direct import Direct
from tests.sandbox.payments_addresses import addresses, filled
from tests.sandbox.test_world_references import NOW, WORLD, written

ROWS = written(WORLD)


def reached(host: str = "payments") -> Direct:
    return Direct(application(seed=WORLD.seed, now=NOW), f"http://sandbox/{host}", Authorization="Bearer sk_test_world")


@pytest.fixture(scope="module")
def api() -> Iterator[Direct]:
    with reached() as api:
        yield api


@pytest.mark.parametrize("path", OBJECTS)
def test_every_object_can_be_read(path: str, api: Direct) -> None:
    """With all fields that it needs, in their order, and with each of its references leading to an object."""
    found = list(addresses(path, OBJECTS[path], ROWS))
    assert found, "the world has nothing that this path leads to"
    for address in found[:: max(1, len(found) // 3)]:
        shown = api.get(address)
        fields = shapes()[shown["object"]].fields
        assert {name for name, field in fields.items() if not (field.get("optional") or "shown" in field)} <= shown.keys()
        order = [list(fields).index(name) for name in shown if name not in ("id", "object")]
        assert order == sorted(order)
        for name, field in fields.items():
            if holds_objects(field) and name in shown:
                held = shown[name] if isinstance(shown[name], list) else [shown[name]]
                assert all(isinstance(one, dict) for one in held if one is not None), f"{address}: {name}"
            if not (field.get("expandable") and shown.get(name) and set(kinds_of(field["ref"])) & shapes().keys()):
                continue
            expanded = api.get(f"{address}?expand[]={name}")[name]
            for one in expanded if isinstance(expanded, list) else [expanded]:
                assert isinstance(one, dict), f"{address}: {name} is {one}"
                assert one["object"] in kinds_of(field["ref"]) or one.get("deleted")


OLD = {
    "/v1/accounts/{account}/bank_accounts/{id}": "/v1/accounts/{account}/external_accounts/{id}",
    "/v1/accounts/{account}/people/{person}": "/v1/accounts/{account}/persons/{person}",
    "/v1/balance/history/{id}": "/v1/balance_transactions/{id}",
    "/v1/customers/{customer}/cards/{id}": "/v1/customers/{customer}/sources/{id}",
    "/v1/customers/{customer}/subscriptions/{subscription_exposed_id}": "/v1/subscriptions/{subscription_exposed_id}",
    "/v1/linked_accounts/{account}": "/v1/financial_connections/accounts/{account}",
    "/v1/link_account_sessions/{session}": "/v1/financial_connections/sessions/{session}",
}


@pytest.mark.parametrize("old", OLD)
def test_old_addresses_lead_to_the_same_objects(old: str, api: Direct) -> None:
    assert OBJECTS[old].old
    for address in list(addresses(old, OBJECTS[old], ROWS))[:3]:
        ids = [part for part, name in zip(address.split("/"), old.split("/"), strict=True) if name.startswith("{")]
        assert api.get(address) == api.get(filled(OLD[old], ids[-OLD[old].count("{") :]))


def test_an_item_taken_off_a_draft_leaves_sound_amounts() -> None:
    drafts = {row.id for row in ROWS["invoice"] if row.body["status"] == "draft"}
    items = [row for row in ROWS["invoiceitem"] if row.body.get("invoice") in drafts]
    assert items
    with reached() as api:
        for item in items:
            api.send("DELETE", f"/v1/invoiceitems/{item.id}")
            invoice = api.get(f"/v1/invoices/{item.body['invoice']}")
            lines = api.get(f"/v1/invoices/{invoice['id']}/lines", limit=100)["data"]
            assert invoice["subtotal"] == sum(line["amount"] for line in lines)
            assert invoice["amount_remaining"] == invoice["amount_due"] - invoice["amount_paid"]
