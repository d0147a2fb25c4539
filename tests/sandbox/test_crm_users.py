"""The CRM's user administration: reading, adding and changing users, and what is refused."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import httpx
import pytest

from registry.sandbox.company import PEOPLE
from registry.sandbox.server import application
from tests.sandbox.direct import Direct

NOW = 1764555240
USERS = "/settings/v3/users/"
BASES = ("/settings/v3/users", "/settings/users/v3")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
NEW = {"email": "new@north.example", "sendWelcomeEmail": False}


def api(token: str = "pat-eu1-abc", seed: int = 1, now: int = NOW) -> Direct:
    return Direct(application(seed=seed, now=now), "http://sandbox/crm", Authorization=f"Bearer {token}")


@pytest.fixture
def client() -> Direct:
    return api()


def every(client: Direct, limit: int = 100) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    params: dict[str, Any] = {"limit": limit}
    while True:
        page = client.get(USERS, **params)
        assert page["results"]
        found += page["results"]
        if "paging" not in page:
            return found
        assert len(page["results"]) == limit
        params["after"] = page["paging"]["next"]["after"]


def ids(client: Direct, what: str) -> dict[str, str]:
    return {one["name"]: one["id"] for one in client.get(f"{USERS}{what}")["results"]}


def refused(response: httpx.Response, status: int, category: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    body: dict[str, Any] = response.json()
    assert (body["status"], body["category"]) == ("error", category)
    assert body["message"]
    assert UUID.fullmatch(body["correlationId"])
    return body


@pytest.mark.parametrize("limit", [1, 7, 74])
def test_pages_of_any_size_give_the_whole_list(client: Direct, limit: int) -> None:
    whole = every(client)
    assert every(client, limit) == whole
    assert len({one["id"] for one in whole}) == len({one["email"] for one in whole}) == len(whole) >= 130


def test_a_page_that_is_refused(client: Direct) -> None:
    values = {"limit": ("0", "101", "-1", "many", ""), "after": ("1", "xyz", "!!", "ÿ", "dXNlcjp4")}
    for name, several in values.items():
        for value in several:
            body = refused(client.send("GET", USERS, params={name: value}), 400, "VALIDATION_ERROR")
            assert body["errors"][0]["in"] == name


def test_a_cursor_outlives_the_user_it_was_made_from(client: Direct) -> None:
    whole = every(client)
    after = client.get(USERS, limit=10)["paging"]["next"]["after"]
    client.send("DELETE", f"{USERS}{whole[9]['id']}")
    assert client.get(USERS, limit=1, after=after)["results"] == [whole[10]]


def test_records(client: Direct) -> None:
    always = {"id", "email", "roleIds", "secondaryTeamIds", "superAdmin", "sendWelcomeEmail", "seatNames"}
    sometimes = {"firstName", "lastName", "roleId", "primaryTeamId"}
    users, roles, teams = every(client), ids(client, "roles"), ids(client, "teams")
    for user in users:
        assert always <= set(user) <= always | sometimes
        assert user["id"].isdecimal()
        assert user["roleIds"] == ([user["roleId"]] if "roleId" in user else [])
        assert set(user["roleIds"]) <= set(roles.values())
        assert {*user["secondaryTeamIds"], user.get("primaryTeamId", teams["Web"])} <= set(teams.values())
        assert user.get("primaryTeamId") not in user["secondaryTeamIds"]
    for name in sometimes:
        assert 0 < sum(name in user for user in users) < len(users)
    assert 0 < sum(user["superAdmin"] for user in users) < 5
    assert [user["email"] for user in users[: len(PEOPLE)]] == [person.email for person in PEOPLE]
    for role in client.get(f"{USERS}roles")["results"]:
        assert set(role) == {"id", "name", "requiresBillingWrite"}
    for team in client.get(f"{USERS}teams")["results"]:
        assert set(team) == {"id", "name", "userIds", "secondaryUserIds"}


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


def test_a_new_user_starts_with_the_least(client: Direct) -> None:
    before = every(client)
    created = client.send("POST", USERS, json={"email": "ada+crm@north.example", "sendWelcomeEmail": True, "superAdmin": True})
    user = created.json()
    assert (created.status_code, user) == (
        201,
        {
            "id": user["id"],
            "email": "ada+crm@north.example",
            "roleIds": [],
            "secondaryTeamIds": [],
            "superAdmin": False,
            "sendWelcomeEmail": True,
            "seatNames": [],
        },
    )
    assert every(client) == [*before, {**user, "sendWelcomeEmail": False}]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"email": None}, "email"),
        ({"email": 5}, "email"),
        ({"email": "nobody"}, "email"),
        ({"email": "a b@north.example"}, "email"),
        ({"email": "a@@north.example"}, "email"),
        ({"sendWelcomeEmail": None}, "sendWelcomeEmail"),
        ({"sendWelcomeEmail": "false"}, "sendWelcomeEmail"),
        ({"roleId": "1"}, "roleId"),
        ({"roleId": 172841}, "roleId"),
        ({"primaryTeamId": "no"}, "primaryTeamId"),
        ({"secondaryTeamIds": "20804837"}, "secondaryTeamIds"),
        ({"secondaryTeamIds": ["no"]}, "secondaryTeamIds"),
        ({"secondaryTeamIds": [None]}, "secondaryTeamIds"),
        ({"firstName": ["A"]}, "firstName"),
        ({"lastName": "\ud83d"}, "lastName"),
    ],
)
def test_what_is_wrong_in_a_user_is_refused(client: Direct, change: dict[str, Any], where: str) -> None:
    before = every(client)
    answers = [client.send("POST", USERS, json={**NEW, **change})]
    if where not in ("email", "sendWelcomeEmail"):
        answers.append(client.send("PUT", f"{USERS}{before[3]['id']}", json=change))
    for answer in answers:
        body = refused(answer, 400, "VALIDATION_ERROR")
        assert body["errors"][0]["in"] == where
        assert set(body["errors"][0]) == {"message", "in", "code"}
    assert every(client) == before


@pytest.mark.parametrize(
    "content", [b"", b"{} x", b"[]", b'{"email": "\xff"}', b"[" * 100_000, b'{"a": ' + b"9" * 5_000 + b"}"]
)
def test_what_is_not_json_is_told_in_plain_words(client: Direct, content: bytes) -> None:
    body = refused(client.send("POST", USERS, content=content), 400, "VALIDATION_ERROR")
    assert body["message"].startswith("Invalid input JSON: ")
    for word in ("codec", "recursion", "limit", "char ", "Extra data"):
        assert word not in body["message"]


async def test_an_address_belongs_to_one_user() -> None:
    headers = {"Authorization": "Bearer x"}
    transport = httpx.ASGITransport(application(seed=1, now=NOW))
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox/crm", headers=headers) as several:
        for address in ("sam.ode@fernway.example", "Sam.Ode@FERNWAY.example"):
            refused(await several.post(USERS, json={**NEW, "email": address}), 409, "CONFLICT")
        responses = await asyncio.gather(*(several.post(USERS, json=NEW) for _ in range(8)))
    assert sorted(response.status_code for response in responses) == [201] + [409] * 7


def test_a_change_touches_only_what_it_names(client: Direct) -> None:
    roles, teams = ids(client, "roles"), ids(client, "teams")
    before = every(client)
    mei = next(user for user in before if user["email"] == "mei.tan@fernway.example")
    path = f"{USERS}{mei['id']}"
    assert mei["secondaryTeamIds"]

    def changed(**body: Any) -> dict[str, Any]:
        record: dict[str, Any] = client.send("PUT", path, json=body).json()
        assert record == client.get(path)
        return record

    assert changed() == mei
    assert changed(lastName=None, firstName="May", email="other@north.example", superAdmin=True) == {**mei, "firstName": "May"}
    mei = changed(roleId=roles["Service"])
    assert (mei["roleIds"], mei["seatNames"]) == ([roles["Service"]], ["Service"])
    assert changed(secondaryTeamIds=[])["secondaryTeamIds"] == []
    changed(secondaryTeamIds=[teams["Data"], teams["Web"]])
    mei = changed(primaryTeamId=teams["Data"])
    assert (mei["primaryTeamId"], mei["secondaryTeamIds"]) == (teams["Data"], [teams["Web"]])
    assert [user["id"] for user in every(client)] == [user["id"] for user in before]
    refused(client.send("PUT", f"{USERS}1", json={"firstName": "A"}), 404, "OBJECT_NOT_FOUND")
    wrong = client.send("GET", path, params={"idProperty": "email"})
    assert refused(wrong, 400, "VALIDATION_ERROR")["errors"][0]["in"] == "idProperty"


def test_who_may_ask(client: Direct) -> None:
    for authorization in ("", "Bearer", "Bearer ", "Token token=abc", "Basic YTpi", "Bearer a b", "pat-eu1-abc"):
        for path in (f"{USERS}?hapikey=abc", f"{USERS}roles", "/nowhere"):
            refused(client.send("GET", path, headers={"Authorization": authorization}), 401, "INVALID_AUTHENTICATION")
    body = refused(api("expired-abc").send("POST", USERS, json={}), 401, "EXPIRED_AUTHENTICATION")
    assert body["context"] == {"expire time": ["2025-12-01T02:13:00.000Z"]}
    reader = api("readonly-abc")
    path = f"{USERS}{every(reader)[0]['id']}"
    for method, place in (("POST", USERS), ("PUT", path), ("DELETE", path), ("DELETE", f"{USERS}1")):
        body = refused(reader.send(method, place, json={}), 403, "MISSING_SCOPES")
        assert body["errors"][0]["context"]["requiredScopes"] == ["crm.objects.users.write", "settings.users.write"]
        assert set(body["links"]) == {"scopes"}


def test_paths_and_methods_that_are_not_there(client: Direct) -> None:
    user = every(client)[0]["id"]
    for path in ("/", "/settings/v3", "/settings/v3/user", "/crm/v3/objects/users", f"{USERS}{user}/teams", f"{USERS}1"):
        refused(client.send("GET", path), 404, "OBJECT_NOT_FOUND")
    for method, path in (("DELETE", USERS), ("PUT", USERS), ("POST", f"{USERS}roles"), ("PATCH", f"{USERS}{user}")):
        refused(client.send(method, path, json={}), 405, "METHOD_NOT_ALLOWED")


def test_the_same_seed_gives_the_same_account(client: Direct) -> None:
    users = every(client)
    assert users == every(api(now=NOW + 10_000_000))
    assert not {user["id"] for user in users} & {user["id"] for user in every(api(seed=2))}
