"""Signing in to the sandbox over real HTTP, from the browser's page to a call with the token; and every bad ending."""

import asyncio
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import httpx
import pytest
from msgspec.structs import replace as with_fields

from registry.accounts import sign_in as module
from registry.accounts.connection import SANDBOX_URL
from registry.accounts.oauth import OAuthClient, SignInFailed, Tokens, authorization_server, store_failed
from registry.accounts.secrets import Secret
from registry.catalog.loader import load
from tests.accounts.conftest import asked_at
from tests.accounts.file_store import INCIDENTS, server_at
from tests.accounts.people import CRM, CRM_CLIENT, REPORTS_CLIENT, TERMINAL_CLIENT, Browser, nothing, parameters, registered
from tests.accounts.token_server import TokenServer
from tests.sandbox.signing_in import CRM_APP, DESK


async def sign_in(*sides: Any, patience: float = 30, **how: Any) -> Tokens:
    """The tokens of a sign-in."""
    return (await module.sign_in(*sides, patience=patience, **how)).tokens


TOOLS = [tool for tool in load().tools.values() if tool.toolkit == INCIDENTS]


async def me(sandbox: str, tokens: Tokens) -> str:
    """Who the incident service says one is."""
    async with httpx.AsyncClient(verify=False) as http:
        headers = {"Authorization": f"Bearer {tokens.access.reveal()}"}
        return str((await http.get(f"{sandbox}/incidents/users/me", headers=headers)).json()["user"]["name"])


async def test_the_browser_brings_the_code_to_this_machine(sandbox: str) -> None:
    browser = Browser()
    tokens = await sign_in(server_at(sandbox, ports=(0,)), TERMINAL_CLIENT, probe=nothing, show=browser.show)
    page = await browser.closed()
    assert (page.status_code, "You can close this page." in page.text) == (200, True)
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["cache-control"] == "no-store"
    assert await me(sandbox, tokens) == "Sam Ode"
    assert tokens.scopes == ("openid", "read")
    asked = parameters(browser.opened[0])
    assert asked["code_challenge_method"] == "S256"
    assert asked["redirect_uri"].startswith("http://127.0.0.1:")
    assert len(asked["state"]) >= 43


@pytest.mark.parametrize(("toolkit", "client"), [(INCIDENTS, REPORTS_CLIENT), (CRM, CRM_CLIENT)])
async def test_with_a_secret_and_a_pasted_address(sandbox: str, toolkit: str, client: OAuthClient) -> None:
    server, browser = server_at(sandbox, toolkit), Browser()
    tokens = await sign_in(server, client, probe=nothing, show=browser.note, paste=browser.paste)
    assert set(tokens.scopes) == {*server.declared.scopes, *server.declared.always}
    host = {INCIDENTS: "127.0.0.1", CRM: "localhost"}[toolkit]
    assert parameters(browser.opened[0])["redirect_uri"] == f"http://{host}:8211/callback"
    assert client.secret is not None
    assert client.secret.reveal() not in browser.opened[0]


async def test_only_the_redirect_itself_counts(scripted: Any, tokens_at: TokenServer) -> None:
    seen: list[int] = []

    async def show(address: str) -> None:
        asked = parameters(address)
        assert asked["redirect_uri"].startswith("http://localhost:")
        port = int(asked["redirect_uri"].split(":")[2].partition("/")[0])
        _, writer = await asyncio.open_connection("127.0.0.1", port)  # as browsers do, which then send nothing
        writer.close()
        await writer.wait_closed()
        seen.append(port)
        ended.append(asyncio.create_task(goes(f"{asked['redirect_uri']}?code=c&state={asked['state']}")))

    async def goes(address: str) -> None:
        async with httpx.AsyncClient(verify=False) as http:
            assert (await http.get(address.replace("/callback", "/favicon.ico"))).status_code == 404
            assert (await http.post(address)).status_code == 405
            assert (await http.get(address, headers={"Host": "evil.example"})).status_code == 421
            assert (await http.get(address)).status_code == 200

    ended: list[asyncio.Task[None]] = []
    server = asked_at(tokens_at.address, redirect_host="localhost", ports=(0,))
    tokens = await sign_in(server, OAuthClient("any", Secret("MARKED-secret")), probe=nothing, show=show)
    await asyncio.gather(*ended)
    assert tokens.access.reveal() == "access-MARKED-1"
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", seen[0])


