"""What a token endpoint may answer, and that neither a redirect nor an error carries a secret on."""

import base64
import logging
from typing import Any

import pytest

from registry.accounts.oauth import GrantRefused, NotReached, OAuthClient, SignInFailed, TokenEndpoint, Tokens
from registry.accounts.secrets import Secret
from tests.accounts.conftest import asked_at
from tests.accounts.token_server import GOOD, TokenServer, token_server

CLIENT = OAuthClient("client:1", Secret("MARKED-client-secret"))
CODE, VERIFIER = Secret("MARKED-code-1234"), Secret("MARKED-verifier-1234")
HELD = Tokens(Secret("MARKED-access-0"), Secret("MARKED-refresh-0"), 1_000.0, ("read",))
ECHO = "You sent MARKED-code-1234, MARKED-verifier-1234 and MARKED-client-secret"


async def exchanged(tokens_at: TokenServer, **changes: Any) -> Tokens:
    endpoint = TokenEndpoint(asked_at(tokens_at.address, **changes), CLIENT, clock=lambda: 5_000.0)
    return await endpoint.exchange(CODE, "http://127.0.0.1:8211/callback", VERIFIER, ("read",))


async def test_what_is_sent_and_what_comes(tokens_at: TokenServer) -> None:
    tokens = await exchanged(tokens_at)
    assert tokens_at.forms[-1] == {
        "grant_type": "authorization_code",
        "code": "MARKED-code-1234",
        "redirect_uri": "http://127.0.0.1:8211/callback",
        "code_verifier": "MARKED-verifier-1234",
        "client_id": "client:1",
        "client_secret": "MARKED-client-secret",
    }
    assert (tokens.expires_at, tokens.scopes) == (8_600.0, ("read",))
    assert Tokens.from_json(tokens.as_json()) == tokens

    await exchanged(tokens_at, secret_in="header")
    assert "client_secret" not in tokens_at.forms[-1]
    told = base64.b64decode(tokens_at.headers[-1]["authorization"].removeprefix("Basic ")).decode()
    assert told == "client%3A1:MARKED-client-secret"  # RFC 6749, 2.3.1: both are encoded first


