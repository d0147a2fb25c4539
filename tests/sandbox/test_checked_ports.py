"""What a sandbox on a port lets in, what it refuses, and what clients notice of it besides the objects: versions and dates."""

import json
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from registry.sandbox.payments.service import SHAPES
from registry.sandbox.server import CheckedPorts, application
from tests.terminal import ROOT

PORT = 4321
BASE = f"http://127.0.0.1:{PORT}"
KEY = {"Authorization": "Bearer sk_test_sandbox"}
JSON = {"Content-Type": "application/json"}
NOW = 1_780_000_000
QUOTES = "/payments/v1/quotes?limit=1"


@pytest.fixture(scope="module")
def sandbox() -> CheckedPorts:
    return CheckedPorts(application(now=NOW), {PORT: ""})


async def ask(
    door: CheckedPorts,
    path: str,
    headers: Mapping[str, str] | None = None,
    *,
    host: str = f"127.0.0.1:{PORT}",
    body: bytes | AsyncIterator[bytes] | None = None,
) -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url=BASE) as client:
        method = "GET" if body is None else "POST"
        return await client.request(method, path, headers={"Host": host, **(headers or {})}, content=body)


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"])
async def test_this_machine_is_let_in(sandbox: CheckedPorts, host: str) -> None:
    assert (await ask(sandbox, "/payments/v1/balance", KEY, host=host)).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.test", f"evil.test:{PORT}", "127.0.0.1", "127.0.0.1:1", "", f"127.0.0.1:{PORT}.evil.test", f"127.0.0.1:{PORT}@e"],
)
async def test_other_hosts_are_not(sandbox: CheckedPorts, host: str) -> None:
    for path in ("/payments/v1/customers", "/sandbox/clock", "/identity/crm"):
        response = await ask(sandbox, path, KEY, host=host)
        assert response.status_code == 421
        assert f"127.0.0.1:{PORT}" in response.json()["error"]


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.test",
        "http://evil.test:4321",
        "null",
        f"https://127.0.0.1:{PORT}",
        "http://localhost",
        f"127.0.0.1:{PORT}",
    ],
)
async def test_pages_of_other_sites_change_nothing(sandbox: CheckedPorts, origin: str) -> None:
    before = (await ask(sandbox, "/sandbox/clock")).json()["now"]
    response = await ask(sandbox, "/sandbox/clock", {**JSON, "Origin": origin}, body=b'{"advance": 60}')
    assert response.status_code == 403
    assert (await ask(sandbox, "/sandbox/clock")).json()["now"] == before


async def test_own_pages_are_let_in(sandbox: CheckedPorts) -> None:
    origin = {"Origin": f"http://127.0.0.1:{PORT}"}
    assert (await ask(sandbox, "/payments/v1/balance", {**KEY, **origin})).status_code == 200
    # A sign-in page sends no referrer, and so its form has no origin.
    response = await ask(sandbox, "/identity/crm/oauth/authorize", {"Origin": "null"}, body=b"")
    assert response.status_code not in (403, 421)


async def test_a_body_is_bounded_in_size_whether_it_says_so_or_not(sandbox: CheckedPorts) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b"x" * 100_000

    for body in (b"x" * 2_000_000, chunks()):
        response = await ask(sandbox, "/crm/settings/v3/users/", {**JSON, "Authorization": "Bearer sandbox"}, body=body)
        assert (response.status_code, response.json()) == (413, {"error": "a request's body may have at most 1000000 bytes"})


async def test_one_version_is_spoken_and_others_are_noted(sandbox: CheckedPorts) -> None:
    own = await ask(sandbox, QUOTES, KEY)
    assert (own.headers["stripe-version"], "sandbox-note" in own.headers) == (SHAPES, False)
    other = await ask(sandbox, QUOTES, {**KEY, "Stripe-Version": "2020-08-27"})
    assert (other.status_code, other.headers["stripe-version"]) == (200, SHAPES)
    assert SHAPES in other.headers["sandbox-note"]


async def test_the_date_moves_with_the_clock() -> None:
    door = CheckedPorts(application(now=NOW), {PORT: ""})
    for moved in (0, 86_400):
        for place in (QUOTES, "/incidents/teams", "/crm/settings/v3/users/", "/sandbox/clock", "/nothing"):
            dates = (await ask(door, place, KEY)).headers.get_list("date")
            assert [parsedate_to_datetime(one).timestamp() for one in dates] == [NOW + moved], place
        await ask(door, "/sandbox/clock", JSON, body=b'{"advance": 86400}')


@contextmanager
def command() -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The command as a script starts it, its output in a pipe; and how it says it is reached."""
    words = [sys.executable, "-m", "tui", "sandbox", "--port", "0", "--json", "--strict-keys"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        try:
            yield process, json.loads(ready)
        finally:
            process.terminate()


def test_the_command_is_behind_the_door_and_bears_clients_that_leave() -> None:
    with command() as (process, told):
        base, port = told["url"], urlsplit(told["url"]).port
        assert set(told["environment"]) == {
            *("PAYMENTS_BASE_URL", "PAYMENTS_FILES_URL", "PAYMENTS_API_KEY"),
            *("INCIDENTS_BASE_URL", "INCIDENTS_API_TOKEN", "CRM_BASE_URL", "CRM_ACCESS_TOKEN"),
        }
        assert told["environment"]["CRM_BASE_URL"] == f"{base}/crm"
        assert told["sign_in"]["crm"] == {"url": f"{base}/identity/crm", "client": "callboard-crm"}
        assert httpx.get(f"{told['control']}/clock", trust_env=False).json()["runs"] is True
        with httpx.Client(base_url=base, headers=KEY, trust_env=False) as client:
            assert client.get("/payments/v1/balance", headers={"Authorization": "Bearer sk_test_1"}).status_code == 401
            assert client.get("/payments/v1/customers", headers={"Host": "evil.test"}).status_code == 421
            assert client.get("/sandbox/clock", headers={"Origin": "https://evil.test"}).status_code == 403
            for words in ("GET /payments/v1/customers?limit=100", "POST /crm/settings/v3/users/", "GET /sandbox/clock"):
                with socket.create_connection(("127.0.0.1", port), timeout=20) as leaving:
                    # It leaves at once, by a reset and not by a farewell.
                    leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    head = f"{words} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer sk_test_sandbox\r\n"
                    leaving.sendall((head + "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{").encode())
            assert client.get("/payments/v1/balance").status_code == 200
        process.terminate()
        _, complaints = process.communicate(timeout=20)
        assert complaints == ""
