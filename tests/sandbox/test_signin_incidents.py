"""Signing in to the incident service: codes, tokens, what they open, how they end."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import httpx
import pytest

from registry.sandbox.company import PEOPLE
from registry.sandbox.world import DAY
from tests.sandbox.signing_in import (
    CRM_APP,
    DESK,
    LOOPBACK,
    REGISTERED,
    REPORTS,
    SECRETS,
    TERMINAL,
    VERIFIER,
    Sandbox,
    given,
    refused,
)

YEAR = 365 * DAY
UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
SCOPED = ("escalation_policies", "incidents", "oncalls", "schedules", "services", "teams", "users")
TOKENS = "/identity/incidents/oauth/token"
DESK_FORM: dict[str, str] = {"client_id": DESK, "redirect_uri": REGISTERED, **SECRETS[DESK]}
REPORTS_FORM: dict[str, str] = {"client_id": REPORTS, "redirect_uri": REGISTERED, **SECRETS[REPORTS]}


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


async def works(sandbox: Sandbox, token: str) -> bool:
    """Whether a token opens the service; what does not is told as the service tells it."""
    response = await sandbox.call("/incidents/users/me", token)
    if response.status_code == 401:
        assert response.json() == {"error": {"message": "Authentication failed", "code": 2006}}
        return False
    assert response.status_code == 200, response.text
    return True


def denied(response: httpx.Response) -> bool:
    return response.status_code == 403 and response.json()["error"]["code"] == 2010


async def test_the_token_answer(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in()
    assert set(response) == {"access_token", "refresh_token", "id_token", "token_type", "scope", "expires_in"}
    assert (response["token_type"], response["scope"], response["expires_in"]) == ("bearer", "openid read", 30 * DAY)
    for name in ("access_token", "refresh_token"):
        assert re.fullmatch(rf"pdus\+_[01]\w+_{UUID}", response[name])
    assert response["access_token"] != response["refresh_token"]


@pytest.mark.parametrize("person", ["sam.ode", "dana.wu", "zoe.martin"])
async def test_who_signed_in_is_who_asks(sandbox: Sandbox, person: str) -> None:
    token = (await sandbox.signed_in(person))["access_token"]
    me = (await sandbox.call("/incidents/users/me", token)).json()["user"]
    assert me["email"] == next(one.email for one in PEOPLE if one.key == person)
    assert "http_cal_url" in me
    window = {"include[]": "final_schedule", "since": "2025-12-01T00:00:00Z"}
    schedules = (await sandbox.call("/incidents/schedules", token, params=window)).json()["schedules"]
    starts = {entry["start"][-6:] for one in schedules for entry in one["final_schedule"]["rendered_schedule_entries"]}
    assert starts == {"-05:00" if person == "dana.wu" else "+01:00"}
    others = (await sandbox.call("/incidents/users", token)).json()["users"]
    by_id = {one["id"]: (await sandbox.call(f"/incidents/users/{one['id']}", token)).json()["user"] for one in others}
    assert [id_ for id_, user in by_id.items() if "http_cal_url" in user] == [me["id"]]


async def test_a_code_is_good_once_and_takes_everything_with_it_the_second_time(sandbox: Sandbox) -> None:
    code = await sandbox.code()
    tokens = given(await sandbox.exchange(code))
    later = given(await sandbox.refresh(tokens["refresh_token"]))
    assert await works(sandbox, tokens["access_token"])
    refused(await sandbox.exchange(code), "invalid_grant")
    for response in (tokens, later):
        assert not await works(sandbox, response["access_token"])
    refused(await sandbox.refresh(later["refresh_token"]), "invalid_grant")


async def test_of_many_who_bring_a_code_at_once_nobody_keeps_tokens(sandbox: Sandbox) -> None:
    code = await sandbox.code()
    responses = await asyncio.gather(*(sandbox.exchange(code) for _ in range(8)))
    given_away = [response.json()["access_token"] for response in responses if response.status_code == 200]
    assert len(given_away) == 1
    assert not await works(sandbox, given_away[0])


async def test_a_code_is_good_for_thirty_seconds(sandbox: Sandbox) -> None:
    early, late = await sandbox.code(), await sandbox.code()
    sandbox.clock.advance(29)
    given(await sandbox.exchange(early))
    sandbox.clock.advance(1)
    assert "expired" in refused(await sandbox.exchange(late), "invalid_grant")


@pytest.mark.parametrize(
    ("changes", "error", "status"),
    [
        ({"code": "guessed"}, "invalid_grant", 400),
        ({"code": None}, "invalid_request", 400),
        ({"code": ""}, "invalid_request", 400),
        ({"redirect_uri": None}, "invalid_request", 400),
        ({"redirect_uri": f"{LOOPBACK}/"}, "invalid_grant", 400),
        ({"redirect_uri": LOOPBACK.replace("54321", "54322")}, "invalid_grant", 400),
        ({"code_verifier": None}, "invalid_grant", 400),
        ({"code_verifier": VERIFIER[:-1] + "!"}, "invalid_request", 400),
        ({"code_verifier": VERIFIER[:42]}, "invalid_request", 400),
        ({"code_verifier": "x" * 129}, "invalid_request", 400),
        ({"code_verifier": "é" * 50}, "invalid_request", 400),
        ({"code_verifier": VERIFIER + "0"}, "invalid_grant", 400),
        ({"grant_type": None}, "invalid_request", 400),
        ({"grant_type": "password"}, "unsupported_grant_type", 400),
        ({"grant_type": "client_credentials"}, "unauthorized_client", 400),
        ({"client_id": None}, "invalid_client", 401),
        ({"client_id": "nobody"}, "invalid_client", 401),
        ({"client_id": CRM_APP, **SECRETS[CRM_APP]}, "invalid_client", 401),
        ({"client_id": DESK}, "invalid_client", 401),
        ({"client_id": DESK, "client_secret": "wrong"}, "invalid_client", 401),
        ({"client_id": DESK, "client_secret": "wröng"}, "invalid_client", 401),
        ({"client_secret": "any"}, "invalid_client", 401),
        ({"client_id": DESK, **SECRETS[DESK]}, "invalid_grant", 400),
    ],
)
async def test_what_an_exchange_is_refused_for(sandbox: Sandbox, changes: dict[str, Any], error: str, status: int) -> None:
    refused(await sandbox.exchange(await sandbox.code(), **changes), error, status)


async def test_a_code_that_was_guessed_wrong_about_is_used_up(sandbox: Sandbox) -> None:
    code = await sandbox.code()
    refused(await sandbox.exchange(code, code_verifier="x" * 43), "invalid_grant")
    refused(await sandbox.exchange(code), "invalid_grant")


async def test_how_a_request_for_tokens_must_be_written(sandbox: Sandbox) -> None:
    form = {"grant_type": "refresh_token", "client_id": TERMINAL, "refresh_token": (await sandbox.signed_in())["refresh_token"]}
    post = sandbox.http.post
    refused(await post(TOKENS, params=form), "invalid_request")
    refused(await post(TOKENS, params={"client_id": TERMINAL}, data=form), "invalid_request")
    refused(await post(TOKENS, json=form), "invalid_request")
    refused(await post(TOKENS, content=b"grant_type=refresh_token"), "invalid_request")
    refused(await post(TOKENS, data={**form, "more": "x" * 70_000}), "invalid_request")
    refused(await post(TOKENS, data={**form, **{f"p{number}": "x" for number in range(100)}}), "invalid_request")
    for name in form:
        refused(await post(TOKENS, data={**form, name: [form[name], form[name]]}), "invalid_request")
    assert (await sandbox.http.get(TOKENS, params=form)).status_code == 405
    type_ = {"Content-Type": "Application/X-WWW-Form-Urlencoded; charset=UTF-8"}
    given(await post(TOKENS, data=form, headers=type_))


async def test_secrets_in_a_header_are_not_looked_at(sandbox: Sandbox) -> None:
    form = {"grant_type": "client_credentials", "scope": "as_account-us.fernway"}
    auth = httpx.BasicAuth(REPORTS, SECRETS[REPORTS]["client_secret"])
    assert "body" in refused(await sandbox.http.post(TOKENS, data=form, auth=auth), "invalid_client", 401)


async def test_an_application_with_a_secret_may_leave_pkce_out(sandbox: Sandbox) -> None:
    asked: dict[str, Any] = {
        "client_id": DESK,
        "redirect_uri": REGISTERED,
        "code_challenge": None,
        "code_challenge_method": None,
    }
    response = given(await sandbox.exchange(await sandbox.code(**asked), **DESK_FORM, code_verifier=None))
    assert await works(sandbox, response["access_token"])
    refused(await sandbox.exchange(await sandbox.code(**asked), **DESK_FORM), "invalid_grant")
    with_pkce = {"client_id": DESK, "redirect_uri": REGISTERED}
    refused(await sandbox.exchange(await sandbox.code(**with_pkce), **DESK_FORM, code_verifier=None), "invalid_grant")
    given(await sandbox.exchange(await sandbox.code(**with_pkce), **DESK_FORM))


async def test_tokens_end(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in()
    sandbox.clock.advance(30 * DAY - 1)
    assert await works(sandbox, response["access_token"])
    sandbox.clock.advance(1)
    assert not await works(sandbox, response["access_token"])
    fresh = given(await sandbox.refresh(response["refresh_token"]))
    assert await works(sandbox, fresh["access_token"])
    sandbox.clock.advance(210 * DAY - 1)
    last = given(await sandbox.refresh(fresh["refresh_token"]))
    sandbox.clock.advance(210 * DAY)
    assert "expired" in refused(await sandbox.refresh(last["refresh_token"]), "invalid_grant")


async def test_a_sign_in_ends_after_three_years_however_often_it_is_refreshed(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in()
    for _ in range(5):
        sandbox.clock.advance(200 * DAY)
        response = given(await sandbox.refresh(response["refresh_token"]))
        assert response["expires_in"] == 30 * DAY
    sandbox.clock.advance(3 * YEAR - 1_000 * DAY - 60)
    response = given(await sandbox.refresh(response["refresh_token"]))
    assert response["expires_in"] == 60
    sandbox.clock.advance(60)
    assert not await works(sandbox, response["access_token"])
    refused(await sandbox.refresh(response["refresh_token"]), "invalid_grant")


async def test_refreshing_gives_new_tokens(sandbox: Sandbox) -> None:
    first = await sandbox.signed_in("zoe.martin")
    second = given(await sandbox.refresh(first["refresh_token"]))
    assert set(second) == {"access_token", "refresh_token", "token_type", "scope", "expires_in"}
    assert (second["scope"], second["expires_in"]) == ("openid read", 30 * DAY)
    assert len({response[name] for response in (first, second) for name in ("access_token", "refresh_token")}) == 4
    me = (await sandbox.call("/incidents/users/me", second["access_token"])).json()["user"]
    assert me["name"] == "Zoé Martin"


async def test_a_refresh_token_that_comes_back_takes_everything_with_it(sandbox: Sandbox) -> None:
    other = await sandbox.signed_in()
    first = await sandbox.signed_in()
    second = given(await sandbox.refresh(first["refresh_token"]))
    assert await works(sandbox, second["access_token"])
    refused(await sandbox.refresh(first["refresh_token"]), "invalid_grant")
    for response in (first, second):
        assert not await works(sandbox, response["access_token"])
    refused(await sandbox.refresh(second["refresh_token"]), "invalid_grant")
    assert await works(sandbox, other["access_token"])
    given(await sandbox.refresh(other["refresh_token"]))


async def test_refresh_tokens_are_their_applications_own(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in()
    refused(await sandbox.refresh(response["refresh_token"], client_id=DESK, **SECRETS[DESK]), "invalid_grant")
    refused(await sandbox.refresh(response["access_token"]), "invalid_grant")
    refused(await sandbox.refresh("guessed"), "invalid_grant")
    refused(await sandbox.refresh(""), "invalid_request")
    given(await sandbox.refresh(response["refresh_token"]))


async def test_refreshing_can_ask_for_less_and_never_for_more(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in(scope="read")
    refused(await sandbox.refresh(response["refresh_token"], scope="read write"), "invalid_scope")
    less = given(await sandbox.refresh(response["refresh_token"], scope="openid"))
    assert less["scope"] == "openid"
    assert denied(await sandbox.call("/incidents/users", less["access_token"]))
    assert given(await sandbox.refresh(less["refresh_token"]))["scope"] == "openid read"


@pytest.mark.parametrize("scope", [None, "Read", "reads", "read incidents.read", "openid", "crm.objects.users.read"])
async def test_a_scope_that_does_not_exist_gives_no_error_and_opens_nothing(sandbox: Sandbox, scope: str | None) -> None:
    response = await sandbox.signed_in(scope=scope)
    assert response["scope"] == "openid"
    for path in ("users/me", *SCOPED, "log_entries", "users/PNOBODY"):
        assert denied(await sandbox.call(f"/incidents/{path}", response["access_token"]))
    assert (await sandbox.call("/incidents/nothing", response["access_token"])).status_code == 404


@pytest.mark.parametrize(("scope", "granted"), [("write", "openid write"), ("write read", "openid read write")])
async def test_writing_includes_reading(sandbox: Sandbox, scope: str, granted: str) -> None:
    response = await sandbox.signed_in(scope=scope)
    assert response["scope"] == granted
    for path in ("users/me", *SCOPED, "log_entries"):
        assert (await sandbox.call(f"/incidents/{path}", response["access_token"])).status_code == 200
    assert denied(await sandbox.call("/incidents/teams", response["access_token"], "POST", json={}))


@pytest.mark.parametrize("name", SCOPED)
async def test_a_scoped_token_opens_what_its_scope_names(sandbox: Sandbox, name: str) -> None:
    code = await sandbox.code(client_id=REPORTS, redirect_uri=REGISTERED, scope=f"{name}.read")
    response = given(await sandbox.exchange(code, **REPORTS_FORM))
    assert (response["scope"].split(), response["expires_in"]) == (sorted([f"{name}.read", "openid"]), DAY)
    opened = set()
    for path in ("users/me", *SCOPED, "log_entries"):
        called = await sandbox.call(f"/incidents/{path}", response["access_token"])
        assert called.status_code == 200 or denied(called)
        opened |= {path} if called.status_code == 200 else set()
    assert opened == ({"incidents", "log_entries"} if name == "incidents" else {name})
    if name == "teams":
        team = (await sandbox.call("/incidents/teams", response["access_token"])).json()["teams"][0]["id"]
        assert (await sandbox.call(f"/incidents/teams/{team}/members", response["access_token"])).status_code == 200


async def test_scoped_tokens_end_sooner(sandbox: Sandbox) -> None:
    code = await sandbox.code(client_id=REPORTS, redirect_uri=REGISTERED, scope="users.read")
    response = given(await sandbox.exchange(code, **REPORTS_FORM))
    refused(await sandbox.refresh(response["refresh_token"], client_id=REPORTS), "invalid_client", 401)
    sandbox.clock.advance(30 * DAY)
    refused(await sandbox.refresh(response["refresh_token"], client_id=REPORTS, **SECRETS[REPORTS]), "invalid_grant")


async def test_an_application_gets_tokens_of_its_own(sandbox: Sandbox) -> None:
    form = {"grant_type": "client_credentials", "client_id": REPORTS, **SECRETS[REPORTS]}
    response = given(await sandbox.post(TOKENS, **form, scope="as_account-us.fernway users.read unknown.read"))
    assert set(response) == {"access_token", "token_type", "scope", "expires_in"}
    assert response["scope"] == "as_account-us.fernway users.read"
    assert (await sandbox.call("/incidents/users", response["access_token"])).status_code == 200
    assert denied(await sandbox.call("/incidents/teams", response["access_token"]))
    assert denied(await sandbox.call("/incidents/users/me", response["access_token"]))
    for scope in (None, "users.read", "as_account-eu.fernway users.read", "as_account-us.other users.read"):
        refused(await sandbox.post(TOKENS, **form, scope=scope), "invalid_scope")


async def test_what_only_looks_like_a_token_opens_nothing(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in()
    crm = await sandbox.crm_signed_in()
    token = response["access_token"]
    changed = token[:-1] + ("0" if token[-1] != "0" else "1")
    for other in (changed, token + "0", token[:20], response["refresh_token"], crm["access_token"], crm["refresh_token"]):
        assert not await works(sandbox, other)
    assert await works(sandbox, token)
    for plain in ("sandbox", "pdus+_0XBPWQQ_abc"):
        assert await works(sandbox, plain)
