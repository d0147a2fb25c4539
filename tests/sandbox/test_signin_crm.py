"""Signing in to the CRM: tokens that last half an hour, scopes of which one of a pair is enough, introspection, revocation."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from registry.sandbox.world import MINUTE
from tests.sandbox.signing_in import CRM_APP, CRM_READS, NOW, REGISTERED, SECRETS, Sandbox, given, refused

USERS = "/crm/settings/v3/users"
READS = ["crm.objects.users.read", "settings.users.read"]
WRITES = ["crm.objects.users.write", "settings.users.write"]
TEAMS = ["settings.users.teams.read"]
NEW = {"email": "new.one@fernway.example", "sendWelcomeEmail": False}


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


def lacking(response: httpx.Response, scopes: list[str]) -> None:
    assert response.status_code == 403, response.text
    body = response.json()
    assert (body["status"], body["category"]) == ("error", "MISSING_SCOPES")
    assert body["errors"] == [
        {"message": "One or more of the following scopes are required.", "context": {"requiredScopes": scopes}}
    ]
    assert body["correlationId"]


async def introspected(sandbox: Sandbox, token: str, **form: str) -> dict[str, Any]:
    path = "/crm/oauth/v3/token/introspect"
    return given(await sandbox.post(path, client_id=CRM_APP, **SECRETS[CRM_APP], token=token, **form))


async def revoked(sandbox: Sandbox, token: str) -> None:
    given(await sandbox.post("/crm/oauth/v3/token/revoke", client_id=CRM_APP, **SECRETS[CRM_APP], token=token))


@pytest.mark.parametrize("version", ["v1", "v3"])
async def test_the_token_answer(sandbox: Sandbox, version: str) -> None:
    form = {"client_id": CRM_APP, **SECRETS[CRM_APP], "grant_type": "authorization_code", "redirect_uri": REGISTERED}
    response = given(await sandbox.post(f"/crm/oauth/{version}/token", **form, code=await sandbox.code("crm", "zoe.martin")))
    assert set(response) == {
        "access_token", "refresh_token", "expires_in", "token_type", "hub_id", "user_id", "scopes", "token_use",
    }  # fmt: skip
    assert (response["expires_in"], response["token_type"], response["token_use"]) == (1_800, "bearer", "access_token")
    assert response["scopes"] == CRM_READS.split()
    assert isinstance(response["hub_id"], int)
    user = (await sandbox.call(f"{USERS}/{response['user_id']}", response["access_token"])).json()
    assert user["email"] == "zoe.martin@fernway.example"
    again = given(await sandbox.refresh(response["refresh_token"], "crm"))
    assert set(again) == set(response)
    assert {name for name in response if again[name] != response[name]} == {"access_token"}


async def test_the_token_expires_and_says_when(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in(service="crm")
    sandbox.clock.advance(30 * MINUTE - 1)
    assert (await sandbox.call(USERS, response["access_token"])).status_code == 200
    for ago in (0, 1, 3_600):
        sandbox.clock.advance(ago or 1)
        late = await sandbox.call(USERS, response["access_token"])
        assert late.status_code == 401
        body = late.json()
        seconds = {0: 0, 1: 1, 3_600: 3_601}[ago]
        assert body.pop("correlationId")
        ended = datetime.fromtimestamp(NOW + 1_800, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        assert body == {
            "status": "error",
            "message": f"The OAuth token used to make this call expired {seconds} second(s) ago.",
            "category": "EXPIRED_AUTHENTICATION",
            "context": {"expire time": [ended]},
        }
    fresh = given(await sandbox.refresh(response["refresh_token"], "crm"))
    assert (await sandbox.call(USERS, fresh["access_token"])).status_code == 200


@pytest.mark.parametrize("scope", READS)
async def test_one_scope_of_a_pair_is_enough_to_read(sandbox: Sandbox, scope: str) -> None:
    token = (await sandbox.signed_in(service="crm", scope=scope))["access_token"]
    for path in ("", "/", "/roles", "/sam.ode@fernway.example?idProperty=EMAIL"):
        assert (await sandbox.call(USERS + path, token)).status_code == 200
    lacking(await sandbox.call(f"{USERS}/teams", token), TEAMS)
    lacking(await sandbox.call(USERS, token, "POST", json=NEW), WRITES)
    lacking(await sandbox.call(f"{USERS}/1", token, "DELETE"), WRITES)
    lacking(await sandbox.call("/crm/settings/users/v3/1", token, "PUT", json={}), WRITES)


async def test_teams_have_a_scope_of_their_own(sandbox: Sandbox) -> None:
    token = (await sandbox.signed_in(service="crm", scope=TEAMS[0]))["access_token"]
    assert (await sandbox.call(f"{USERS}/teams", token)).status_code == 200
    for path in ("", "/roles", "/1"):
        lacking(await sandbox.call(USERS + path, token), READS)


@pytest.mark.parametrize("scope", WRITES)
async def test_one_scope_of_a_pair_is_enough_to_write(sandbox: Sandbox, scope: str) -> None:
    token = (await sandbox.signed_in(service="crm", scope=scope))["access_token"]
    lacking(await sandbox.call(USERS, token), READS)
    made = await sandbox.call(USERS, token, "POST", json=NEW)
    assert made.status_code == 201
    changed = await sandbox.call(f"{USERS}/{made.json()['id']}", token, "PUT", json={"firstName": "New"})
    assert changed.json()["firstName"] == "New"
    assert (await sandbox.call(f"{USERS}/{made.json()['id']}", token, "DELETE")).status_code == 204


async def test_introspection(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in("dana.wu", "crm")
    sandbox.clock.advance(100)
    about = await introspected(sandbox, response["access_token"])
    expected = {
        "active": True,
        "token": response["access_token"],
        "token_use": "access_token",
        "token_type": "bearer",
        "client_id": CRM_APP,
        "scopes": CRM_READS.split(),
        "hub_id": response["hub_id"],
        "user_id": response["user_id"],
        "user": "dana.wu@fernway.example",
        "hub_domain": "fernway.example",
        "expires_in": 1_700,
    }
    assert about == expected
    refresh = await introspected(sandbox, response["refresh_token"], token_type_hint="access_token")
    del expected["expires_in"]
    assert refresh == {**expected, "token": response["refresh_token"], "token_use": "refresh_token"}
    sandbox.clock.advance(1_700)
    inactive = {"active": False}
    assert await introspected(sandbox, response["access_token"]) == inactive
    assert (await introspected(sandbox, response["refresh_token"]))["active"] is True
    incidents = await sandbox.signed_in()
    for other in ("guessed", "sandbox", incidents["access_token"]):
        assert await introspected(sandbox, other) == inactive


async def test_revoking(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in(service="crm")
    fresh = given(await sandbox.refresh(response["refresh_token"], "crm"))
    await revoked(sandbox, response["access_token"])
    assert (await sandbox.call(USERS, response["access_token"])).json()["category"] == "INVALID_AUTHENTICATION"
    assert (await sandbox.call(USERS, fresh["access_token"])).status_code == 200
    await revoked(sandbox, response["refresh_token"])
    assert (await sandbox.call(USERS, fresh["access_token"])).status_code == 401
    assert await introspected(sandbox, response["refresh_token"]) == {"active": False}
    refused(await sandbox.refresh(response["refresh_token"], "crm"), "invalid_grant")
    await revoked(sandbox, response["refresh_token"])
    await revoked(sandbox, "never given")
    incidents = (await sandbox.signed_in())["access_token"]
    await revoked(sandbox, incidents)
    assert (await sandbox.call("/incidents/users/me", incidents)).status_code == 200


@pytest.mark.parametrize("path", ["introspect", "revoke"])
async def test_who_may_introspect_and_revoke(sandbox: Sandbox, path: str) -> None:
    response = await sandbox.signed_in(service="crm")
    place, token = f"/crm/oauth/v3/token/{path}", {"token": response["access_token"]}
    refused(await sandbox.post(place, **token), "invalid_client", 401)
    refused(await sandbox.post(place, client_id=CRM_APP, **token), "invalid_client", 401)
    refused(await sandbox.post(place, client_id=CRM_APP, client_secret="wrong", **token), "invalid_client", 401)
    refused(await sandbox.post(place, client_id=CRM_APP, **SECRETS[CRM_APP]), "invalid_request")
    refused(await sandbox.http.post(place, params={"client_id": CRM_APP, **SECRETS[CRM_APP], **token}), "invalid_request")
    assert (await sandbox.call(USERS, response["access_token"])).status_code == 200


async def test_a_paid_seat_needs_the_scope_for_it(sandbox: Sandbox) -> None:
    scope = f"{WRITES[0]} {READS[0]}"
    token = (await sandbox.signed_in(service="crm", scope=scope))["access_token"]
    payer = (await sandbox.signed_in(service="crm", scope=f"{scope} billing-write"))["access_token"]
    roles = (await sandbox.call(f"{USERS}/roles", token)).json()["results"]
    paid = next(role["id"] for role in roles if role["requiresBillingWrite"])
    lacking(await sandbox.call(USERS, token, "POST", json={**NEW, "roleId": paid}), ["billing-write"])
    assert (await sandbox.call(USERS, payer, "POST", json={**NEW, "roleId": paid})).status_code == 201


async def test_optional_scopes_are_taken_where_they_exist(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in(service="crm", scope="oauth", optional_scope=f"contacts {TEAMS[0]}")
    assert response["scopes"] == ["oauth", TEAMS[0]]
    assert (await sandbox.call(f"{USERS}/teams", response["access_token"])).status_code == 200
    lacking(await sandbox.call(USERS, response["access_token"]), READS)
