"""Resources of the door, links to what an answer left out, and completion of names and ids; in both eras."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

import mcp_types as types
from mcp import Client, MCPError

from registry.accounts.secrets import MASK
from registry.doors.mcp.server import _result
from registry.journal.history import History
from tests.changes.world import CATALOG, place
from tests.doors.test_mcp import ERAS, door, said

TOOLS = types.ResourceTemplateReference(uri="callboard://tools/{name}")
OBJECTS = types.ResourceTemplateReference(uri="callboard://objects/{id}")
INTENT = {"payment_intent_id": "pi_1", "payment_intent_client_secret": "pi_1_secret_MARKED"}


async def read(client: Client, uri: str) -> dict[str, Any]:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, "application/json")
    values: dict[str, Any] = json.loads(content.text)
    return values


async def completed(client: Client, ref: Any, name: str, typed: str) -> types.Completion:
    return (await client.complete(ref, {"name": name, "value": typed})).completion


@pytest.mark.parametrize("era", ERAS)
async def test_resources_say_what_the_tools_say(era: str, tmp_path: Path) -> None:
    history = History(tmp_path / "journal.db")
    async with place(history=history) as one, door(one, era) as client:
        assert [str(found.uri) for found in (await client.list_resources()).resources] == [
            "callboard://oncall",
            "callboard://toolkits",
            "callboard://history",
        ]
        templates = (await client.list_resource_templates()).resource_templates
        assert [found.uri_template for found in templates] == [
            "callboard://tools/{name}",
            "callboard://objects/{id}",
            "callboard://rest/{cursor}",
        ]
        toolkits = (await read(client, "callboard://toolkits"))["toolkits"]
        assert sum(found["tools"] for found in toolkits) == len(CATALOG.tools)
        assert {found["reaches"] for found in toolkits} == {"sandbox"}
        (told,) = (await read(client, "callboard://tools/DeletePaymentsCoupon"))["items"]
        assert told == (await said(client, "describe_tools", tools=["DeletePaymentsCoupon"]))["items"][0]
        user = "mei.tan%40fernway.example"
        followed = await said(client, "follow", id="mei.tan@fernway.example")
        assert await read(client, f"callboard://objects/{user}") == followed
        await said(client, "call_read_tool", tool="RetrievePaymentIntentDetails", arguments=INTENT)
        assert history.flush()
        calls = (await read(client, "callboard://history"))["calls"]
        assert [call["tool"] for call in calls[:2]] == ["RetrievePaymentIntentDetails", followed["tool"]]
        assert calls[0]["arguments"]["payment_intent_client_secret"] == MASK
        assert calls[0]["outcome"] == "failed"
        for wrong in ("file:///etc/passwd", "callboard://tools/Nothing", "callboard://rest/none", "callboard://objects/", "x"):
            with pytest.raises(MCPError, match="Unknown resource"):
                await client.read_resource(wrong)
        assert one.wire.changes == []


@pytest.mark.parametrize("era", ERAS)
async def test_what_an_answer_left_out_is_a_link_and_whole(era: str) -> None:
    every = {"tool": "SearchPaymentsCustomers", "arguments": {"search_query_string": "created>0"}}
    async with place() as one, door(one, era, tokens=800) as client:
        result = await client.call_tool("call_read_tool", every)
        first = result.structured_content
        assert isinstance(first, dict)
        _, link = result.content
        assert isinstance(link, types.ResourceLink)
        requests = len(one.wire.seen)
        rest = await read(client, str(link.uri))
        assert len(one.wire.seen) == requests, "it is here already"
        ids = [item["id"] for item in (*first["items"], *rest["items"])]
        assert len(ids) == len(set(ids)) == 10
        assert "cut" not in rest
        page = await read(client, f"callboard://rest/{rest['cursor']}")
        assert len(one.wire.seen) == requests + 1, "the next page of the list is asked for"
        assert page["items"][0]["id"] not in ids
        assert one.wire.changes == []


@pytest.mark.parametrize(("version", "links"), [("2025-03-26", 0), ("2025-06-18", 1), ("2026-07-28", 1)])
def test_a_client_that_does_not_know_links_gets_none(version: str, links: int) -> None:
    context: Any = SimpleNamespace(protocol_version=version)
    told = _result({"cursor": "a/b", "items": []}, context, is_error=False)
    assert [one.uri for one in told.content[1:] if isinstance(one, types.ResourceLink)] == ["callboard://rest/a%2Fb"] * links
    assert len(told.content) == 1 + links


@pytest.mark.parametrize("era", ERAS)
async def test_names_and_ids_are_completed(era: str, tmp_path: Path) -> None:
    history = History(tmp_path / "journal.db")
    async with place(history=history) as one, door(one, era) as client:
        names = await completed(client, TOOLS, "name", "deletepay")
        assert names.values[0].startswith("DeletePayments")
        assert set(names.values) == {name for name in CATALOG.tools if "deletepay" in name.lower()}
        every = await completed(client, TOOLS, "name", "")
        assert (len(every.values), every.total, every.has_more) == (100, len(CATALOG.tools), True)
        assert (await completed(client, OBJECTS, "id", "PART")).values == [], "nothing was seen yet"
        for coupon in ("PARTNER15", "WELCOME20"):
            await said(client, "call_read_tool", tool="GetCouponDetails", arguments={"coupon_id": coupon})
        assert history.flush()
        assert {"PARTNER15", "WELCOME20"} <= set((await completed(client, OBJECTS, "id", "")).values)
        assert (await completed(client, OBJECTS, "id", "PART")).values == ["PARTNER15"]
        why = types.PromptReference(name="why_did_this_fail")
        assert (await completed(client, why, "id", "partner d")).values == ["PARTNER15"], "by what it is called"
        for ref, name in (
            (types.PromptReference(name="handoff"), "id"),
            (why, "other"),
            (types.ResourceTemplateReference(uri="callboard://rest/{cursor}"), "cursor"),
            (types.ResourceTemplateReference(uri="file:///{path}"), "path"),
            (TOOLS, "id"),
        ):
            assert (await completed(client, ref, name, "P")).values == []
        assert one.wire.changes == []
