"""Faults as clients meet them: services that break off, crawl or flood over a real socket; and hostile content of each kind."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from registry.sandbox.faults.bodies import ESCAPES, FORGED, HALVES, SECRET, compressed, large_list
from registry.sandbox.faults.specification import HOSTILE
from registry.sandbox.server import application
from tests.sandbox.serving import served

NOW = 1764555240
ME = "/incidents/users/me"
HEADERS = {"Authorization": "Bearer x"}


@pytest.fixture
def control() -> Iterator[httpx.Client]:
    with httpx.Client() as client:
        yield client


@pytest.mark.parametrize("fault", ["drop before", "drop after"])
def test_no_answer(control: httpx.Client, fault: str) -> None:
    with served(application(now=NOW, faults=[fault + " x1"])) as address:
        with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
            control.get(address + ME, headers=HEADERS)
        assert control.get(address + ME, headers=HEADERS).status_code == 200


def test_an_answer_that_breaks_off(control: httpx.Client) -> None:
    with served(application(now=NOW, faults=["incidents drop after 100 bytes x1"])) as address:
        pieces: list[bytes] = []
        broken = pytest.raises(httpx.RemoteProtocolError, match="received 100 bytes")
        with control.stream("GET", address + ME, headers=HEADERS) as response, broken:
            pieces.extend(response.iter_raw())
        whole = control.get(address + ME, headers=HEADERS)
        assert b"".join(pieces) == whole.content[:100]
        assert response.headers["content-length"] == whole.headers["content-length"]


def test_an_answer_that_breaks_off_never_arrives_whole(control: httpx.Client) -> None:
    broken = pytest.raises(httpx.RemoteProtocolError, match="without sending complete")
    with served(application(now=NOW, faults=["incidents drop after 10MB"])) as address, broken:
        control.get(address + ME, headers=HEADERS)


def test_a_body_a_byte_at_a_time(control: httpx.Client) -> None:
    with served(application(now=NOW, faults=["trickle 0.01ms x1"])) as address:
        with control.stream("GET", address + ME, headers=HEADERS) as response:
            pieces = list(response.iter_raw())
        assert len(pieces) > 10
        assert b"".join(pieces) == control.get(address + ME, headers=HEADERS).content


def test_a_large_body_is_made_while_it_is_read(control: httpx.Client) -> None:
    """Two gigabytes would not fit, and a client that stops reading stops them."""
    with served(application(now=NOW, faults=["incidents large 2GB x1"])) as address:
        with control.stream("GET", address + ME, headers=HEADERS) as response:
            assert response.headers["content-length"] == "2000000000"
            received = 0
            for piece in response.iter_raw():
                received += len(piece)
                if received > 5_000_000:
                    break
        assert control.get(address + ME, headers=HEADERS).status_code == 200


def test_a_client_that_waits_no_longer(control: httpx.Client) -> None:
    """The deletion was not carried out, and never will be."""
    user = "/crm/settings/v3/users/ivo.petrov@fernway.example?idProperty=EMAIL"
    with served(application(now=NOW, faults=["DELETE latency 10m"])) as address:
        with pytest.raises(httpx.ReadTimeout):
            control.delete(address + user, headers=HEADERS, timeout=0.2)
        assert control.get(address + user, headers=HEADERS).status_code == 200


KEY = "sk_test_hostile_echo"
READ = "/payments/v1/payment_method_configurations?limit=3"
PLACES = {"payments": READ, "incidents": "/incidents/users?limit=3", "crm": "/crm/settings/v3/users/?limit=3"}


async def body(fault: str, place: str = READ) -> httpx.Response:
    transport = httpx.ASGITransport(application(seed=1, now=NOW, faults=[fault]))
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox") as client:
        return await client.get(place, headers={"Authorization": f"Bearer {KEY}"})


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("service", PLACES)
async def test_every_service_has_every_kind_in_answers_and_refusals(service: str, kind: str) -> None:
    usual = await body("head 500", PLACES[service])
    for status in ("", "401"):
        told = await body(f"{service} {kind} {status}", PLACES[service])
        assert told.status_code == (401 if status else 200)
        assert told.headers["content-length"] == str(len(told.content))
        assert b"hostile" in told.content.replace(b"\x00", b"")
        if kind not in ("encoding", "nan"):
            whole = json.loads(told.content)
            assert set(usual.json() if not status else ()) <= set(whole)


async def test_another_encoding_whose_bytes_a_terminal_would_obey() -> None:
    told = await body("payments encoding")
    assert b"\x1b]52;c;SEFSTQ==\x07" in told.content
    whole: Any = json.loads(told.content.decode("utf-16-be"))
    assert "\x1b" not in whole["hostile"]
    for name in ("utf-16le", "utf-16", "utf-32", "latin-1"):
        there = await body(f"payments encoding {name}")
        assert json.loads(there.content.decode(name))["object"] == "list"


async def test_numbers_that_are_none() -> None:
    found: list[str] = []
    pairs: list[list[str]] = []

    def constant(text: str) -> None:
        found.append(text)

    def names(members: list[tuple[str, Any]]) -> dict[str, Any]:
        pairs.append([name for name, _ in members])
        return dict(members)

    told = (await body("payments nan")).text
    json.loads(told, parse_constant=constant, object_pairs_hook=names)
    assert {"NaN", "Infinity", "-Infinity"} == set(found)
    assert any(len(set(one)) < len(one) for one in pairs)
    assert SECRET in told


async def test_halves_of_pairs() -> None:
    whole = (await body("payments surrogate")).json()
    assert set(whole["hostile"]) == set(HALVES)
    refused = (await body("payments surrogate 402")).json()
    assert refused["error"]["message"].endswith("".join(HALVES))


async def test_escapes_and_forged_lines_stand_in_the_texts() -> None:
    for kind, texts in (("escapes", ESCAPES), ("forge", FORGED)):
        assert (await body(f"payments {kind} 500")).json()["error"]["message"].endswith("".join(texts))
        names = [one["name"] for one in (await body(f"payments {kind}")).json()["data"]]
        assert all(name.endswith("".join(texts)) for name in names)


@pytest.mark.parametrize("charset", ["", "utf-16", "utf-16be", "utf-32"])
async def test_the_credential_comes_back_in_several_spellings(charset: str) -> None:
    told = await body(f"payments echo-credential {charset} 401")
    text = told.content.decode(charset or "utf-8")
    assert KEY in text
    assert json.loads(text)["error"]["message"].count(KEY) == 1
    assert told.headers["x-received-authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("size", [1_000, 3_000_017])
def test_a_bomb_is_a_list_of_that_size(size: int) -> None:
    packed = b"".join(compressed(large_list("payments", "/v1/charges", size)))
    whole = gzip.decompress(packed)
    assert whole == b"".join(large_list("payments", "/v1/charges", size))
    assert size < 10_000 or len(packed) < size / 50


async def test_a_drip_goes_on_for_as_long_as_the_client_stays() -> None:
    pieces: list[bytes] = []
    app = application(seed=1, now=NOW, faults=["drip 0.01ms"])
    messages: list[Any] = []

    async def receive() -> Any:
        if len(pieces) > 20:
            return {"type": "http.disconnect"}
        messages.append(1)
        return await forever()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            assert message["more_body"]
            pieces.append(message["body"])

    scope = {"type": "http", "method": "GET", "path": "/crm/x", "root_path": "", "query_string": b"", "headers": []}
    await app(scope, receive, send)
    assert {len(piece) for piece in pieces} == {1}


async def forever() -> Any:
    return await asyncio.get_running_loop().create_future()
