"""Servers whose messages are not as the protocol says: what is good in them works, and the rest is named or kept as it came."""

import json
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

from registry.mcp_client.content import contents_of, result_of
from registry.mcp_client.values import Server, ServerProblem
from registry.openapi.document import Overlay
from registry.openapi.mcp_server import compiled_server
from registry.results.columns import columns_in
from tests.mcp_client.test_http import SERVER, session_with

GOOD = {"name": "good", "inputSchema": {"type": "object"}}


def tool(name: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


IMAGE = {"type": "image", "data": "AAAA" * 4_000, "mimeType": "image/webp"}
LINK = {"type": "resource_link", "uri": "desk://rules", "name": "rules"}
BLOB = {"uri": "desk://b", "mimeType": "application/zip", "blob": "AQI="}
SHOWN = [{"kind": "data", "content": [1]}, {"kind": "image", "content": "image/webp, 12.0 kB"}]


def test_parts_that_are_no_text_are_named_and_their_bytes_are_files() -> None:
    found = result_of({"content": [{"type": "text", "text": "[1]"}, IMAGE], "structuredContent": {"a": 1}})
    assert found.content == {"structured": {"a": 1}, "content": SHOWN}
    assert found.files == (("image/webp", bytes(12_000)),)
    columns = columns_in([json.dumps(one).encode() for one in ({"kind": "text", "content": "a"}, SHOWN[1])]).first
    assert [one.path for one in columns] == [("kind",), ("content",)]  # so no row of the table is blank
    assert result_of({"content": [IMAGE | {"data": "no base64"}]}).files == ()
    assert contents_of({"contents": [{"uri": "x:y", "text": "{}"}]}).content == {"uri": "x:y", "data": {}}
    assert contents_of({"contents": [BLOB]}).files == (("application/zip", b"\x01\x02"),)


@pytest.mark.parametrize(
    ("sent", "content"),
    [
        (
            {"content": [LINK, {"type": "resource", "resource": BLOB}]},
            {
                "content": [
                    {"kind": "link", "content": {"uri": "desk://rules", "name": "rules"}},
                    {"kind": "resource", "content": {"uri": "desk://b", "holds": "application/zip, 2 B"}},
                ]
            },
        ),
        ({"content": [{"type": "text", "text": '{"a": NaN}'}]}, {"text": '{"a": NaN}'}),
        ({"content": [{"type": "hologram", "depth": 3}]}, {"content": [{"kind": "hologram", "content": {"depth": 3}}]}),
        ({"content": [], "structuredContent": [1, {"a": 2}]}, [1, {"a": 2}]),
        ({"content": [], "structuredContent": "done"}, "done"),
        ({"structuredContent": {"a": 1}}, {"a": 1}),
        ({"content": [], "structuredContent": None}, {"content": []}),
        ({"content": "done"}, {"content": "done"}),
        ({"toolResult": {"a": 1}}, {"toolResult": {"a": 1}}),
        ({}, {}),
        ({"content": [{"type": "text"}]}, {"content": [{"kind": "text", "content": {}}]}),
        (
            {"content": ["plain", None]},
            {"content": [{"kind": "unknown", "content": "plain"}, {"kind": "unknown", "content": None}]},
        ),
        ({"content": [{"type": "image", "data": 5}]}, {"content": [{"kind": "image", "content": {"data": 5}}]}),
        ({"content": [{"type": "resource"}]}, {"content": [{"kind": "resource", "content": {}}]}),
        ({"content": [{"type": "text", "text": "x", "annotations": 7}]}, {"text": "x"}),
        ({"content": [{"type": "text", "text": "x"}], "_meta": [1], "isError": "no"}, {"text": "x"}),
    ],
)
async def test_m3_the_result_of_a_change_that_was_made_is_kept_as_it_came(sent: Any, content: Any) -> None:
    async with session_with(tools_call=[sent]) as session:
        assert (await session.call("tools/call", {}, lambda *_: None, name="t")).content == content


@pytest.mark.parametrize(
    ("pages", "names", "left_out"),
    [
        # M1
        ([{"tools": [GOOD], "nextCursor": "a"}], ["good"], [("the list of tools", "begins again: its nextCursor is a")]),
        ([{"tools": [GOOD], "nextCursor": "a"}, {"tools": [tool("b")], "nextCursor": "b"}, {"tools": [], "nextCursor": "a"}],
         ["good", "b"], [("the list of tools", "begins again: its nextCursor is a for the second time")]),
        ([{"tools": [GOOD], "nextCursor": 5}], ["good"], [("the list of tools", "begins again: its nextCursor is 5")]),
        # M2
        ([{"tools": [GOOD, 5, None, {}]}], ["good"],
         [("2", "is not an object"), ("3", "is not an object"), ("4", "has no name")]),
        ([{"tools": [tool(None), tool("odd", inputSchema=[1]), GOOD]}], ["good"],
         [("1", "has no name"), ("odd", "has an inputSchema that is not an object")]),
        ([{"tools": [{"name": "bare"}, tool("loose", inputSchema={"properties": {"a": 5}, "required": "a"})]}],
         ["bare", "loose"], []),
        ([{"tools": [tool("said", description=5, annotations="x", title=[1], outputSchema="x", icons=3)]}], ["said"], []),
        ([{"tools": [{"name": 5}, GOOD], "nextCursor": "a"}], ["good"],
         [("1", "has no name"), ("the list of tools", "begins again")]),
        ([{"tools": {"good": GOOD}}], [], []),
    ],
)  # fmt: skip
async def test_m1_m2_a_list_ends_and_what_is_malformed_is_named(pages: Any, names: Any, left_out: Any) -> None:
    async with session_with(tools_list=pages) as session:
        listing = await session.listing()
    assert [one["name"] for one in listing.tools] == names
    assert [name for name, _ in listing.left_out] == [name for name, _ in left_out]
    assert all(reason.startswith(words) for (_, reason), (_, words) in zip(listing.left_out, left_out, strict=True))
    if names:
        made = compiled_server(listing, Server(url="https://h.example/mcp"), Overlay())
        assert {one["operation"] for one in made.tools.values()} == set(names)
        told = [str(one) for one in made.left_out]
        assert all(any(name in one and words in one for one in told) for name, words in left_out)


async def test_a_list_without_an_end_is_cut_and_that_is_said() -> None:
    pages = [{"tools": [tool(f"t{number}")], "nextCursor": str(number)} for number in range(200)]
    async with session_with(tools_list=pages) as session:
        listing = await session.listing()
    assert len(listing.tools) == 101
    assert listing.left_out == (("the list of tools", "has no end: only the first 101 are used"),)


UNSUPPORTED = {"code": -32022, "message": "no", "data": {"requested": "2026-07-28", "supported": ["2030-01-01", "2031-02-02"]}}


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ({"initialize": [SERVER | {"protocolVersion": "1999-01-01"}]}, "The server speaks version 1999-01-01 of MCP, and Call"),
        ({"server_discover": [{"error": UNSUPPORTED}]}, "The server speaks version 2030-01-01, 2031-02-02 of MCP"),
        ({"tools_call": [{"error": {"code": -7, "message": "no.", "data": {"field": "x", "why": [1]}}}]},
         'no ({"field": "x", "why": [1]})'),
        ({"tools_call": [{"error": {"code": -7, "message": "no", "data": "\x1b[31m"}}]}, 'no ("\\u001b[31m")'),
    ],
)  # fmt: skip
async def test_m4_versions_and_the_data_of_errors_are_shown(results: Any, words: str) -> None:
    with pytest.raises(ServerProblem) as caught:
        async with session_with(**results) as session:
            await session.call("tools/call", {}, lambda *_: None, name="t")
    assert str(caught.value).startswith(words)


