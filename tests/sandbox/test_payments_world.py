"""The sandbox's own payments world, read through the service: every operation has something to answer with."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from starlette.applications import Starlette

from registry.sandbox.payments.builder import Datasets
from registry.sandbox.payments.datasets import DATASETS
from registry.sandbox.payments.expanding import holds_objects
from registry.sandbox.payments.listing import Listing
from registry.sandbox.payments.routes.deletions import DELETIONS
from registry.sandbox.payments.routes.lists import LISTS, SEARCHES
from registry.sandbox.payments.routes.objects import OBJECTS
from registry.sandbox.payments.service import indexes
from registry.sandbox.payments.shapes import kinds_of, shapes
from registry.sandbox.server import application
from registry.sandbox.store import Store
from registry.sandbox.world import DAY, World
from tests.sampled import chosen, first_of_each
from tests.sandbox.payments_addresses import Rows, addresses, deletable, filled

NOW = 1_760_000_000
WORLD = World(1, NOW)


@pytest.fixture(scope="module")
def rows() -> Rows:
    """All stored objects by kind, written into a store of their own."""
    store = Store(indexes())
    datasets = Datasets(WORLD, store, DATASETS)
    kinds = {kind for dataset in DATASETS for kind in dataset.kinds}
    for kind in sorted(kinds):
        datasets.ensure(kind)
    return {kind: store.every(kind) for kind in kinds}


def fresh() -> Starlette:
    return application(seed=WORLD.seed, now=NOW)


@pytest.fixture(scope="module")
def app() -> Starlette:
    return fresh()


@pytest.fixture
def api(app: Starlette) -> httpx.AsyncClient:
    return reached(app)


def reached(app: Starlette) -> httpx.AsyncClient:
    headers = {"Authorization": "Bearer sk_test_world"}
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://sandbox/payments", headers=headers)


async def get(api: httpx.AsyncClient, path: str) -> Any:
    response = await api.get(path)
    assert response.status_code == 200, f"{path}: {response.text}"
    return response.json()


@pytest.mark.parametrize("path", OBJECTS)
async def test_every_kind_of_object_can_be_read(path: str, api: httpx.AsyncClient, rows: Rows) -> None:
    found = list(addresses(path, OBJECTS[path], rows, NOW))
    assert found, "the world has nothing that this path leads to"
    for address in [*found[:3], found[-1]]:
        shown = await get(api, address)
        shape = shapes()[shown["object"]]
        needed = {name for name, field in shape.fields.items() if not (field.get("optional") or "shown" in field)}
        assert needed <= shown.keys(), address


@pytest.mark.parametrize("path", OBJECTS)
async def test_every_reference_leads_to_an_object(path: str, api: httpx.AsyncClient, rows: Rows) -> None:
    """What can be expanded becomes an object wherever there is an id, in the first and the last object of the kind."""
    for address in list(addresses(path, OBJECTS[path], rows, NOW))[:: max(1, len(rows) // 3)][:4]:
        plain = await get(api, address)
        shape = shapes()[plain["object"]]
        for name, field in shape.fields.items():
            if holds_objects(field) and name in plain:
                held = plain[name] if isinstance(plain[name], list) else [plain[name]]
                assert all(isinstance(one, dict) for one in held if one is not None), f"{address}: {name}"
            if not (field.get("expandable") and plain.get(name)) or not known(field):
                continue
            expanded = (await get(api, f"{address}?expand[]={name}"))[name]
            for one in expanded if isinstance(expanded, list) else [expanded]:
                assert isinstance(one, dict), f"{address}: {name} is {one}"
                assert one["object"] in kinds_of(field["ref"]) or one.get("deleted")


def known(field: dict[str, Any]) -> bool:
    return bool(set(kinds_of(field["ref"])) & shapes().keys())


@pytest.mark.parametrize(
    "path",
    # The two that hang on most objects are long: one request for each.
    chosen(
        [path for path, operation in LISTS.items() if isinstance(operation, Listing)],
        lambda path: path not in ("/v1/charges/{charge}/refunds", "/v1/invoices/{invoice}/lines"),
    ),
)
async def test_every_list_has_members(path: str, api: httpx.AsyncClient, rows: Rows) -> None:
    operation = LISTS[path]
    assert isinstance(operation, Listing)
    owners = [row.id for row in rows[operation.owner]] if operation.owner else [""]
    if operation.owner == "tax.calculation":
        owners = [row.id for row in rows["tax.calculation"] if (row.body.get("expires_at") or NOW + 1) > NOW]
    required = next((one for one in operation.filters if one.parameter.required), None)
    values = [row.id for row in rows[required.refers]] if required else [""]
    longest: list[str] = []
    for owner in owners:
        for value in values:
            query = f"?{required.parameter.name}={value}" if required else ""
            page = await get(api, filled(path, [owner]) + query)
            longest = max(longest, [one["id"] for one in page["data"]], key=len)
    assert longest
    assert len(set(longest)) == len(longest)


@pytest.mark.parametrize("path", SEARCHES)
async def test_every_search_finds_something(path: str, api: httpx.AsyncClient) -> None:
    found = await get(api, f"{path}?query=-metadata['no such key']:'x'&limit=100")
    assert found["data"]


async def test_usage_has_summaries(api: httpx.AsyncClient, rows: Rows) -> None:
    events = rows["_usage"]
    assert events
    meter, customer = events[0].body["meter"], events[0].body["customer"]
    start, end = (NOW - 60 * DAY) // DAY * DAY, NOW // DAY * DAY + DAY
    query = f"customer={customer}&start_time={start}&end_time={end}&value_grouping_window=day"
    assert (await get(api, f"/v1/billing/meters/{meter}/event_summaries?{query}"))["data"]


async def test_finalized_quotes_have_pdfs(app: Starlette, api: httpx.AsyncClient, rows: Rows) -> None:
    api.base_url = httpx.URL("http://sandbox/files")
    for row in rows["quote"]:
        response = await api.get(f"/v1/quotes/{row.id}/pdf")
        assert response.status_code == (400 if row.body["status"] == "draft" else 200)


@pytest.mark.parametrize("path", first_of_each(DELETIONS, lambda path: (type(DELETIONS[path]), path.count("{"))))
async def test_every_deletion_is_possible_somewhere_and_only_once(path: str, rows: Rows) -> None:
    api = reached(fresh())
    found = list(deletable(path, DELETIONS[path], rows))
    responses = [(address, (await api.delete(address)).status_code) for address in found]
    assert {status for _, status in responses} <= {200, 400}
    done = [address for address, status in responses if status == 200]
    assert done
    for address in done:
        again = await api.delete(address)
        assert (again.status_code, again.json()["error"]["code"]) == (404, "resource_missing")


async def test_an_item_taken_off_a_draft_leaves_sound_amounts(rows: Rows) -> None:
    api = reached(fresh())
    drafts = {row.id for row in rows["invoice"] if row.body["status"] == "draft"}
    items = [row for row in rows["invoiceitem"] if row.body.get("invoice") in drafts]
    assert items
    for item in items:
        await api.delete(f"/v1/invoiceitems/{item.id}")
        invoice = await get(api, f"/v1/invoices/{item.body['invoice']}")
        lines = (await get(api, f"/v1/invoices/{invoice['id']}/lines?limit=100"))["data"]
        assert invoice["subtotal"] == sum(line["amount"] for line in lines)
        assert invoice["amount_remaining"] == invoice["amount_due"] - invoice["amount_paid"]
