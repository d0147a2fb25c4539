"""The CRM's user administration: reading, adding, changing and removing users, and what is refused."""

from __future__ import annotations

import asyncio
import re
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import httpx
import pytest

from registry.sandbox.company import PEOPLE
from registry.sandbox.server import application

NOW = 1764555240
USERS = "/settings/v3/users/"
BASES = ("/settings/v3/users", "/settings/users/v3")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def api(token: str = "pat-eu1-abc", seed: int = 1, now: int = NOW, *, rough: bool = False) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(application(seed=seed, now=now, rough=rough))
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.AsyncClient(transport=transport, base_url="http://sandbox/crm", headers=headers)


async def get(client: httpx.AsyncClient, path: str, **params: Any) -> Any:
    response = await client.get(path, params=params or None)
    assert response.status_code == 200, response.text
    return response.json()


async def every(client: httpx.AsyncClient, limit: int = 100) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    params: dict[str, Any] = {"limit": limit}
    while True:
        page = await get(client, USERS, **params)
        assert page["results"]
        found += page["results"]
        if "paging" not in page:
            return found
        assert len(page["results"]) == limit
        params["after"] = page["paging"]["next"]["after"]


async def ids(client: httpx.AsyncClient, what: str) -> dict[str, str]:
    return {one["name"]: one["id"] for one in (await get(client, f"{USERS}{what}"))["results"]}


def refused(response: httpx.Response, status: int, category: str) -> dict[str, Any]:
    assert response.status_code == status, response.text
    body: dict[str, Any] = response.json()
    assert (body["status"], body["category"]) == ("error", category)
    assert body["message"]
    assert UUID.fullmatch(body["correlationId"])
    return body


@pytest.mark.parametrize("limit", [1, 7, 74, 100])
async def test_pages_of_any_size_give_the_whole_list(limit: int) -> None:
    async with api() as client:
        whole = await every(client)
        assert len(whole) >= 130
        assert await every(client, limit) == whole
        assert len({one["id"] for one in whole}) == len({one["email"] for one in whole}) == len(whole)


async def test_the_first_page_says_where_the_next_one_is() -> None:
    async with api() as client:
        first = await get(client, USERS)
        assert len(first["results"]) == 100
        following = first["paging"]["next"]
        assert set(following) == {"after", "link"}
        assert dict(parse_qsl(urlsplit(following["link"]).query))["after"] == following["after"]
        second = await get(client, following["link"])
        assert second == await get(client, USERS, after=following["after"])
        assert "paging" not in second
        assert first["results"] + second["results"] == await every(client)


async def test_a_page_that_is_refused() -> None:
    async with api() as client:
        for limit in ("0", "101", "-1", "many", ""):
            body = refused(await client.get(USERS, params={"limit": limit}), 400, "VALIDATION_ERROR")
            assert body["errors"][0]["in"] == "limit"
        for after in ("1", "xyz", "!!", "ÿ", "dXNlcjp4"):
            assert (
                refused(await client.get(USERS, params={"after": after}), 400, "VALIDATION_ERROR")["errors"][0]["in"] == "after"
            )


async def test_a_cursor_outlives_the_user_it_was_made_from() -> None:
    async with api() as client:
        whole = await every(client)
        after = (await get(client, USERS, limit=10))["paging"]["next"]["after"]
        await client.delete(f"{USERS}{whole[9]['id']}")
        assert (await get(client, USERS, limit=1, after=after))["results"] == [whole[10]]


async def test_records() -> None:
    always = {"id", "email", "roleIds", "secondaryTeamIds", "superAdmin", "sendWelcomeEmail", "seatNames"}
    sometimes = {"firstName", "lastName", "roleId", "primaryTeamId"}
    async with api() as client:
        users, roles, teams = await every(client), await ids(client, "roles"), await ids(client, "teams")
        assert len(roles) >= 6
        assert len(teams) >= 5
        for user in users:
            assert always <= set(user) <= always | sometimes
            assert user["id"].isdecimal()
            assert user["roleIds"] == ([user["roleId"]] if "roleId" in user else [])
            assert set(user["roleIds"]) <= set(roles.values())
            assert {*user["secondaryTeamIds"], user.get("primaryTeamId", teams["Web"])} <= set(teams.values())
            assert user.get("primaryTeamId") not in user["secondaryTeamIds"]
            assert user["sendWelcomeEmail"] is False
        for name in sometimes:
            assert 0 < sum(name in user for user in users) < len(users)
        assert 0 < sum(user["superAdmin"] for user in users) < 5
        assert [user["email"] for user in users[: len(PEOPLE)]] == [person.email for person in PEOPLE]
        for role in (await get(client, f"{USERS}roles"))["results"]:
            assert set(role) == {"id", "name", "requiresBillingWrite"}
        assert not all(user["firstName"].isascii() for user in users if "firstName" in user)


