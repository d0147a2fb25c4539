"""Secret arguments in headers, cookies and bodies: sent, and shown nowhere."""

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as with_fields

from registry.calling.arguments import check
from registry.calling.request import build, plan, preview
from tests.opened import made, opened
from tests.workshop import connection, echo, only, parameter, tool


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
