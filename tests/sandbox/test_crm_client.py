"""The CRM's user administration: by the official client over a real socket, and what that does not ask for."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import hubspot
import pytest
from hubspot.settings.users import PublicUserUpdate, UserProvisionRequest
from hubspot.settings.users.exceptions import ApiException, ForbiddenException, NotFoundException, UnauthorizedException

from registry.sandbox.server import application
from tests.sandbox.direct import Direct
from tests.sandbox.serving import served


@pytest.fixture
def address() -> Iterator[str]:
    with served(application(seed=1, now=1764555240, strict_keys=True)) as found:
        yield f"{found}/crm"


def connected(address: str, token: str = "pat-eu1-sandbox") -> Any:
    """The users part of a client that was told where the service is."""
    return hubspot.Client.create(access_token=token, host=address).settings.users


@pytest.fixture
def vendor(address: str) -> Any:
    return connected(address)


def test_lists(vendor: Any) -> None:
    first = vendor.users_api.get_page()
    assert len(first.results) == 100
    second = vendor.users_api.get_page(limit=100, after=first.paging.next.after)
    assert second.paging is None
    assert len({user.id for user in first.results + second.results}) == 148
    roles = vendor.roles_api.get_all().results
    teams = vendor.teams_api.get_all().results
    assert {user.role_id for user in first.results} - {None} <= {role.id for role in roles}
    assert any(role.requires_billing_write for role in roles)
    members = {id_ for team in teams for id_ in team.user_ids}
    assert {user.id for user in first.results if user.primary_team_id} <= members


def test_the_life_of_a_user(vendor: Any) -> None:
    role = vendor.roles_api.get_all().results[0]
    one, two, *_ = vendor.teams_api.get_all().results
    request = UserProvisionRequest(
        email="new+one@north.example",
        role_id=role.id,
        primary_team_id=one.id,
        secondary_team_ids=[two.id],
        send_welcome_email=True,
    )
    created = vendor.users_api.create(request)
    assert (created.email, created.role_ids, created.super_admin) == ("new+one@north.example", [role.id], False)
    assert created.send_welcome_email is True

    found = vendor.users_api.get_by_id("new+one@north.example", id_property="EMAIL")
    assert (found.id, found.secondary_team_ids, found.send_welcome_email) == (created.id, [two.id], False)
    changed = vendor.users_api.replace(created.id, PublicUserUpdate(secondary_team_ids=[], primary_team_id=two.id))
    assert (changed.primary_team_id, changed.secondary_team_ids, changed.role_id) == (two.id, [], role.id)

    assert vendor.users_api.archive(created.id) is None
    with pytest.raises(NotFoundException) as gone:
        vendor.users_api.get_by_id(created.id)
    body = json.loads(gone.value.body)
    assert (gone.value.status, body["category"]) == (404, "OBJECT_NOT_FOUND")


def test_refusals(vendor: Any, address: str) -> None:
    def refused(kind: type[ApiException], call: Any) -> tuple[int, str]:
        with pytest.raises(kind) as caught:
            call()
        return caught.value.status, json.loads(caught.value.body)["category"]

    sam = UserProvisionRequest(email="sam.ode@fernway.example", send_welcome_email=False)
    assert refused(ApiException, lambda: vendor.users_api.create(sam)) == (409, "CONFLICT")
    assert refused(ApiException, lambda: vendor.users_api.get_page(limit=500)) == (400, "VALIDATION_ERROR")
    for token in ("pat-eu1-abc", "sandbox-1"):  # the sandbox is strict
        wrong = connected(address, token)
        assert refused(UnauthorizedException, wrong.teams_api.get_all) == (401, "INVALID_AUTHENTICATION")
    late, reader = connected(address, "expired-sandbox"), connected(address, "readonly-sandbox")
    assert refused(UnauthorizedException, late.teams_api.get_all) == (401, "EXPIRED_AUTHENTICATION")
    assert refused(ForbiddenException, lambda: reader.users_api.create(sam)) == (403, "MISSING_SCOPES")
    assert reader.users_api.get_by_id("sam.ode@fernway.example", id_property="EMAIL").id


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
