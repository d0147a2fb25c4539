"""Faults of the connection over a real socket: what a client meets when a service breaks off, crawls or floods it."""

from collections.abc import Iterator

import httpx
import pytest

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
