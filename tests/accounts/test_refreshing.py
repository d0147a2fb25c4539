"""Tokens that are good at any time: when they are refreshed, by whom, and that none is lost."""

import asyncio
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from registry.accounts.connection import CredentialProblem
from registry.accounts.credentials import AccessToken
from registry.accounts.memory import A_NIGHT, ending_words, soon
from registry.accounts.oauth import NotReached, OAuthClient, SignInFailed, Tokens, store_failed
from registry.accounts.secrets import Secret, redacted
from tests.accounts.conftest import asked_at
from tests.accounts.file_store import FileStore
from tests.accounts.token_server import TokenServer

CLIENT = OAuthClient("client-1", Secret("MARKED-client-secret"))
NOW = 1_000_000.0
HELD = Tokens(Secret("MARKED-access-0"), Secret("MARKED-refresh-0"), NOW + 61, ("read",))
ENDED = (400, {"error": "invalid_grant", "error_description": "The refresh token was revoked: MARKED-refresh-0."})


def given(number: int) -> tuple[int, dict[str, object]]:
    """An answer with new tokens, good for an hour."""
    return 200, {"access_token": f"MARKED-access-{number}", "refresh_token": f"MARKED-refresh-{number}", "expires_in": 3600}


def refresher(
    at: TokenServer, store: FileStore, clock: Callable[[], float] = lambda: NOW, *, rotates: bool = True
) -> AccessToken:
    server = asked_at(at.address, rotates=rotates)
    return AccessToken(server, lambda: CLIENT, store, "incidents of Ada", "Run callboard account sign-in.", clock)


def test_a_token_is_refreshed_60_seconds_early_and_not_before(tokens_at: TokenServer, store: FileStore) -> None:
    store.write(HELD)
    tokens_at.answers = [given(1)]
    now = [NOW]
    refreshed = refresher(tokens_at, store, lambda: now[0])
    assert refreshed.usable() is None
    assert refreshed.fresh().access == HELD.access
    assert tokens_at.forms == []
    now[0] += 1
    assert refreshed.usable() is None
    new = refreshed.fresh()
    assert new.access == Secret("MARKED-access-1")
    assert store.read() == new
    assert refreshed.fresh() is refreshed.usable() is new
    assert [form["refresh_token"] for form in tokens_at.forms] == ["MARKED-refresh-0"]
    assert store.written == [HELD, HELD, new]  # a store that takes nothing refuses before the refresh token is used up


def test_what_another_process_has_refreshed_is_taken(tokens_at: TokenServer, store: FileStore) -> None:
    store.write(replace(HELD, expires_at=NOW))
    tokens_at.answers = [given(1), given(2)]
    one, other = refresher(tokens_at, store), refresher(tokens_at, store)
    assert one.fresh() == other.fresh()
    assert one.fresh("MARKED-access-1").access == Secret("MARKED-access-2")
    assert other.fresh("MARKED-access-1").access == Secret("MARKED-access-2")
    assert other.fresh("MARKED-access-1").access == Secret("MARKED-access-2")
    assert len(tokens_at.forms) == 2


def test_a_sign_in_that_has_ended_is_told_and_not_asked_about_again(tokens_at: TokenServer, store: FileStore) -> None:
    store.write(replace(HELD, expires_at=NOW))
    tokens_at.answers = [ENDED]
    refreshed = refresher(tokens_at, store)
    for _ in range(3):
        with pytest.raises(SignInFailed, match=r"refused the refresh token at 12 Jan \d\d:46 \S+ \(invalid_grant: ") as ended:
            refreshed.fresh()
    assert ended.value.way_out == "Run callboard account sign-in."
    assert "MARKED" not in str(ended.value)
    assert len(tokens_at.forms) == 1
    store.write(replace(HELD, access=Secret("MARKED-again"), refresh=Secret("MARKED-again-0"), expires_at=NOW + 900))
    assert refreshed.fresh().access == Secret("MARKED-again")  # somebody has signed in again


def test_nobody_is_signed_in_or_there_is_no_refresh_token(tokens_at: TokenServer, store: FileStore) -> None:
    refreshed = refresher(tokens_at, store)
    with pytest.raises(SignInFailed, match="Not signed in to Incidents"):
        refreshed.fresh()
    store.write(replace(HELD, refresh=None))
    assert refreshed.fresh().access == HELD.access
    with pytest.raises(SignInFailed, match="Incidents gave no refresh token"):
        refreshed.fresh(HELD.access.reveal())


def test_trouble_at_the_service_lets_the_old_token_be_used_to_its_end(tokens_at: TokenServer, store: FileStore) -> None:
    now = [NOW + 30]
    store.write(HELD)
    tokens_at.answers = [(503, b"")]
    refreshed = refresher(tokens_at, store, lambda: now[0])
    assert refreshed.fresh().access == HELD.access
    now[0] += 31
    with pytest.raises(NotReached, match="No tokens from"):
        refreshed.fresh()
    assert store.read() == HELD
    assert len(tokens_at.forms) == 2  # a refresh token that is good for one use is not sent twice for one answer