async def test_hard_names_are_there_and_stay_as_they_are() -> None:
    async with api(rough=True) as client:
        users = [user for user in await every(client) if "firstName" in user]
        names = [user["firstName"] + " " + user["lastName"] for user in users]
        assert max(len(user["firstName"]) for user in users) == 300
        for part in ("[bold]", "[/x]", "ليلى", "\u202e", "לוי", "🎉", "👩‍🚀", '"Nan"', "\\ Backslash", "\u001b[31m"):
            assert any(part in name for name in names), part


async def test_teams_know_their_members() -> None:
    async with api() as client:
        users = await every(client)
        response = await get(client, f"{USERS}teams")
        assert set(response) == {"results"}
        for team in response["results"]:
            assert set(team) == {"id", "name", "userIds", "secondaryUserIds"}
            assert team["userIds"] == [user["id"] for user in users if user.get("primaryTeamId") == team["id"]]
            assert team["secondaryUserIds"] == [user["id"] for user in users if team["id"] in user["secondaryTeamIds"]]
        assert all(team["userIds"] for team in response["results"])


@pytest.mark.parametrize("base", BASES)
async def test_both_bases_have_all_operations(base: str) -> None:
    async with api() as client:
        assert await get(client, base) == await get(client, f"{base}/") | {"paging": (await get(client, base))["paging"]}
        assert (await get(client, base, limit=1))["paging"]["next"]["link"].startswith(f"http://sandbox/crm{base}/?")
        for path in ("/roles", "/teams"):
            assert await get(client, base + path) == await get(client, BASES[0] + path)
        for path in (base, f"{base}/"):
            body = {"email": f"new{len(path)}@fernway.example", "sendWelcomeEmail": False}
            created = await client.post(path, json=body)
            assert created.status_code == 201
            assert created.headers["location"] == f"http://sandbox/crm{base}/{created.json()['id']}"
            assert await get(client, created.headers["location"]) == created.json()
            assert (await client.delete(created.headers["location"])).status_code == 204


async def test_users_are_found_by_id_and_by_address() -> None:
    async with api() as client:
        for user in (await every(client))[::17]:
            assert await get(client, f"{USERS}{user['id']}") == user
            assert await get(client, f"{USERS}{user['id']}", idProperty="USER_ID") == user
            for address in (user["email"], user["email"].upper()):
                assert await get(client, f"{USERS}{quote(address, safe='')}", idProperty="EMAIL") == user
            by_address = await client.get(f"{USERS}{quote(user['email'], safe='')}")
            assert refused(by_address, 404, "OBJECT_NOT_FOUND")["context"] == {"userId": [user["email"]]}
            refused(await client.get(f"{USERS}{user['id']}", params={"idProperty": "EMAIL"}), 404, "OBJECT_NOT_FOUND")
            wrong = await client.get(f"{USERS}{user['id']}", params={"idProperty": "email"})
            assert refused(wrong, 400, "VALIDATION_ERROR")["errors"][0]["in"] == "idProperty"


async def test_a_new_user_starts_with_the_least() -> None:
    async with api() as client:
        before = await every(client)
        body = {"email": "ada+crm@north.example", "sendWelcomeEmail": True}
        created = await client.post(USERS, json=body)
        assert created.status_code == 201
        user = created.json()
        assert user == {
            "id": user["id"],
            "email": "ada+crm@north.example",
            "roleIds": [],
            "secondaryTeamIds": [],
            "superAdmin": False,
            "sendWelcomeEmail": True,
            "seatNames": [],
        }
        assert created.headers["location"] == f"http://sandbox/crm{USERS}{user['id']}"
        stored = {**user, "sendWelcomeEmail": False}
        assert await get(client, f"{USERS}{quote(user['email'], safe='')}", idProperty="EMAIL") == stored
        assert await every(client) == [*before, stored]