@pytest.mark.parametrize(
    ("body", "expires_at", "scopes"),
    [
        (GOOD | {"expires_in": "1800"}, 6_800.0, ("read",)),
        (GOOD | {"expires_in": -1}, None, ("read",)),
        (GOOD | {"expires_in": 1e30}, None, ("read",)),
        (GOOD | {"expires_in": True}, None, ("read",)),
        (GOOD | {"scope": "a b"}, 8_600.0, ("a", "b")),
        (GOOD | {"scopes": ["a", 1, "b"]}, 8_600.0, ("a", "b")),
        (GOOD | {"scope": ""}, 8_600.0, ()),
        (GOOD | {"token_type": "Bearer"}, 8_600.0, ("read",)),
    ],
)
async def test_lives_and_scopes(tokens_at: TokenServer, body: Any, expires_at: float | None, scopes: tuple[str, ...]) -> None:
    tokens_at.answers = [(200, body)]
    tokens = await exchanged(tokens_at)
    assert (tokens.expires_at, tokens.scopes) == (expires_at, scopes)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ((400, {"error": "invalid_grant", "error_description": ECHO}), SignInFailed, "has expired or was used before"),
        ((401, {"error": "invalid_client", "error_description": ECHO}), SignInFailed, "does not accept the client"),
        ((400, {"error": "invalid_scope"}), SignInFailed, "It says: invalid_scope"),
        ((400, {"error": "x" * 900, "error_description": ECHO}), SignInFailed, "refused the sign-in"),
        ((400, {"message": ECHO}), SignInFailed, "refused the sign-in"),
        ((403, ECHO.encode()), SignInFailed, "HTTP 403"),
        ((400, {"error": ["a"]}), SignInFailed, "HTTP 400"),
        ((500, {"error": "invalid_grant"}), NotReached, "It responded with 500"),
        ((429, b""), NotReached, "It responded with 429"),
        ((200, b"<html>"), NotReached, "not JSON"),
        ((200, [GOOD]), NotReached, "not JSON"),
        ((200, b"\xff{}"), NotReached, "not JSON"),
        ((200, b" " * 300_000), NotReached, "too large"),
        ((200, {}), NotReached, "no bearer token"),
        ((200, GOOD | {"access_token": "a\r\nHost: evil"}), NotReached, "no bearer token"),
        ((200, GOOD | {"access_token": ["a"]}), NotReached, "no bearer token"),
        ((200, GOOD | {"refresh_token": ""}), NotReached, "no bearer token"),
        ((200, GOOD | {"token_type": "mac"}), NotReached, "no bearer token"),
        ((0, b""), NotReached, "the connection broke"),
    ],
)
async def test_answers_that_give_nothing(
    tokens_at: TokenServer, answer: Any, kind: type[Exception], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    tokens_at.answers = [answer]
    with pytest.raises(kind, match=words) as ended:
        await exchanged(tokens_at)
    assert len(tokens_at.forms) == 1
    error: BaseException | None = ended.value
    assert "MARKED" not in str(error) + caplog.text
    assert len(str(error)) < 600
    while error is not None:  # what is below it could be printed with it
        assert "MARKED" not in repr(error) + repr(error.args)
        error = error.__context__


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(tokens_at: TokenServer, status: int) -> None:
    with token_server() as other:
        tokens_at.answers = [(status, b"", {"Location": other.address})]
        with pytest.raises(NotReached, match=f"It responded with {status}, a redirect, which is not followed"):
            await exchanged(tokens_at)
        assert other.forms == []


async def test_secrets_never_travel_in_clear_to_another_machine() -> None:
    with pytest.raises(NotReached, match=r"identity\.example uses plain http"):
        await TokenEndpoint(asked_at("http://identity.example/token"), CLIENT).refresh(HELD)


async def test_a_refresh_keeps_the_refresh_token_that_the_service_keeps(tokens_at: TokenServer) -> None:
    endpoint = TokenEndpoint(asked_at(tokens_at.address), CLIENT)
    tokens_at.answers = [(200, {"access_token": "MARKED-new"}), (200, GOOD), (400, {"error": "invalid_grant"})]
    kept = await endpoint.refresh(HELD)
    assert (kept.refresh, kept.scopes, kept.expires_at) == (HELD.refresh, ("read",), None)
    assert tokens_at.forms[-1]["refresh_token"] == "MARKED-refresh-0"
    given = await endpoint.refresh(HELD)
    assert given.refresh == Secret("refresh-MARKED-1")
    with pytest.raises(GrantRefused):
        await endpoint.refresh(HELD)


async def test_signing_out_ends_the_tokens(tokens_at: TokenServer) -> None:
    server = asked_at(tokens_at.address)
    tokens_at.answers = [(200, b""), (400, {"error": "invalid_grant"}), (503, b"")]
    assert await TokenEndpoint(server, CLIENT).revoke(HELD)
    assert tokens_at.forms[-1]["token"] == "MARKED-refresh-0"
    assert await TokenEndpoint(server, CLIENT).revoke(HELD)
    with pytest.raises(NotReached):
        await TokenEndpoint(server, CLIENT).revoke(HELD)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"access_token": "MARKED x"}', "MARKED-access", "\udc80"])
def test_a_store_with_something_else(text: str) -> None:
    with pytest.raises(SignInFailed, match="What it contains is not a sign-in") as told:
        Tokens.from_json(text)
    assert "MARKED" not in str(told.value)


def test_tokens_do_not_print_themselves() -> None:
    assert "MARKED" not in f"{HELD} {HELD!r} {CLIENT} {CLIENT!r} {[HELD]}"