def test_where_the_refresh_token_stays_a_lost_answer_is_asked_for_again(tokens_at: TokenServer, store: FileStore) -> None:
    store.write(replace(HELD, expires_at=NOW))
    tokens_at.answers = [(0, b""), given(1)]
    assert refresher(tokens_at, store, rotates=False).fresh().access == Secret("MARKED-access-1")


def test_a_store_that_takes_nothing_refuses_before_the_refresh_token_is_used_up(
    tokens_at: TokenServer, store: FileStore
) -> None:
    class Locked(FileStore):
        def write(self, tokens: Tokens) -> None:
            raise store_failed("It is locked.")

    store.write(replace(HELD, expires_at=NOW))
    with pytest.raises(SignInFailed, match="It is locked"):
        refresher(tokens_at, Locked(store.folder)).fresh()
    assert tokens_at.forms == []


# The credential of an endpoint


async def test_the_credential_changes_and_all_of_it_stays_redacted(tokens_at: TokenServer, store: FileStore) -> None:
    store.write(HELD)
    tokens_at.answers = [given(1), ENDED]
    token = refresher(tokens_at, store)
    assert token.reveal() == ""
    await token.ready()
    assert token.reveal() == "MARKED-access-0"
    await asyncio.gather(*(token.ready("MARKED-access-0") for _ in range(4)))
    assert token.reveal() == "MARKED-access-1"
    assert len(tokens_at.forms) == 1, "refused calls share one refresh"
    told = b"MARKED-access-0 MARKED-access-1 MARKED-refresh-0 MARKED-refresh-1 MARKED-client-secret"
    assert b"MARKED" not in redacted(told, token.texts) + f"{token} {token!r}".encode()
    assert token.identity == "incidents of Ada"
    with pytest.raises(CredentialProblem, match="has ended"):
        await token.ready("MARKED-access-1")


async def test_new_tokens_are_redacted_before_anything_is_done_with_them(tokens_at: TokenServer, store: FileStore) -> None:
    class Looking(FileStore):
        def write(self, tokens: Tokens) -> None:
            assert b"MARKED" not in redacted(tokens.as_json().encode(), token.texts)
            super().write(tokens)

    store.write(replace(HELD, expires_at=NOW))
    tokens_at.answers = [(200, {**given(1)[1], "id_token": "MARKED-identity", "expires_in": 0, "token_type": "mac"}), given(2)]
    token = refresher(tokens_at, Looking(store.folder))
    with pytest.raises(NotReached):
        await token.ready()
    assert b"MARKED" not in redacted(b"MARKED-identity MARKED-access-1", token.texts)
    await token.ready()
    assert token.reveal() == "MARKED-access-2"


async def test_a_refresh_reaches_the_store_whatever_becomes_of_the_call(tokens_at: TokenServer, store: FileStore) -> None:
    store.write(replace(HELD, expires_at=NOW))
    tokens_at.answers = [given(1)]
    tokens_at.go_on.clear()
    token = refresher(tokens_at, store)
    call = asyncio.create_task(token.ready())
    await asyncio.to_thread(tokens_at.asked.wait, 30)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    tokens_at.go_on.set()
    await token.ready()
    assert token.reveal() == "MARKED-access-1"
    assert len(tokens_at.forms) == 1
    kept = store.read()
    assert kept is not None
    assert kept.refresh == Secret("MARKED-refresh-1")


async def test_when_it_ends_is_known_from_its_first_use_on(tokens_at: TokenServer, store: FileStore) -> None:
    token = refresher(tokens_at, store)
    before = token.ending
    assert before is None
    store.write(replace(HELD, expires_at=NOW + 900))
    await token.ready()
    assert token.ending == (NOW + 900, True)
    store.write(replace(HELD, refresh=None, expires_at=NOW + 900))
    alone = refresher(tokens_at, store)
    await alone.ready()
    assert alone.ending == (NOW + 900, False), "nothing renews it"
    assert ending_words(alone.ending, NOW - 1) == "expires in 15 min"
    assert ending_words(alone.ending, NOW + 900) == "expired"
    assert ending_words(token.ending, NOW) == "token renewed in 15 min"
    assert ending_words(token.ending, NOW + 900) == "token renewed with the next call"
    assert ending_words(None, NOW) == soon(None, NOW) == soon(token.ending, NOW) == ""
    assert soon(alone.ending, NOW + 880) == "sign-in expires in 20 s"
    assert soon(alone.ending, NOW + 900 - A_NIGHT - 1) == ""