async def test_a_new_user_with_everything() -> None:
    async with api() as client:
        roles, teams = await ids(client, "roles"), await ids(client, "teams")
        body = {
            "email": "bo@north.example",
            "firstName": "薄",
            "lastName": "O'Näs \x1b[31m",
            "roleId": roles["Sales"],
            "primaryTeamId": teams["Web"],
            "secondaryTeamIds": [teams["Data"], teams["Web"], teams["Data"]],
            "sendWelcomeEmail": False,
            "superAdmin": True,
            "id": "1",
            "unknown": 5,
        }
        user = (await client.post(USERS, json=body)).json()
        assert (user["firstName"], user["lastName"], user["roleIds"]) == ("薄", "O'Näs \x1b[31m", [roles["Sales"]])
        assert (user["primaryTeamId"], user["secondaryTeamIds"]) == (teams["Web"], [teams["Data"]])
        assert (user["superAdmin"], user["seatNames"]) == (False, ["Sales"])
        assert user["id"] != "1"
        web = next(team for team in (await get(client, f"{USERS}teams"))["results"] if team["name"] == "Web")
        assert web["userIds"][-1] == user["id"]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"email": None}, "email"),
        ({"sendWelcomeEmail": None}, "sendWelcomeEmail"),
        ({"email": 5}, "email"),
        ({"email": ""}, "email"),
        ({"email": "nobody"}, "email"),
        ({"email": "a b@north.example"}, "email"),
        ({"email": "a@north"}, "email"),
        ({"email": "a@@north.example"}, "email"),
        ({"sendWelcomeEmail": "false"}, "sendWelcomeEmail"),
        ({"roleId": "1"}, "roleId"),
        ({"roleId": 172841}, "roleId"),
        ({"roleId": ""}, "roleId"),
        ({"primaryTeamId": "no"}, "primaryTeamId"),
        ({"secondaryTeamIds": "20804837"}, "secondaryTeamIds"),
        ({"secondaryTeamIds": ["no"]}, "secondaryTeamIds"),
        ({"secondaryTeamIds": [None]}, "secondaryTeamIds"),
        ({"firstName": ["A"]}, "firstName"),
        ({"lastName": {}}, "lastName"),
        ({"lastName": "\ud83d"}, "lastName"),
    ],
)
async def test_a_new_user_that_is_refused(change: dict[str, Any], where: str) -> None:
    async with api() as client:
        before = await every(client)
        body = refused(
            await client.post(USERS, content=_json({"email": "new@north.example", "sendWelcomeEmail": False, **change})),
            400,
            "VALIDATION_ERROR",
        )
        assert body["errors"][0]["in"] == where
        assert set(body["errors"][0]) == {"message", "in", "code"}
        assert await every(client) == before


def _json(body: dict[str, Any]) -> bytes:
    import json

    return json.dumps({name: value for name, value in body.items() if value is not None}).encode()


async def test_what_is_missing_is_said_at_once() -> None:
    async with api() as client:
        body = refused(await client.post(USERS, json={"firstName": "A"}), 400, "VALIDATION_ERROR")
        assert [error["in"] for error in body["errors"]] == ["email", "sendWelcomeEmail"]
        for content in (b"", b"{", b"[]", b'"text"', b"\xff\xfe{", b"[" * 100_000):
            refused(await client.post(USERS, content=content), 400, "VALIDATION_ERROR")


async def test_an_address_belongs_to_one_user() -> None:
    async with api() as client:
        for address in ("sam.ode@fernway.example", "Sam.Ode@FERNWAY.example"):
            body = {"email": address, "sendWelcomeEmail": False}
            refused(await client.post(USERS, json=body), 409, "CONFLICT")
        body = {"email": "once@north.example", "sendWelcomeEmail": False}
        responses = await asyncio.gather(*(client.post(USERS, json=body) for _ in range(8)))
        assert sorted(response.status_code for response in responses) == [201] + [409] * 7


async def test_a_change_touches_only_what_it_names() -> None:
    async with api() as client:
        roles, teams = await ids(client, "roles"), await ids(client, "teams")
        before = await every(client)
        mei = next(user for user in before if user["email"] == "mei.tan@fernway.example")
        path = f"{USERS}{mei['id']}"
        assert mei["secondaryTeamIds"]

        async def changed(**body: Any) -> dict[str, Any]:
            response = await client.put(path, json=body)
            assert response.status_code == 200, response.text
            record: dict[str, Any] = response.json()
            assert record == await get(client, path)
            return record

        assert await changed() == mei
        assert await changed(firstName="May") == {**mei, "firstName": "May"}
        assert await changed(lastName=None, email="other@north.example", superAdmin=True) == {**mei, "firstName": "May"}
        mei = await changed(roleId=roles["Service"])
        assert (mei["roleIds"], mei["seatNames"]) == ([roles["Service"]], ["Service"])
        assert (await changed(secondaryTeamIds=[]))["secondaryTeamIds"] == []
        mei = await changed(secondaryTeamIds=[teams["Data"], teams["Web"]])
        mei = await changed(primaryTeamId=teams["Data"])
        assert (mei["primaryTeamId"], mei["secondaryTeamIds"]) == (teams["Data"], [teams["Web"]])
        assert [user["id"] for user in await every(client)] == [user["id"] for user in before]
        data = next(team for team in (await get(client, f"{USERS}teams"))["results"] if team["name"] == "Data")
        assert mei["id"] in data["userIds"]

        by_address = await client.put(
            f"{USERS}mei.tan%40fernway.example", params={"idProperty": "EMAIL"}, json={"lastName": "T"}
        )
        assert by_address.json() == {**mei, "lastName": "T"}


