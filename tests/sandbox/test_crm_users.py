"""The CRM's user administration: reading, adding and changing users."""

import asyncio

import httpx
import pytest

from registry.sandbox.server import application
from tests.sandbox.direct import Direct

NOW = 1764555240
USERS = "/settings/v3/users/"
BASES = ("/settings/v3/users", "/settings/users/v3")
NEW = {"email": "new@north.example", "sendWelcomeEmail": False}


def api(token: str = "pat-eu1-abc", seed: int = 1, now: int = NOW) -> Direct:
    return Direct(application(seed=seed, now=now), "http://sandbox/crm", Authorization=f"Bearer {token}")


@pytest.fixture
def client() -> Direct:
    return api()


def ids(client: Direct, what: str) -> dict[str, str]:
    return {one["name"]: one["id"] for one in client.get(f"{USERS}{what}")["results"]}


def test_a_cursor_outlives_the_user_it_was_made_from(client: Direct) -> None:
    whole = client.get(USERS, limit=11)["results"]
    after = client.get(USERS, limit=10)["paging"]["next"]["after"]
    client.send("DELETE", f"{USERS}{whole[9]['id']}")
    assert client.get(USERS, limit=1, after=after)["results"] == [whole[10]]


@pytest.mark.parametrize("base", BASES)
def test_both_bases_have_all_operations(client: Direct, base: str) -> None:
    first = client.get(base)
    assert first == client.get(f"{base}/")
    assert first["paging"]["next"]["link"].startswith(f"http://sandbox/crm{base}/?")
    for path in ("/roles", "/teams"):
        assert client.get(base + path) == client.get(BASES[0] + path)
    for path in (base, f"{base}/"):
        created = client.send("POST", path, json=NEW)
        assert created.status_code == 201
        assert created.headers["location"] == f"http://sandbox/crm{base}/{created.json()['id']}"
        place = f"{base}/{created.json()['id']}"
        assert client.get(place) == created.json()
        assert client.send("DELETE", place).status_code == 204


async def test_an_address_belongs_to_one_user() -> None:
    headers = {"Authorization": "Bearer x"}
    transport = httpx.ASGITransport(application(seed=1, now=NOW))
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox/crm", headers=headers) as several:
        responses = await asyncio.gather(*(several.post(USERS, json=NEW) for _ in range(8)))
    assert sorted(response.status_code for response in responses) == [201] + [409] * 7
