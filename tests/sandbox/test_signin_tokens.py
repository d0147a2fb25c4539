"""Codes and tokens of both services: what gives them, what they open, how they end; and the page that asks a person."""

import base64
import hashlib
import json
import re
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from registry.sandbox.world import DAY, MINUTE, PEOPLE
from tests.sandbox.signing_in import (
    CHALLENGE,
    CRM_APP,
    DESK,
    HOST,
    LOOPBACK,
    NOW,
    PKCE,
    REGISTERED,
    REPORTS,
    SECRETS,
    TERMINAL,
    VERIFIER,
    ParsedPage,
    Sandbox,
    given,
    refused,
    returned,
)

UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
SCOPED = ("escalation_policies", "incidents", "oncalls", "schedules", "services", "teams", "users")
ME = {"incidents": "/incidents/users/me", "crm": "/crm/settings/v3/users?limit=1"}
DESK_FORM: dict[str, str] = {"client_id": DESK, "redirect_uri": REGISTERED, **SECRETS[DESK]}
REPORTS_FORM: dict[str, str] = {"client_id": REPORTS, "redirect_uri": REGISTERED, **SECRETS[REPORTS]}
BOTH = pytest.mark.parametrize("service", ["incidents", "crm"])


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


async def works(sandbox: Sandbox, token: str, service: str = "incidents") -> bool:
    """Whether a token opens the service; what does not is told as the service tells it."""
    response = await sandbox.call(ME[service], token)
    if response.status_code == 401:
        body = response.json()
        assert body.get("category") in ("INVALID_AUTHENTICATION", "EXPIRED_AUTHENTICATION") or body["error"]["code"] == 2006
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


@pytest.mark.parametrize("person", ["sam.ode", "dana.wu", "zoe.martin"])
async def test_who_signed_in_is_who_asks(sandbox: Sandbox, person: str) -> None:
    token = (await sandbox.signed_in(person))["access_token"]
    me = (await sandbox.call("/incidents/users/me", token)).json()["user"]
    assert me["email"] == next(one.email for one in PEOPLE if one.key == person)
    window = {"include[]": "final_schedule", "since": "2025-12-01T00:00:00Z"}
    schedules = (await sandbox.call("/incidents/schedules", token, params=window)).json()["schedules"]
    starts = {entry["start"][-6:] for one in schedules for entry in one["final_schedule"]["rendered_schedule_entries"]}
    assert starts == {"-05:00" if person == "dana.wu" else "+01:00"}
    others = (await sandbox.call("/incidents/users", token)).json()["users"]
    by_id = {one["id"]: (await sandbox.call(f"/incidents/users/{one['id']}", token)).json()["user"] for one in others}
    assert [id_ for id_, user in by_id.items() if "http_cal_url" in user] == [me["id"]]


@BOTH
async def test_a_code_is_good_once_and_takes_everything_with_it_the_second_time(sandbox: Sandbox, service: str) -> None:
    code = await sandbox.code(service)
    tokens = given(await sandbox.exchange(code, service))
    later = given(await sandbox.refresh(tokens["refresh_token"], service))
    assert await works(sandbox, tokens["access_token"], service)
    refused(await sandbox.exchange(code, service), "invalid_grant")
    for response in (tokens, later):
        assert not await works(sandbox, response["access_token"], service)
    refused(await sandbox.refresh(later["refresh_token"], service), "invalid_grant")


@pytest.mark.parametrize(("service", "seconds"), [("incidents", 30), ("crm", 10 * MINUTE)])
async def test_a_code_is_good_for_a_while(sandbox: Sandbox, service: str, seconds: int) -> None:
    early, late = await sandbox.code(service), await sandbox.code(service)
    sandbox.clock.advance(seconds - 1)
    given(await sandbox.exchange(early, service))
    sandbox.clock.advance(1)
    assert "expired" in refused(await sandbox.exchange(late, service), "invalid_grant")


