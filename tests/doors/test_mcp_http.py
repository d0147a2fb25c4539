"""The door for agents over HTTP: who is let in, and the same calls as over a pipe, in both eras."""

import asyncio
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from registry.doors.mcp.agent_tools import AgentTools
from registry.doors.mcp.server import made, offers
from registry.doors.mcp.transports import PATH, served, token_in
from tests.changes.world import CATALOG, place

TOKEN = "a token of sixteen or more"


def test_the_token_is_its_owners_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "callboard" / "mcp-token"
    token = token_in(file)
    assert len(token) >= 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert token_in(file) == token
    file.chmod(0o644)
    assert token_in(file) not in ("", token), "others may have read it"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_who_is_let_in_and_a_deletion_in_both_eras() -> None:
    async def agreed(_: Any, __: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"allow": True})

    person: Any = agreed
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        address = f"http://127.0.0.1:{port}{PATH}"
        async with place() as one:
            server = served(made(AgentTools(one.engine), offers(CATALOG)), TOKEN, port)
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            async with httpx2.AsyncClient() as http:
                hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
                for headers, status in (
                    ({}, 401),
                    ({"Authorization": "Bearer wrong"}, 401),
                    ({"Authorization": f"Basic {TOKEN}"}, 401),
                    (bearer | {"Host": "evil.example"}, 421),
                    (bearer | {"Host": "127.0.0.1:1"}, 421),
                    (bearer | {"Origin": "https://evil.example"}, 403),
                    (bearer | {"Origin": "null"}, 403),
                ):
                    assert (await http.post(address, json=hello, headers=headers)).status_code == status, headers
            assert one.wire.seen == []
            for era, coupon in (("2026-07-28", "PARTNER15"), ("legacy", "WELCOME20")):
                before = len(one.wire.changes)
                async with httpx2.AsyncClient(headers=bearer) as http:
                    pipe = streamable_http_client(address, http_client=http)
                    async with Client(pipe, mode=era, elicitation_callback=person) as client:
                        assert len((await client.list_tools()).tools) == 7
                        arguments = {"tool": "DeletePaymentsCoupon", "arguments": {"coupon_id": coupon}}
                        assert not (await client.call_tool("call_tool", arguments)).is_error
                assert one.wire.changes[before:] == ["DELETE"]
            server.should_exit = True
            await serving
