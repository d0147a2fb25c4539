"""The authorize page: what it shows, whom it answers, and what it does not let itself be told."""

from urllib.parse import urlsplit

import httpx
import pytest

from registry.sandbox.world import MINUTE
from tests.sandbox.signing_in import LOOPBACK, ParsedPage, Sandbox, returned

MARKUP = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;[bold]"
STATES = (
    "plain",
    MARKUP,
    "a b+c&code=mine#fragment%0d%0a",
    "line\r\nSet-Cookie: a=b\r\n\r\n<html>",
    "東京 👩‍👧 \u202e\x1b[31m\x00",
    "x" * 4_000,
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