@pytest.mark.parametrize(
    ("service", "changes", "error"),
    [
        ("incidents", {"code": "guessed"}, "invalid_grant"),
        ("incidents", {"code": ""}, "invalid_request"),
        ("incidents", {"redirect_uri": None}, "invalid_request"),
        ("incidents", {"redirect_uri": LOOPBACK.replace("54321", "54322")}, "invalid_grant"),
        ("incidents", {"code_verifier": None}, "invalid_grant"),
        ("incidents", {"code_verifier": VERIFIER[:-1] + "!"}, "invalid_request"),
        ("incidents", {"code_verifier": VERIFIER[:42]}, "invalid_request"),
        ("incidents", {"code_verifier": "é" * 50}, "invalid_request"),
        ("incidents", {"code_verifier": VERIFIER + "0"}, "invalid_grant"),
        ("incidents", {"grant_type": None}, "invalid_request"),
        ("incidents", {"grant_type": "password"}, "unsupported_grant_type"),
        ("incidents", {"grant_type": "client_credentials"}, "unauthorized_client"),
        ("incidents", {"client_id": None}, "invalid_client"),
        ("incidents", {"client_id": CRM_APP, **SECRETS[CRM_APP]}, "invalid_client"),
        ("incidents", {"client_id": DESK}, "invalid_client"),
        ("incidents", {"client_id": DESK, "client_secret": "wröng"}, "invalid_client"),
        ("incidents", {"client_secret": "any"}, "invalid_client"),
        ("incidents", {"client_id": DESK, **SECRETS[DESK]}, "invalid_grant"),
        ("crm", {"client_secret": None}, "invalid_client"),
        ("crm", {"client_secret": "wrong"}, "invalid_client"),
        ("crm", {"redirect_uri": LOOPBACK}, "invalid_grant"),
        ("crm", {"code_verifier": VERIFIER}, "invalid_grant"),
        ("crm", {"grant_type": "client_credentials"}, "unsupported_grant_type"),
    ],
)
async def test_what_an_exchange_is_refused_for(sandbox: Sandbox, service: str, changes: dict[str, Any], error: str) -> None:
    status = 401 if error == "invalid_client" else 400
    refused(await sandbox.exchange(await sandbox.code(service), service, **changes), error, status)


async def test_a_code_of_one_service_is_none_of_the_other(sandbox: Sandbox) -> None:
    refused(await sandbox.exchange(await sandbox.code("crm"), redirect_uri=REGISTERED), "invalid_grant")
    refused(await sandbox.exchange(await sandbox.code(), "crm", redirect_uri=LOOPBACK), "invalid_grant")


async def test_an_application_with_a_secret_may_leave_pkce_out(sandbox: Sandbox) -> None:
    asked: dict[str, Any] = {"client_id": DESK, "redirect_uri": REGISTERED}
    without = {**asked, "code_challenge": None, "code_challenge_method": None}
    response = given(await sandbox.exchange(await sandbox.code(**without), **DESK_FORM, code_verifier=None))
    assert await works(sandbox, response["access_token"])
    refused(await sandbox.exchange(await sandbox.code(**without), **DESK_FORM), "invalid_grant")
    refused(await sandbox.exchange(await sandbox.code(**asked), **DESK_FORM, code_verifier=None), "invalid_grant")
    given(await sandbox.exchange(await sandbox.code(**asked), **DESK_FORM))
    given(await sandbox.exchange(await sandbox.code("crm", **PKCE), "crm", code_verifier=VERIFIER))
    refused(await sandbox.exchange(await sandbox.code("crm", **PKCE), "crm", code_verifier=CHALLENGE), "invalid_grant")


