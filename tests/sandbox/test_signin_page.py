"""The authorize page: what it shows, whom it answers, and what it does not let itself be told."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest

from registry.sandbox.world import MINUTE
from tests.sandbox.signing_in import (
    CRM_APP,
    DESK,
    LOOPBACK,
    PKCE,
    REGISTERED,
    REPORTS,
    TERMINAL,
    ParsedPage,
    Sandbox,
    returned,
)

MARKUP = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;[bold]"
STATES = (
    "plain",
    MARKUP,
    "a b+c&code=mine#fragment%0d%0a",
    "line\r\nSet-Cookie: a=b\r\n\r\n<html>",
    "東京 👩‍👧 \u202e\x1b[31m\x00",
    "x" * 4_000,
)

NO_ADDRESSES = (
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)//http://127.0.0.1/",
    "data:text/html,hello",
    "http://127.0.0.1.evil.example/callback",
    "http://localhost.evil.example/callback",
    "http://evil.example/http://127.0.0.1/",
    "http://user@127.0.0.1/callback",
    "http://127.0.0.1@evil.example/callback",
    "http://127.0.0.1:80@evil.example/callback",
    "http://127.0.0.1%40evil.example/callback",
    "http://127.0.0.1\\@evil.example/callback",
    "http:\\\\127.0.0.1/callback",
    "http://127.0.0.1\t.evil.example/callback",
    "http://127.0.0.1/callback\r\nSet-Cookie: a=b",
    "http://127.0.0.1/callback\n",
    "\nhttp://127.0.0.1/callback",
    " http://127.0.0.1/callback",
    "http://127.0.0.1/call back",
    "http://127.0.0.1/callback#fragment",
    "http://127.0.0.1/%zz",
    "http://127.0.0.1/é",
    "http://127.0.0.1:0/callback",
    "http://127.0.0.1:65536/callback",
    "http://127.0.0.1:/callback",
    "http://127.0.0.1:８０/callback",
    "http://127.0.0.2/callback",
    "http://127.1/callback",
    "http://2130706433/callback",
    "http://0.0.0.0/callback",
    "http://[::]/callback",
    "http://[::ffff:127.0.0.1]/callback",
    "http://LOCALHOST.:80/callback",
    "//127.0.0.1/callback",
    "https://127.0.0.1/callback",
    "ftp://127.0.0.1/callback",
    "file:///callback",
    "callboard:/callback",
    "https://desk.fernway.example/signed-in",
    "urn:ietf:wg:oauth:2.0:oob",
)


@pytest.fixture
def sandbox() -> Sandbox:
    return Sandbox()


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


async def test_bytes_of_a_state_that_are_no_text_come_back_too(sandbox: Sandbox) -> None:
    query = f"client_id={TERMINAL}&redirect_uri={quote(LOOPBACK)}&response_type=code&scope=read&state=%ff%fe%80"
    response = await sandbox.http.get(f"/identity/incidents/oauth/authorize?{query}")
    assert response.headers["location"].endswith("&state=%FF%FE%80")


async def test_the_address_keeps_its_own_query(sandbox: Sandbox) -> None:
    response = await sandbox.answer(await sandbox.ask(redirect_uri="http://[::1]:9/cb?next=%2Fa;b&x=1", state="s"))
    assert response.headers["location"].startswith("http://[::1]:9/cb?next=%2Fa;b&x=1&code=")


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/cb", "http://localhost/cb", "http://[::1]:65535", "http://127.0.0.1"])
async def test_a_program_may_listen_on_any_port_of_its_machine(sandbox: Sandbox, address: str) -> None:
    response = await sandbox.answer(await sandbox.ask(redirect_uri=address))
    assert response.headers["location"].startswith(f"{address}?code=")


@pytest.mark.parametrize("address", NO_ADDRESSES)
async def test_other_addresses_are_never_answered(sandbox: Sandbox, address: str) -> None:
    shown = refusal(await sandbox.ask(redirect_uri=address, state="s")).shown
    assert "redirect_uri" in shown
    assert all(letter.isprintable() or letter == "\n" for letter in shown)
    refusal(await sandbox.ask(client_id=DESK, redirect_uri=address + "x"))


async def test_an_application_with_a_secret_has_registered_addresses_only(sandbox: Sandbox) -> None:
    for client, address in ((DESK, "https://desk.fernway.example/signed-in"), (REPORTS, REGISTERED)):
        assert (await sandbox.ask(client_id=client, redirect_uri=address)).status_code == 200
        for other in (f"{address}/", f"{address}?a=1", address.upper(), address.replace("signed", "Signed") + "#", LOOPBACK):
            refusal(await sandbox.ask(client_id=client, redirect_uri=other))
    refusal(await sandbox.ask("crm", redirect_uri=LOOPBACK))
    refusal(await sandbox.ask("crm", redirect_uri="https://desk.fernway.example/signed-in"))


@pytest.mark.parametrize("client_id", [MARKUP, "callboard", CRM_APP, "\x1b[31m\u202eclient\x00", "x" * 5_000, "\r\n"])
async def test_an_unknown_application_is_shown_an_error_page(sandbox: Sandbox, client_id: str) -> None:
    response = await sandbox.ask(client_id=client_id)
    page = refusal(response)
    assert len(response.text) < 5_000
    assert "<script" not in response.text
    assert "\x1b" not in response.text
    assert "\u202e" not in response.text
    assert "client_id" in page.shown


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
async def test_without_an_application_or_an_address_nobody_can_be_told(sandbox: Sandbox, name: str) -> None:
    assert name in refusal(await sandbox.ask("incidents", **{name: None})).shown
    assert name in refusal(await sandbox.ask("incidents", **{name: ""})).shown
    twice = [TERMINAL, TERMINAL] if name == "client_id" else [LOOPBACK] * 2
    assert name in refusal(await sandbox.ask("incidents", **{name: twice})).shown


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": None}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": MARKUP}, "unsupported_response_type"),
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": "s256"}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": PKCE["code_challenge"] + "="}, "invalid_request"),
        ({"code_challenge": "é" * 43}, "invalid_request"),
        ({"scope": ["read", "write"]}, "invalid_request"),
        ({"client_id": REPORTS, "redirect_uri": REGISTERED, "code_challenge": None}, "invalid_request"),
        ({"client_id": DESK, "redirect_uri": REGISTERED, "code_challenge": None}, "invalid_request"),
    ],
)
async def test_what_is_wrong_otherwise_goes_to_the_application(sandbox: Sandbox, changes: dict[str, Any], error: str) -> None:
    response = await sandbox.ask(state=MARKUP, **changes)
    assert response.headers["location"].startswith(f"{changes.get('redirect_uri', LOOPBACK)}?")
    told = returned(response)
    assert (told["error"], told["state"]) == (error, MARKUP)
    assert set(told) == {"error", "error_description", "state"}


@pytest.mark.parametrize("scope", [None, "", "contacts", "settings.users.read contacts", MARKUP])
async def test_scopes_that_the_crm_does_not_have(sandbox: Sandbox, scope: str | None) -> None:
    assert returned(await sandbox.ask("crm", scope=scope))["error"] == "invalid_scope"


async def test_a_page_takes_one_answer(sandbox: Sandbox) -> None:
    page = await sandbox.ask()
    assert "code" in returned(await sandbox.answer(page))
    refusal(await sandbox.answer(page))
    refusal(await sandbox.answer(page, decision="deny"))


async def test_forged_answers(sandbox: Sandbox) -> None:
    page = await sandbox.ask()
    for changes in ({"ticket": "guessed"}, {"ticket": ""}, {"ticket": MARKUP}):
        refusal(await sandbox.answer(page, **changes))
    refusal(await sandbox.http.post("/identity/incidents/oauth/authorize", data={"decision": "allow", "person": "sam.ode"}))
    form = {**ParsedPage(page.text).fields, "decision": "allow"}
    refusal(await sandbox.http.post("/identity/crm/oauth/authorize", data=form))
    refusal(await sandbox.http.post("/identity/incidents/oauth/authorize", json=form))
    as_text = {"Content-Type": "text/plain"}
    refusal(await sandbox.http.post("/identity/incidents/oauth/authorize", data=form, headers=as_text))
    refusal(await sandbox.http.post("/identity/incidents/oauth/authorize", data={**form, "more": "x" * 70_000}))
    assert "code" in returned(await sandbox.answer(page))


@pytest.mark.parametrize("changes", [{"person": "nobody"}, {"person": "mei.tan"}, {"decision": "perhaps"}, {"decision": ""}])
async def test_answers_that_the_page_does_not_offer(sandbox: Sandbox, changes: dict[str, str]) -> None:
    refusal(await sandbox.answer(await sandbox.ask(), **changes))


async def test_a_page_does_not_wait_for_ever(sandbox: Sandbox) -> None:
    early, late = await sandbox.ask(), await sandbox.ask()
    sandbox.clock.advance(10 * MINUTE - 1)
    assert "code" in returned(await sandbox.answer(early))
    sandbox.clock.advance(1)
    refusal(await sandbox.answer(late))