# Bad endings


def without(*names: str) -> Callable[[dict[str, str]], Mapping[str, str]]:
    return lambda told: {name: value for name, value in told.items() if name not in names}


def but(**values: str) -> Callable[[dict[str, str]], Mapping[str, str]]:
    return lambda told: {**told, **values}


@pytest.mark.parametrize("listening", [True, False])
@pytest.mark.parametrize(
    ("browser", "kind", "words"),
    [
        (Browser(decision="deny"), SignInFailed, "Access denied. Incidents says: access_denied: The resource owner"),
        (Browser(tamper=without("state")), SignInFailed, "does not belong to this sign-in"),
        (Browser(tamper=but(state="made-up")), SignInFailed, "Its state is missing, or is that of another attempt"),
        (Browser(tamper=but(state="\udcffä")), SignInFailed, "does not belong to this sign-in"),
        (Browser(tamper=without("code")), SignInFailed, "the redirect contains no code"),
        (Browser(tamper=but(code="guessed")), SignInFailed, "A code is valid once, for 30 s. Sign in again"),
        (Browser(tamper=but(error="server_error", error_description="a\x1b[2Jb")), SignInFailed, r"a\\u001b\[2Jb"),
        (Browser(tamper=but(error="invalid_scope")), SignInFailed, "Requested: read. It says: invalid_scope"),
    ],
)
async def test_bad_endings(sandbox: str, browser: Browser, kind: type[SignInFailed], words: str, listening: bool) -> None:
    browser = replace(browser, opened=[], pages=[], under_way=[])
    ports: dict[str, Any] = {"ports": (0,)} if listening else {}
    how: dict[str, Any] = {"show": browser.show} if listening else {"show": browser.note, "paste": browser.paste}
    with pytest.raises(kind, match=words) as ended:
        await sign_in(server_at(sandbox, **ports), TERMINAL_CLIENT, probe=nothing, **how)
    assert ended.value.way_out.endswith(".")
    assert str(ended.value).isprintable()
    if listening:
        page = await browser.closed()
        assert "You can close this page." in page.text
        refused = "A code is valid once" not in words  # which is known only after the page
        assert ("The sign-in failed" in page.text) is refused


@pytest.mark.parametrize(("iss", "words"), [(None, "It names no issuer"), ("https://other.example", "https://other.example")])
async def test_an_answer_without_the_right_issuer(sandbox: str, iss: str | None, words: str) -> None:
    server = server_at(sandbox, issuer="https://identity.example", ports=(0,))
    right = Browser(tamper=but(iss="https://identity.example"))
    assert await sign_in(server, TERMINAL_CLIENT, probe=nothing, show=right.show)
    wrong = Browser(tamper=dict if iss is None else but(iss=iss))
    with pytest.raises(SignInFailed, match=words):
        await sign_in(server, TERMINAL_CLIENT, probe=nothing, show=wrong.show)
    await asyncio.gather(right.closed(), wrong.closed())


async def test_fewer_scopes_are_told_with_the_tools_that_lack_them(sandbox: str) -> None:
    browser = Browser()
    how: Any = {"probe": nothing, "show": browser.note, "paste": browser.paste, "tools": TOOLS}
    server = server_at(sandbox, scopes=("incidents.read", "teams.read"))
    # The service gives `openid` alone where a scope is unknown.
    done = await module.sign_in(server, registered(DESK), **how)
    assert "Incidents did not grant incidents.read, teams.read." in done.reduced
    assert "and 8 more cannot be run" in done.reduced  # Whoami needs no permission
    assert "secret" not in repr(done.tokens).lower().replace("secret(••••••••)", "")
    some = await module.sign_in(server_at(sandbox, scopes=("teams.read",)), REPORTS_CLIENT, **how)
    assert set(some.tokens.scopes) == {"openid", "teams.read"}
    assert some.reduced == ""


