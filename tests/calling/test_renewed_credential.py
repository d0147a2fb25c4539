"""A credential that is renewed while the program runs, and secret arguments: sent, and shown nowhere."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace as with_fields

from registry.accounts.connection import Connection, CredentialProblem
from registry.accounts.renewed import RenewedSecret
from registry.accounts.secrets import Secret
from registry.calling.arguments import check
from registry.calling.request import build, plan, preview
from registry.calling.result import Result
from registry.journal.audit import place_of
from tests.calling.network import LIVE, TOOLS, ScriptedNetwork, one_after_the_other
from tests.opened import made, open_writing, opened
from tests.workshop import connection, echo, only, parameter, tool

OK = httpx.Response(200, json={"id": "17"})
REFUSED = httpx.Response(401, json={"message": "expired", "error": {"message": "expired"}})


class Renewing(RenewedSecret):
    """Has these texts, one after the other; the next each time that it is refused."""

    def __init__(self, *texts: str, problem: CredentialProblem | None = None) -> None:
        super().__init__("an account")
        self.scripted = list(texts)
        self.refused: list[str] = []
        self.problem = problem

    async def ready(self, refused: str | None = None) -> None:
        if not self.scripted:
            raise CredentialProblem("The sign-in has ended", "It ended by 03:14.", "Sign in again.")
        if refused is not None:
            self.refused.append(refused)
            if self.problem is not None:
                raise self.problem
            self.scripted = self.scripted[1:] or self.scripted
        self.becomes(Secret(self.scripted[0]))


def at(credential: Secret) -> Connection:
    connection = LIVE["crm"]
    (toolkit, endpoint) = next(iter(connection.endpoints.items()))
    return with_fields(connection, endpoints={toolkit: replace(endpoint, credential=credential, known=(credential,))})


async def called(credential: Secret, *responses: Any, tool: str = "FetchCrmUsersList", **raw: Any) -> tuple[Result, list[str]]:
    """The result of a call, and the credentials that were sent."""
    network = ScriptedNetwork(one_after_the_other(*responses))
    connection = at(credential)
    async with opened(network) as engine:
        open_writing(engine, connection)
        result = await made(engine, TOOLS[tool], raw, connection)
    return result, [request.headers["authorization"] for request in network.requests]


@pytest.mark.parametrize(("tool", "raw"), [("FetchCrmUsersList", {}), ("RemoveCrmUser", {"user_identifier": "17"})])
async def test_a_refused_credential_is_renewed_once(tool: str, raw: dict[str, Any]) -> None:
    credential = Renewing(*(f"MARKED-token-{number}" for number in range(1, 6)))
    result, sent = await called(credential, REFUSED, OK, tool=tool, **raw)
    assert result.ok
    assert sent == ["Bearer MARKED-token-1", "Bearer MARKED-token-2"]
    assert credential.refused == ["MARKED-token-1"]
    assert [exchange.status for exchange in result.exchanges] == [401, 200]

    result, sent = await called(credential, REFUSED, tool=tool, **raw)
    assert result.failure is not None
    assert (result.status, result.failure.kind) == (401, "authentication")
    assert sent == ["Bearer MARKED-token-2", "Bearer MARKED-token-3"]


async def test_where_there_is_no_other_the_service_refuses() -> None:
    result, sent = await called(Renewing("MARKED-token-1"), REFUSED)
    assert result.failure is not None
    assert (result.status, len(sent)) == (401, 1)
    result, sent = await called(Secret("MARKED-key"), REFUSED)
    assert (result.status, len(sent)) == (401, 1)


async def test_a_credential_that_has_ended_is_a_failure_and_nothing_is_sent() -> None:
    result, sent = await called(Renewing(), OK)
    assert result.failure is not None
    assert (result.failure.kind, result.failure.title) == ("authentication", "The sign-in has ended")
    assert (result.failure.cause, result.failure.next_step) == ("It ended by 03:14.", "Sign in again.")
    assert (sent, result.status) == ([], None)

    ended = CredentialProblem("The sign-in has ended", "It was refused.", "Sign in again.")
    result, sent = await called(Renewing("MARKED-token-1", problem=ended), REFUSED)
    assert result.failure is not None
    assert (result.failure.title, result.status, len(sent)) == ("The sign-in has ended", 401, 1)


async def test_what_is_sent_is_redacted_after_it_was_renewed() -> None:
    told = httpx.Response(200, json={"results": [], "told": "MARKED-token-1 MARKED-token-2"}, headers={"x": "MARKED-token-2"})
    result, _ = await called(Renewing("MARKED-token-1", "MARKED-token-2"), REFUSED, told)
    assert result.ok
    assert b"MARKED" not in result.body + repr((result, result.headers)).encode()


async def test_the_audit_log_knows_the_account_however_often_its_credential_is_renewed() -> None:
    credential = Renewing("MARKED-token-1")
    endpoint = next(iter(at(credential).endpoints.values()))
    before = place_of(endpoint)
    await credential.ready()
    assert endpoint.headers()["Authorization"] == "Bearer MARKED-token-1"
    assert place_of(endpoint) == before
    assert place_of(replace(endpoint, credential=Secret("an account"))) == before  # what it stands for, and nothing else
    assert place_of(replace(endpoint, credential=Secret("MARKED-token-1"))) != before


@pytest.mark.parametrize("body", ["json", "form", "multipart"])
async def test_sent_and_not_shown(body: str, tmp_path: Path) -> None:
    one = only(
        tmp_path,
        tool(
            "Secret",
            "POST",
            "/t",
            parameter("token", "string", "header", wire_name="X-Plain-Name", role="secret"),
            parameter("password", "string", "body", role="secret"),
            parameter("session", "string", "cookie", role="secret"),
            parameter("pin", "string", "header", wire_name="X-Pin", role="secret"),
            parameter("open", "string", "header", wire_name="X-Open"),
            body=body,
        ),
    )
    raw = {"token": "MARKED-token", "password": "MARKED-password", "session": "MARKED-session", "pin": "7391", "open": "shown"}
    shown = preview(plan(one, check(one, raw)), connection().endpoint("Workshop"))
    assert "MARKED" not in str(shown)
    assert shown.headers["X-Open"] == "shown"
    async with echo() as (url, received), opened() as engine:
        await made(engine, one, raw, connection(url))
    assert received[0].header("X-Plain-Name") == "MARKED-token"
    assert received[0].header("Cookie") == "session=MARKED-session"
    assert b"MARKED-password" in received[0].body
    (trace,) = engine.traces.newest_first()
    noted = str({name: getattr(trace, name) for name in trace.__struct_fields__})
    assert "shown" in noted
    assert "MARKED" not in noted
    assert "7391" not in str(trace.sent)


def test_no_argument_takes_the_place_of_the_credential(tmp_path: Path) -> None:
    """An API key in a header of the service's own: a parameter of the same name must not replace it."""
    one = only(tmp_path, tool("S", "GET", "/t", parameter("key", "string", "header", wire_name="x-api-key")))
    usual = connection().endpoint("Workshop")
    keyed = replace(usual, authentication=with_fields(usual.authentication, name="X-Api-Key", scheme=""))
    request = build(plan(one, check(one, {"key": "mine"})), keyed)
    assert request.headers.get_list("x-api-key") == ["workshop-key-1"]