async def test_a_result_is_held_against_its_output_schema_and_shown_all_the_same() -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    listed = [{"tools": [tool("t", outputSchema=schema)]}]
    for sent, note in (
        ({"content": [], "structuredContent": {"count": 3}}, ""),
        ({"content": [], "structuredContent": {"count": "three"}}, "'three' is not of type 'integer'"),
        ({"content": [], "structuredContent": [1]}, "[1] is not of type 'object'"),
        ({"content": []}, "Tool t has an output schema but did not return structured content"),
        ({"content": [], "isError": True}, ""),
    ):
        async with session_with(tools_list=listed, tools_call=[sent]) as session:
            await session.listing()
            result = await session.call("tools/call", {}, lambda *_: None, name="t")
        assert result.content == sent.get("structuredContent", {"content": []})
        expected = (f"The result is not what the tool’s outputSchema says: {note}.",) if note else ()
        assert result.notes == expected


@pytest.mark.parametrize(
    ("sent", "content"),
    [
        ({"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}], "description": "d"},
         {"description": "d", "text": "Hi"}),
        ({"messages": [{"role": "user", "content": {"type": "odd", "x": 1}}, 5]},
         {"messages": [{"role": "user", "kind": "odd", "content": {"x": 1}}]}),
        ({"messages": "none"}, {"messages": []}),
    ],
)  # fmt: skip
async def test_a_prompt_is_a_tool_that_reads_and_returns_text(sent: Any, content: Any) -> None:
    prompt = {"name": "greet", "arguments": [{"name": "who", "required": True}, {"name": "how"}, {"name": 5}]}
    offered = SERVER | {"capabilities": {"prompts": {}}}
    async with session_with(initialize=[offered], prompts_list=[{"prompts": [prompt, 7]}], prompts_get=[sent]) as session:
        listing = await session.listing()
        assert (await session.call("prompts/get", {"who": "Ada"}, lambda *_: None, name="greet")).content == content
    made = compiled_server(listing, Server(url="https://h.example/mcp"), Overlay())
    (entry,) = made.tools.values()
    assert (entry["effect"], entry["group"], entry["path"]) == ("read", "Prompts", "/prompts/get/greet")
    assert [(one["name"], one.get("required", False)) for one in entry["parameters"]] == [("who", True), ("how", False)]
    assert "7" not in json.dumps(made.tools)
    assert listing.left_out == (("2", "is not an object"),)
