"""Faults in front of the services: how they are written, what each does to a response, to which requests, and how often."""

import json
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import fields

from registry.sandbox.faults.bodies import large_list
from registry.sandbox.faults.faulty import ConnectionLost, Faults
from registry.sandbox.faults.specification import KINDS, Fault, WrongFault, parse, table
from registry.sandbox.server import application
from registry.sandbox.world import World
from tests.cases import cases_beside

CASES = cases_beside(__file__)

NOW = 1764555240
PLACES = {
    "payments": "/payments/v1/webhook_endpoints?limit=3",
    "files": "/files/v1/quotes/none/pdf",
    "incidents": "/incidents/users?limit=3",
    "crm": "/crm/settings/v3/users/?limit=3",
}


def api(*faults: str, **options: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(application(seed=1, now=NOW, faults=faults, **options))
    headers = {"Authorization": "Bearer sk_test_1"}
    return httpx.AsyncClient(transport=transport, base_url="http://sandbox", headers=headers)


async def test_ids_of_refusals_are_never_given_twice() -> None:
    client = api("500")
    ids = [(await client.get(PLACES["payments"])).headers["Request-Id"] for _ in range(3)]
    ids += [(await client.get(PLACES["crm"])).json()["correlationId"] for _ in range(3)]
    assert len(set(ids)) == 6


async def test_the_first_requests_only() -> None:
    client = api("incidents:/users* 500 x2", "incidents 503 x1")
    places = ["/incidents/users", "/incidents/teams", "/incidents/users", "/incidents/users"]
    assert [(await client.get(place)).status_code for place in places] == [500, 503, 500, 200]


@pytest.mark.parametrize(
    ("fault", "method", "place", "struck"),
    [
        ("500", "GET", PLACES["crm"], True),
        ("payments 500", "GET", PLACES["crm"], False),
        ("crm 500", "GET", PLACES["crm"], True),
        ("/settings* 500", "GET", PLACES["crm"], True),
        ("crm:/settings/v3/users 500", "GET", PLACES["crm"], False),
        ("crm:/settings/v3/users? 500", "GET", PLACES["crm"], True),
        ("crm:/users* 500", "GET", PLACES["crm"], False),
        ("crm DELETE 500", "GET", PLACES["crm"], False),
        ("crm DELETE 500", "DELETE", "/crm/settings/v3/users/nobody", True),
    ],
)
async def test_which_requests(fault: str, method: str, place: str, struck: bool) -> None:
    response = await api(fault).request(method, place)
    assert (response.status_code == 500) is struck


@pytest.mark.parametrize("place", [PLACES["payments"], PLACES["incidents"], PLACES["crm"]])
async def test_json_that_breaks_off(place: str) -> None:
    whole = (await api().get(place)).content
    half = await api("cut").get(place)
    assert (half.status_code, half.content) == (200, whole[: len(whole) // 2])
    assert half.headers["content-length"] == str(len(whole) // 2)
    with pytest.raises(json.JSONDecodeError):
        half.json()
    assert (await api("cut after 10 bytes").get(place)).content == whole[:10]
    assert (await api("cut after 10MB").get(place)).content == whole[:-1]


def test_latency_is_the_same_in_every_run_and_adds_up() -> None:
    def delays(seed: int) -> list[float]:
        faults = Faults(World(seed, NOW))
        faults.add("latency 200ms-2s")
        return [delay_of(faults) for _ in range(50)]

    assert delays(1) == delays(1) != delays(2)
    assert all(0.2 <= delay <= 2.0 for delay in delays(1))
    assert len(set(delays(1))) == 50
    faults = Faults(World(1, NOW))
    for text in ("latency 1s", "latency 2s x1", "500"):
        faults.add(text)
    assert [delay_of(faults) for _ in range(2)] == [3.0, 1.0]


def delay_of(faults: Faults) -> float:
    treatment = faults.treatment("crm", "GET", "/")
    assert treatment is not None
    return treatment[0]


@pytest.mark.parametrize(("fault", "carried_out"), CASES["whether a fault lets a deletion through"])
@pytest.mark.parametrize(
    "place", ["/payments/v1/products/none", "/crm/settings/v3/users/ivo.petrov%40fernway.example?idProperty=EMAIL"]
)
async def test_whether_a_deletion_is_carried_out(place: str, fault: str, carried_out: bool) -> None:
    client = api(f"DELETE {fault}")
    if "products" in place:
        place = "/payments/v1/webhook_endpoints/" + (await client.get("/payments/v1/webhook_endpoints")).json()["data"][0]["id"]
    assert (await client.get(place)).status_code == 200
    try:
        await client.delete(place)
    except ConnectionLost:
        assert "drop" in fault
    else:
        assert "drop" not in fault
    assert (await client.get(place)).status_code == (404 if carried_out else 200)


@pytest.mark.parametrize("size", [1_000, 1_001, 65_536, 3_000_017])
@pytest.mark.parametrize(
    ("service", "path", "items"),
    [
        ("payments", "/v1/charges", "data"),
        ("payments", "/v1/charges/search", "data"),
        ("incidents", "/incidents", "incidents"),
        ("crm", "/settings/v3/users/", "results"),
        ("payments", "/" + 'ü"\\' * 2_000, "data"),
    ],
)
def test_large_lists_are_lists_of_exactly_that_size(service: str, path: str, items: str, size: int) -> None:
    pieces = list(large_list(service, path, size))
    assert max(len(piece) for piece in pieces) <= 66_000
    text = b"".join(pieces)
    assert len(text) == size
    content = json.loads(text)
    assert isinstance(content[items], list)
    assert len(content[items]) > size / 1_000 - 2
    assert content.get("object") in (None, "search_result" if path.endswith("search") else "list")


async def test_managing_faults() -> None:
    client = api("payments 503 x2")
    assert (await client.get("/sandbox/faults")).json() == {
        "faults": [{"id": 1, "fault": "payments 503 x2", "applied": 0, "remaining": 2}]
    }
    added = await client.post("/sandbox/faults", json={"fault": "crm 500"})
    assert (added.status_code, added.json()) == (201, {"id": 2, "fault": "crm 500", "applied": 0, "remaining": None})
    for service in ("payments", "payments", "payments", "crm"):
        await client.get(PLACES[service])
    told = (await client.get("/sandbox/faults")).json()["faults"]
    assert [(fault["applied"], fault["remaining"]) for fault in told] == [(2, 0), (1, None)]
    assert (await client.delete("/sandbox/faults/2")).json() == {"removed": 1}
    assert (await client.get(PLACES["crm"])).status_code == 200
    assert (await client.delete("/sandbox/faults/2")).status_code == 404
    assert (await client.delete("/sandbox/faults")).json() == {"removed": 1}
    assert (await client.get("/sandbox/faults")).json() == {"faults": []}
    again = await client.post("/sandbox/faults", json={"fault": "crm 500"})
    assert again.json()["id"] == 3


@pytest.mark.parametrize(("text", "read"), CASES["faults as text"])
def test_reading(text: str, read: dict[str, Any]) -> None:
    fault = parse(text)
    usual = {field.name: field.default for field in fields(Fault) if field.name not in ("text", "kind")}
    assert {name: getattr(fault, name) for name in usual} == usual | read
    assert parse(fault.text) == fault


def test_the_table_holds_every_kind_and_its_examples_are_faults() -> None:
    text = table()
    for name, kind in KINDS.items():
        assert kind.form in text
        assert kind.example in text
        assert parse(kind.example).kind == name
    assert max(len(line) for line in text.splitlines()) <= 128


@settings(derandomize=True, deadline=None)
@given(st.lists(st.sampled_from([*"a:/*x3", "crm", "GET", "429", "drop", "after", "1", "MB", " ", "s", "-", "é", "\x1b"])))
def test_any_text_is_a_fault_or_told_why_not(parts: list[str]) -> None:
    told = ""
    try:
        told = f"{parse(''.join(parts))}; for example: "
    except WrongFault as error:
        told = str(error)
    assert "; for example: " in told
