"""Resources and prompts of the door, in both eras."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

import mcp_types as types
from mcp import Client, MCPError

from registry.accounts.secrets import MASK
from registry.journal.history import History
from tests.changes.world import CATALOG, place
from tests.doors.test_mcp import ERAS, door, said

INTENT = {"payment_intent_id": "pi_1", "payment_intent_client_secret": "pi_1_secret_MARKED"}


async def read(client: Client, uri: str) -> dict[str, Any]:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, "application/json")
    values: dict[str, Any] = json.loads(content.text)
    return values


@pytest.mark.parametrize("era", ERAS)
async def test_resources_say_what_the_tools_say(era: str, tmp_path: Path) -> None:
    history = History(tmp_path / "journal.db")
    async with place(history=history) as one, door(one, era) as client:
        listed = (await client.list_resources()).resources
        assert [str(found.uri) for found in listed] == ["callboard://oncall", "callboard://toolkits", "callboard://history"]
        templates = (await client.list_resource_templates()).resource_templates
        assert [found.uri_template for found in templates] == ["callboard://tools/{name}", "callboard://objects/{id}"]
        assert (await read(client, "callboard://oncall"))["data"]["verdict"]["state"] == "open"
        toolkits = (await read(client, "callboard://toolkits"))["toolkits"]
        assert sum(found["tools"] for found in toolkits) == len(CATALOG.tools)
        assert {found["reaches"] for found in toolkits} == {"sandbox"}
        (told,) = (await read(client, "callboard://tools/DeletePaymentsCoupon"))["items"]
        assert told == (await said(client, "describe_tools", tools=["DeletePaymentsCoupon"]))["items"][0]
        followed = await said(client, "follow", id="mei.tan@fernway.example")
        assert await read(client, "callboard://objects/mei.tan%40fernway.example") == followed
        await said(client, "call_read_tool", tool="RetrievePaymentIntentDetails", arguments=INTENT)
        assert history.flush()
        calls = (await read(client, "callboard://history"))["calls"]
        assert [call["tool"] for call in calls[:2]] == ["RetrievePaymentIntentDetails", followed["tool"]]
        assert calls[0]["arguments"]["payment_intent_client_secret"] == MASK
        assert calls[0]["outcome"] == "failed"
        for wrong in ("file:///etc/passwd", "callboard://tools/Nothing", "callboard://objects/", "callboard://oncall/x", "x"):
            with pytest.raises(MCPError, match="Unknown resource"):
                await client.read_resource(wrong)
        assert one.wire.changes == []


async def test_prompts_take_an_id_as_data() -> None:
    async with place() as one, door(one, ERAS[0]) as client:
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert names == ["handoff", "who_is_on_call", "why_did_this_fail"]
        (message,) = (await client.get_prompt("why_did_this_fail", {"id": "in_1\x1b[31m"})).messages
        assert isinstance(message.content, types.TextContent)
        assert "“in_1\\u001b[31m”" in message.content.text
        for name in ("why_did_this_fail", "nothing"):
            with pytest.raises(MCPError, match=r"id is required|Unknown prompt"):
                await client.get_prompt(name, {})