async def test_a_change_that_is_refused() -> None:
    async with api() as client:
        user = (await every(client))[3]
        path = f"{USERS}{user['id']}"
        for body in ({"roleId": "1"}, {"firstName": 1}, {"primaryTeamId": "x"}, {"lastName": "ok", "secondaryTeamIds": ["x"]}):
            refused(await client.put(path, json=body), 400, "VALIDATION_ERROR")
        refused(await client.put(path, content=b"nonsense"), 400, "VALIDATION_ERROR")
        refused(await client.put(f"{USERS}1", json={"firstName": "A"}), 404, "OBJECT_NOT_FOUND")
        assert await get(client, path) == user


@pytest.mark.parametrize("by_address", [False, True])
async def test_a_removed_user_is_gone_for_good(by_address: bool) -> None:
    async with api() as client:
        before = await every(client)
        user = before[-1]
        path = f"{USERS}{quote(user['email'], safe='')}" if by_address else f"{USERS}{user['id']}"
        params = {"idProperty": "EMAIL"} if by_address else {}
        response = await client.delete(path, params=params)
        assert (response.status_code, response.content) == (204, b"")
        refused(await client.delete(path, params=params), 404, "OBJECT_NOT_FOUND")
        refused(await client.get(path, params=params), 404, "OBJECT_NOT_FOUND")
        assert await every(client) == before[:-1]
        assert user["id"] not in str(await get(client, f"{USERS}teams"))
        again = await client.post(USERS, json={"email": user["email"], "sendWelcomeEmail": False})
        assert again.status_code == 201
        assert int(again.json()["id"]) > int(user["id"])


async def test_who_may_ask() -> None:
    async with api() as client:
        for authorization in ("", "Bearer", "Bearer ", "Token token=abc", "Basic YTpi", "Bearer a b", "pat-eu1-abc"):
            headers = {"Authorization": authorization}
            for path in (USERS, f"{USERS}roles", "/nowhere"):
                refused(await client.get(path, headers=headers), 401, "INVALID_AUTHENTICATION")
        refused(
            await client.get(USERS, params={"hapikey": "abc"}, headers={"Authorization": ""}), 401, "INVALID_AUTHENTICATION"
        )
    async with api("expired-abc") as client:
        body = refused(await client.post(USERS, json={}), 401, "EXPIRED_AUTHENTICATION")
        assert body["context"] == {"expire time": ["2025-12-01T02:13:00.000Z"]}
    async with api("readonly-abc") as client:
        user = (await every(client))[0]
        path = f"{USERS}{user['id']}"
        for response in (
            await client.post(USERS, json={}),
            await client.put(path, json={"firstName": "A"}),
            await client.delete(path),
            await client.delete(f"{USERS}1"),
        ):
            body = refused(response, 403, "MISSING_SCOPES")
            assert body["errors"][0]["context"]["requiredScopes"] == ["crm.objects.users.write", "settings.users.write"]
            assert set(body["links"]) == {"scopes"}
        assert await get(client, path) == user


async def test_paths_and_methods_that_are_not_there() -> None:
    async with api() as client:
        user = (await every(client))[0]["id"]
        for path in ("/", "/settings/v3", "/settings/v3/user", "/crm/v3/objects/users", f"{USERS}{user}/teams", f"{USERS}1"):
            refused(await client.get(path), 404, "OBJECT_NOT_FOUND")
        for method, path in (
            ("DELETE", USERS),
            ("PUT", USERS),
            ("POST", f"{USERS}roles"),
            ("DELETE", f"{USERS}teams"),
            ("POST", f"{USERS}{user}"),
            ("PATCH", f"{USERS}{user}"),
        ):
            refused(await client.request(method, path, json={}), 405, "METHOD_NOT_ALLOWED")


async def test_every_refusal_has_an_id_of_its_own() -> None:
    async with api() as client:
        responses = [await client.get(f"{USERS}1") for _ in range(20)]
        assert len({response.json()["correlationId"] for response in responses}) == 20


async def test_the_same_seed_gives_the_same_account() -> None:
    async with api() as here, api(now=NOW + 10_000_000) as later, api(seed=2) as elsewhere:
        users = await every(here)
        assert users == await every(later)
        assert not {user["id"] for user in users} & {user["id"] for user in await every(elsewhere)}
        await here.delete(f"{USERS}{users[0]['id']}")
        assert await every(later) == users