async def test_a_taken_port_is_told_and_another_registered_one_is_used(tokens_at: TokenServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        client = OAuthClient("any", Secret("MARKED-secret"))
        at = partial(asked_at, tokens_at.address)
        with pytest.raises(SignInFailed, match=f"Port {port} of this machine is in use by another program"):
            await sign_in(at(ports=(port,)), client, probe=nothing, show=unopened)
        shown: list[str] = []

        async def show(address: str) -> None:
            shown.append(parameters(address)["redirect_uri"])

        with pytest.raises(SignInFailed, match="did not come back within 0 s"):
            await sign_in(at(ports=(port, 0)), client, probe=nothing, show=show, patience=0)
        assert shown[0] != f"http://127.0.0.1:{port}/callback"


async def unopened(address: str) -> None:
    pytest.fail("no browser may be opened")


async def test_what_can_be_known_before_is_told_before_a_browser_opens(sandbox: str, scripted: Any) -> None:
    def probe() -> None:
        assert threading.current_thread() is not threading.main_thread()
        raise store_failed("No system keyring was found.", "Choose a file.")

    with pytest.raises(SignInFailed, match=r"Cannot use the credential store. No system keyring was found. Choose a file."):
        await sign_in(scripted, TERMINAL_CLIENT, probe=probe, show=unopened)
    with pytest.raises(SignInFailed, match="CRM users requires the client's secret"):
        await sign_in(server_at(sandbox, CRM), OAuthClient(CRM_APP), probe=nothing, show=unopened)


async def test_a_wrong_secret_and_a_wrong_paste(sandbox: str) -> None:
    browser, told = Browser(), list[str]()
    client = OAuthClient(CRM_APP, Secret("MARKED-wrong"))

    async def clumsy(problem: str) -> str:
        told.append(problem)
        return ["https://elsewhere.example/?code=x", "", await browser.paste("")][len(told) - 1]

    with pytest.raises(SignInFailed, match="Check the client id and the client secret") as wrong:
        await sign_in(server_at(sandbox, CRM), client, probe=nothing, show=browser.note, paste=clumsy)
    assert "MARKED" not in str(wrong.value)
    assert told[0] == ""
    assert "It begins with http://localhost:8211/callback? and contains code= and state=." in told[1]

    async def never(problem: str) -> str:
        return "http://localhost:8211/callback"

    with pytest.raises(SignInFailed, match="Copy the whole address"):
        await sign_in(server_at(sandbox, CRM), client, probe=nothing, show=browser.note, paste=never)


def test_where_people_sign_in() -> None:
    incidents, payments = load().toolkits[INCIDENTS], load().toolkits["PaymentsApi"]
    real = authorization_server(incidents, "https://api.eu.pagerduty.com")
    assert real is not None
    assert real.addresses.token == "https://identity.pagerduty.com/oauth/token"
    assert server_at("http://localhost:8210", CRM).addresses.revoke == "http://localhost:8210/crm/oauth/v3/token/revoke"
    assert authorization_server(payments, "https://api.stripe.com") is None
    assert authorization_server(incidents, f"{SANDBOX_URL}/incidents") is None
    nowhere = with_fields(real.declared, sandbox=None)
    ways = tuple(with_fields(way, sign_in=way.sign_in and nowhere) for way in incidents.authentication)
    assert authorization_server(with_fields(incidents, authentication=ways), "http://127.0.0.1:8210") is None


def test_what_is_asked_for_is_enough_for_every_tool() -> None:
    for toolkit in (INCIDENTS, CRM):
        declared = server_at("http://127.0.0.1:1", toolkit).declared
        tools = [tool for tool in load().tools.values() if tool.toolkit == toolkit]
        enough = [declared.scopes, *([declared.scopes_without_secret, ("write",)] if toolkit == INCIDENTS else [])]
        for scopes in enough:
            held = set(scopes).union(*(declared.includes.get(one, ()) for one in scopes))
            assert [tool.name for tool in tools if tool.scopes and held.isdisjoint(tool.scopes)] == []