async def test_tokens_end(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in()
    sandbox.clock.advance(30 * DAY - 1)
    assert await works(sandbox, response["access_token"])
    sandbox.clock.advance(1)
    assert not await works(sandbox, response["access_token"])
    fresh = given(await sandbox.refresh(response["refresh_token"]))
    sandbox.clock.advance(210 * DAY - 1)
    last = given(await sandbox.refresh(fresh["refresh_token"]))
    sandbox.clock.advance(210 * DAY)
    assert "expired" in refused(await sandbox.refresh(last["refresh_token"]), "invalid_grant")


async def test_a_refresh_token_that_comes_back_takes_everything_with_it(sandbox: Sandbox) -> None:
    other, first = await sandbox.signed_in(), await sandbox.signed_in("zoe.martin")
    second = given(await sandbox.refresh(first["refresh_token"]))
    assert set(second) == {"access_token", "refresh_token", "token_type", "scope", "expires_in"}
    assert len({response[name] for response in (first, second) for name in ("access_token", "refresh_token")}) == 4
    assert (await sandbox.call(ME["incidents"], second["access_token"])).json()["user"]["name"] == "Zoé Martin"
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
    refused(await sandbox.refresh(""), "invalid_request")
    given(await sandbox.refresh(response["refresh_token"]))


async def test_refreshing_can_ask_for_less_and_never_for_more(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in(scope="read")
    refused(await sandbox.refresh(response["refresh_token"], scope="read write"), "invalid_scope")
    less = given(await sandbox.refresh(response["refresh_token"], scope="openid"))
    assert less["scope"] == "openid"
    assert denied(await sandbox.call("/incidents/users", less["access_token"]))
    assert given(await sandbox.refresh(less["refresh_token"]))["scope"] == "openid read"


@pytest.mark.parametrize("scope", [None, "Read", "read incidents.read", "crm.objects.users.read"])
async def test_a_scope_that_does_not_exist_gives_no_error_and_opens_nothing(sandbox: Sandbox, scope: str | None) -> None:
    response = await sandbox.signed_in(scope=scope)
    assert response["scope"] == "openid"
    for path in ("users/me", *SCOPED, "log_entries", "users/PNOBODY"):
        assert denied(await sandbox.call(f"/incidents/{path}", response["access_token"]))
    assert (await sandbox.call("/incidents/nothing", response["access_token"])).status_code == 404


async def test_writing_includes_reading(sandbox: Sandbox) -> None:
    response = await sandbox.signed_in(scope="write")
    assert response["scope"] == "openid write"
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
    refused(await sandbox.refresh(response["refresh_token"], client_id=REPORTS), "invalid_client", 401)
    sandbox.clock.advance(30 * DAY)
    refused(await sandbox.refresh(response["refresh_token"], client_id=REPORTS, **SECRETS[REPORTS]), "invalid_grant")


async def test_an_application_gets_tokens_of_its_own(sandbox: Sandbox) -> None:
    form = {"grant_type": "client_credentials", "client_id": REPORTS, **SECRETS[REPORTS]}
    response = given(await sandbox.tokens("incidents", **form, scope="as_account-us.fernway users.read unknown.read"))
    assert set(response) == {"access_token", "token_type", "scope", "expires_in"}
    assert response["scope"] == "as_account-us.fernway users.read"
    assert (await sandbox.call("/incidents/users", response["access_token"])).status_code == 200
    for path in ("teams", "users/me"):
        assert denied(await sandbox.call(f"/incidents/{path}", response["access_token"]))
    for scope in (None, "users.read", "as_account-eu.fernway users.read"):
        refused(await sandbox.tokens("incidents", **form, scope=scope), "invalid_scope")


@BOTH
async def test_what_only_looks_like_a_token_opens_nothing(sandbox: Sandbox, service: str) -> None:
    tokens = {name: await sandbox.signed_in(service=name) for name in ME}
    token = tokens[service].pop("access_token")
    others = [one[name] for one in tokens.values() for name in ("access_token", "refresh_token") if name in one]
    for other in (f"{token}0", token[:20], *others):
        assert not await works(sandbox, other, service)
    for plain in (token, "sandbox", "pdus+_0XBPWQQ_abc"):
        assert await works(sandbox, plain, service)


CONFIGURATION = "/identity/incidents/global/oauth/anonymous/.well-known/openid-configuration"


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verified(token: str, keys: dict[str, Any]) -> dict[str, Any]:
    """The claims of a token whose signature is right, checked as RFC 8017 says (RSASSA-PKCS1-v1_5 with SHA-256)."""
    head, body, signature = token.split(".")
    header = json.loads(decoded(head))
    assert header["alg"] == "RS256"
    (key,) = [one for one in keys["keys"] if one["kid"] == header["kid"]]
    modulus, exponent = (int.from_bytes(decoded(key[name]), "big") for name in ("n", "e"))
    assert modulus.bit_length() == 2048
    opened = pow(int.from_bytes(decoded(signature), "big"), exponent, modulus).to_bytes(256, "big")
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(f"{head}.{body}".encode()).digest()
    assert opened == b"\x00\x01" + b"\xff" * (256 - 3 - len(digest)) + b"\x00" + digest
    claims: dict[str, Any] = json.loads(decoded(body))
    return claims


async def test_the_configuration_leads_to_everything(sandbox: Sandbox) -> None:
    told = (await sandbox.http.get(CONFIGURATION)).json()
    assert told["issuer"] + "/.well-known/openid-configuration" == HOST + CONFIGURATION
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["id_token_signing_alg_values_supported"] == ["RS256"]
    assert {"openid", "read", "write", "incidents.read"} <= set(told["scopes_supported"])
    assert (await sandbox.http.get(told["authorization_endpoint"])).status_code == 400
    assert (await sandbox.http.post(told["token_endpoint"])).json()["error"] == "invalid_request"
    assert (await sandbox.http.get(told["jwks_uri"])).json()["keys"]


async def test_the_identity_token(sandbox: Sandbox) -> None:
    told = (await sandbox.http.get(CONFIGURATION)).json()
    code = await sandbox.code(person="zoe.martin", nonce="a nonce")
    sandbox.clock.advance(20)
    response = given(await sandbox.exchange(code))
    claims = verified(response["id_token"], (await sandbox.http.get(told["jwks_uri"])).json())
    me = (await sandbox.call("/incidents/users/me", response["access_token"])).json()["user"]
    assert me["name"] == "Zoé Martin"
    assert claims["user_id"] == claims["sub"] == me["id"]
    assert (claims["subdomain"], claims["region"]) == ("fernway", "UnitedStates")
    assert claims["iss"] == told["issuer"]
    assert claims["aud"] == [f"{HOST}/incidents", TERMINAL]
    assert claims["azp"] == TERMINAL
    assert claims["nonce"] == "a nonce"
    assert (claims["auth_time"], claims["iat"], claims["exp"]) == (NOW, NOW + 20, NOW + 20 + 3_600)
    half = hashlib.sha256(response["access_token"].encode()).digest()[:16]
    assert decoded(claims["at_hash"]) == half


MARKUP = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;[bold]"
STATES = (
    "plain",
    MARKUP,
    "a b+c&code=mine#fragment%0d%0a",
    "line\r\nSet-Cookie: a=b\r\n\r\n<html>",
    "東京 👩‍👧 \u202e\x1b[31m\x00",
    "x" * 4_000,
)


def refusal(response: httpx.Response) -> ParsedPage:
    """An error page: nothing is sent anywhere."""
    assert response.status_code == 400, response.text
    assert "location" not in response.headers
    assert "set-cookie" not in response.headers
    guarded(response, "'none'")
    page = ParsedPage(response.text)
    assert page.methods == []
    return page


def guarded(response: httpx.Response, form_action: str) -> None:
    policy = dict(part.strip().split(" ", 1) for part in response.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["style-src"].startswith("'sha256-")
    assert policy["form-action"] == form_action
    assert set(policy) == {"default-src", "style-src", "form-action", "frame-ancestors", "base-uri"}
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-frame-options"] == "DENY"
    assert response.headers["referrer-policy"] == "no-referrer"
    assert ParsedPage(response.text).tags.isdisjoint({"script", "img", "link", "iframe", "object", "base"})


async def test_the_page_says_who_asks_for_what_and_where_it_leads(sandbox: Sandbox) -> None:
    response = await sandbox.ask(redirect_uri="http://localhost:40123/back?a=1")
    guarded(response, "'self' http://localhost:40123")
    page = ParsedPage(response.text)
    assert page.methods == ["post"]
    assert page.choices == {"person": ["sam.ode", "dana.wu", "zoe.martin"], "decision": ["allow", "deny"]}
    assert page.fields["person"] == "sam.ode"
    for words in ("Callboard", "incidents", "Read everything in the account", "http://localhost:40123/back?a=1", "Sam Ode"):
        assert words in page.shown
    assert "change everything" not in page.shown
    assert "read and change everything" in ParsedPage((await sandbox.ask(scope="write")).text).shown.lower()


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("decision", ["allow", "deny"])
async def test_state_comes_back_unchanged(sandbox: Sandbox, state: str, decision: str) -> None:
    page = await sandbox.ask(state=state)
    assert state not in page.text or state == "plain"
    response = await sandbox.answer(page, decision=decision)
    location = response.headers["location"]
    assert location.startswith(f"{LOOPBACK}?")
    assert location.isascii()
    assert location.isprintable()
    assert urlsplit(location).fragment == ""
    assert returned(response)["state"] == state


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/cb", "http://localhost/cb", "http://[::1]:65535", "http://127.0.0.1"])
async def test_a_program_may_listen_on_any_port_of_its_machine(sandbox: Sandbox, address: str) -> None:
    response = await sandbox.answer(await sandbox.ask(redirect_uri=address))
    assert response.headers["location"].startswith(f"{address}?code=")


async def test_a_page_takes_one_answer(sandbox: Sandbox) -> None:
    page = await sandbox.ask()
    assert "code" in returned(await sandbox.answer(page))
    refusal(await sandbox.answer(page))
    refusal(await sandbox.answer(page, decision="deny"))


@pytest.mark.parametrize("changes", [{"person": "nobody"}, {"person": "mei.tan"}, {"decision": "perhaps"}, {"decision": ""}])
async def test_answers_that_the_page_does_not_offer(sandbox: Sandbox, changes: dict[str, str]) -> None:
    refusal(await sandbox.answer(await sandbox.ask(), **changes))


async def test_a_page_does_not_wait_for_ever(sandbox: Sandbox) -> None:
    early, late = await sandbox.ask(), await sandbox.ask()
    sandbox.clock.advance(10 * MINUTE - 1)
    assert "code" in returned(await sandbox.answer(early))
    sandbox.clock.advance(1)
    refusal(await sandbox.answer(late))
