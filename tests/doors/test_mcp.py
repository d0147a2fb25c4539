"""The door for agents, driven by the protocol's own client in both eras; what reaches the service is counted there."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

import mcp_types as types
from mcp import Client, MCPError

from registry.doors.mcp.agent_tools import DATA, AgentTools
from registry.doors.mcp.server import made, offers
from tests.changes.world import CATALOG, Place, place

ERAS = ("2026-07-28", "legacy")
COUPON = {"tool": "DeletePaymentsCoupon", "arguments": {"coupon_id": "PARTNER15"}}
ALLOW = types.ElicitResult(action="accept", content={"allow": True})
Person = Callable[[types.ElicitRequestFormParams], Awaitable[types.ElicitResult]]


def says(*answers: types.ElicitResult, told: list[Any] | None = None) -> Person:
    """A person who gives these answers in turn, the last one for ever."""
    rest = list(answers)

    async def person(params: types.ElicitRequestFormParams) -> types.ElicitResult:
        if told is not None:
            told.append(params)
        return rest.pop(0) if len(rest) > 1 else rest[0]

    return person


@asynccontextmanager
async def door(
    there: Place, era: Any, person: Person | None = None, tokens: int = 6_000, **options: Any
) -> AsyncIterator[Client]:
    """A client of the door on a sandbox. Its engine reaches it as the mode of the place says."""
    there.engine.__dict__["_found"] = ({"sandbox": there.connection}, "")
    server = made(AgentTools(there.engine, tokens=tokens, **options), offers(CATALOG))

    async def asked(_: Any, params: Any) -> types.ElicitResult:
        assert person is not None
        return await person(params)

    info = types.Implementation(name="support-desk", version="1")
    heard: Any = asked if person is not None else None
    async with Client(server, mode=era, elicitation_callback=heard, client_info=info) as client:
        yield client


async def said(client: Client, name: str, /, **arguments: Any) -> dict[str, Any]:
    """What a tool of the door answers. Its text is the same values."""
    result = await client.call_tool(name, arguments)
    values = result.structured_content
    assert isinstance(values, dict)
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert json.loads(content.text) == values
    assert bool(result.is_error) == ("error" in values)
    return values


async def turn(
    client: Client, arguments: dict[str, Any], state: str | None = None
) -> types.CallToolResult | types.InputRequiredResult:
    """One turn of a call of 2026-07-28: without a state the first, with one (an empty one is left out) the person's yes."""
    said: types.InputResponses | None = {"consent": ALLOW} if state is not None else None
    return await client.session.call_tool(
        "call_tool", arguments, input_responses=said, request_state=state or None, allow_input_required=True
    )


@pytest.mark.parametrize("era", ERAS)
async def test_find_describe_call_turn_follow_and_the_board(era: str) -> None:
    async with place() as one, door(one, era, tokens=800) as client:
        listed = await client.list_tools()
        names = "find_tools describe_tools call_read_tool call_tool next_page follow oncall_dashboard"
        assert [tool.name for tool in listed.tools] == names.split()
        assert {tool.name for tool in listed.tools if tool.annotations and tool.annotations.destructive_hint} == {"call_tool"}
        assert all(
            tool.annotations and None not in tool.annotations.model_dump(exclude={"title"}).values() for tool in listed.tools
        )
        found = (await said(client, "find_tools", query="failed payments yesterday"))["found"][0]
        assert (found["tool"], found["effect"], found["what"]) == (
            "PaymentsSearchCharges",
            "read",
            "Failed payments, yesterday",
        )
        assert (await said(client, "call_read_tool", tool=found["tool"], arguments=found["arguments"]))["note"] == DATA
        (told,) = (await said(client, "describe_tools", tools=["DeletePaymentsCoupon"]))["items"]
        assert (told["call_with"], told["arguments"]["required"]) == ("call_tool", ["coupon_id"])
        assert "Cannot be undone." in told["rule"]
        every = {"search_query_string": "created>0"}
        page = await said(client, "call_read_tool", tool="SearchPaymentsCustomers", arguments=every)
        ids = [item["id"] for item in page["items"]]
        assert "items exceed the budget" in page["cut"]
        before = len(one.wire.seen)
        while len(one.wire.seen) == before:  # the rest of the answer is here already; then the service's next page
            page = await said(client, "next_page", cursor=page["cursor"])
            ids += [item["id"] for item in page.get("items", ())]
        assert len(ids) == len(set(ids)) > 10
        assert (await said(client, "follow", id=ids[0]))["data"]["id"] == ids[0]
        board = await said(client, "oncall_dashboard")
        text = board["part_of_json"]
        while "cursor" in board:
            board = await said(client, "next_page", cursor=board["cursor"])
            text += board["part_of_json"]
        whole = json.loads(text)
        assert whole["verdict"]["state"] == "open"
        assert len(whole["incidents"]) > 3
        assert any("on call" in line for line in whole["in_words"])
        assert one.wire.changes == []


async def test_b2_b3_nothing_of_a_call_is_dropped() -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("find_tools", {"words": "x"}, "words"),
        ("call_read_tool", {"tool": "ListIncidents", "status": "triggered", "limit": 3}, "status"),
        ("call_read_tool", {"tool": "ListIncidents", "args": {"limit": 3}}, "args"),
        ("call_tool", {**COUPON, "parameters": {}}, "parameters"),
        ("oncall_dashboard", {"account": "x"}, "account"),
    ]
    async with place() as one, door(one, ERAS[0]) as client:
        assert all(tool.input_schema["additionalProperties"] is False for tool in (await client.list_tools()).tools)
        for name, arguments, field in wrong:
            values = await said(client, name, **arguments)
            assert (values["field"], f"does not take {field}" in values["cause"]) == (field, True)
        assert one.wire.seen == []
    assert all(tool.input_schema["additionalProperties"] is False for tool in offers(CATALOG, "all"))


async def test_b4_what_a_result_named_is_followed_as_what_it_is() -> None:
    async with place() as one, door(one, ERAS[0], tokens=20_000) as client:

        async def followed(id_: str, **more: str) -> dict[str, Any]:
            return await said(client, "follow", id=id_, **more)

        unknown = await followed("PX6VROF")
        assert {"GetIncident", "GetService"} < {call["tool"] for call in unknown["calls"]}
        assert (await followed("PX6VROF", type="service"))["tool"] == "GetService"
        listed = await said(client, "call_read_tool", tool="ListOncalls", arguments={"limit": 3})
        duty = listed["data"]["oncalls"][0]
        assert (await followed(duty["escalation_policy"]["id"]))["tool"] == "GetEscalationPolicy"
        assert (await followed(duty["schedule"]["id"]))["calls"][0]["tool"] == "ListOncalls"
        people = await said(client, "call_read_tool", tool="FetchCrmUsersList", arguments={})
        user = people["data"]["results"][0]
        assert (await followed(user["email"]))["data"]["id"] == user["id"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("mode", ["sandbox", "test", "live"])
async def test_a_deletion_needs_a_persons_word(era: str, mode: Any) -> None:
    live = mode == "live"
    good = types.ElicitResult(action="accept", content={"typed_id": "PARTNER15"}) if live else ALLOW
    refusals = [
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="cancel"),
        types.ElicitResult(action="accept", content={}),
        types.ElicitResult(action="accept", content={"allow": False, "typed_id": "partner15"}),
        ALLOW if live else types.ElicitResult(action="accept", content={"allow": "true"}),
    ]
    told: list[Any] = []
    async with place(mode=mode) as one, door(one, era, says(*refusals, good, told=told), allow_writes=True) as client:
        for refusal in refusals:
            values = await said(client, "call_tool", **COUPON, reason="The\x1b[31m partner left.\nAccount: none")
            assert values["error"] == "Nothing was sent", refusal
        assert one.wire.changes == []
        assert (await said(client, "call_tool", **COUPON))["became"] == "The change was made."
        assert one.wire.changes == ["DELETE"]
        again = await said(client, "call_tool", **COUPON)
        assert (again["became"], len(told)) == ("Not found; nothing was changed.", len(refusals) + 1)
        assert one.wire.changes == ["DELETE"]
    first = told[0].message
    assert first.splitlines()[:3] == [
        "An agent (support-desk 1) asks: Delete a coupon: PARTNER15",
        f"Account: Sandbox, {mode}",
        "The agent's reason (not verified): “The\\u001b[31m partner left.\\nAccount: none”",
    ]
    for fact in ("name: Partner discount", "1 redemption that keeps its discount", "! Cannot be undone.", "DELETE http"):
        assert fact in first
    assert list(told[0].requested_schema["properties"]) == (["typed_id"] if live else ["allow"])


@pytest.mark.parametrize("era", ERAS)
async def test_who_cannot_be_asked_changes_nothing(era: str) -> None:
    async with place() as one, door(one, era) as client:
        refused = await said(client, "call_tool", **COUPON)
        assert "cannot ask" in refused["cause"]
        assert "callboard call DeletePaymentsCoupon --coupon-id=PARTNER15" in refused["what_to_do"]
        assert "--yes" not in refused["what_to_do"]
        assert "call_tool" in (await said(client, "call_read_tool", **COUPON))["what_to_do"]
        assert one.wire.seen == []
    async with place(mode="live") as one, door(one, era, says(ALLOW)) as client:
        one.engine.policy.close_writing(one.connection, "PaymentsApi")
        assert "--allow-writes" in (await said(client, "call_tool", **COUPON))["what_to_do"]
        assert one.wire.seen == []
    async with place(read_only=True) as one, door(one, era, says(ALLOW)) as client:
        assert "read-only" in (await said(client, "call_tool", **COUPON))["cause"]
        assert one.wire.seen == []


async def test_an_answer_counts_once_and_for_what_was_asked() -> None:
    async with place(faults=["payments DELETE 402"]) as one, door(one, ERAS[0], says(ALLOW)) as client:
        call = partial(turn, client, COUPON)
        asked = await call()
        assert isinstance(asked, types.InputRequiredResult)
        assert asked.request_state is not None
        state = asked.request_state
        for wrong in (state[:-4] + "AAAA", "made up"):
            with pytest.raises(MCPError, match="requestState"):
                await call(wrong)
        other = {"tool": "DeletePaymentsCoupon", "arguments": {"coupon_id": "LAUNCH25"}}
        with pytest.raises(MCPError, match="requestState"):
            await turn(client, other, state)
        without = await call("")
        assert isinstance(without, types.InputRequiredResult), "an answer without a question is none"
        assert one.wire.changes == []
        refused = await call(state)
        assert isinstance(refused, types.CallToolResult), "by the service, so that it could be sent again"
        assert one.wire.changes == ["DELETE"]
        again = await call(state)
        assert isinstance(again, types.InputRequiredResult)
        assert one.wire.changes == ["DELETE"]


async def test_what_changed_since_the_question_is_asked_again() -> None:
    user = {"tool": "UpdateCrmUserInfo", "arguments": {"user_identifier": "41759806", "first_name": "Maya"}}
    async with place() as one, door(one, ERAS[0], says(ALLOW)) as client:
        call = partial(turn, client, user)
        asked = await call()
        assert isinstance(asked, types.InputRequiredResult), "in the sandbox a change is asked as well"
        other = {"user_identifier": "41759806", "first_name": "Mara"}
        await one.engine.run("UpdateCrmUserInfo", other, one.connection)
        again = await call(asked.request_state)
        assert isinstance(again, types.InputRequiredResult)
        request = (again.input_requests or {})["consent"]
        assert isinstance(request, types.ElicitRequest)
        assert "first name: Mara → Maya" in request.params.message


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_change_is_found_out(era: str, tmp_path: Path) -> None:
    async with place(state=tmp_path, faults=["payments DELETE latency 30s"]) as one, door(one, era, says(ALLOW)) as client:
        call = asyncio.create_task(client.call_tool("call_tool", COUPON))
        await one.wire.changed.wait()
        call.cancel()
        await asyncio.wait({call})
        changes = one.engine.audit.changes()
        async with asyncio.timeout(20):
            while not any(change.looked for change in changes):
                await asyncio.sleep(0.01)
                changes = one.engine.audit.changes()
        assert [change.state for change in changes] == ["not done"]
        assert one.wire.changes == ["DELETE"]


async def test_errors_name_the_field_the_rule_and_the_way_out() -> None:
    async with place() as one, door(one, ERAS[0], says(ALLOW)) as client:
        unknown = await said(client, "call_read_tool", tool="DeletePaymentCoupon")
        assert "DeletePaymentsCoupon" in unknown["cause"]
        assert "find_tools" in unknown["what_to_do"]
        wrong = await said(client, "call_tool", tool="DeletePaymentsCoupon", arguments={"coupon": "PARTNER15"})
        assert [one["field"] for one in wrong["wrong"]] == ["coupon", "coupon_id"]
        assert (await said(client, "find_tools"))["field"] == "query"
        assert (await said(client, "describe_tools", tools=["Whoami"] * 6))["field"] == "tools"
        assert (await said(client, "call_read_tool", tool="Whoami", arguments=[]))["field"] == "arguments"
        assert (await said(client, "next_page", cursor="nonsense"))["field"] == "cursor"
        assert (await said(client, "follow", id="nothing at all"))["field"] == "id"
        assert one.wire.seen == []
        assert (await said(client, "no_such_tool"))["field"] == "name"


def test_lists_are_small_and_plain(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {}
    for which in ("compact", "read", "all"):
        server = [tool.model_dump_json(by_alias=True, exclude_none=True) for tool in offers(CATALOG, which)]
        sizes[which] = sum(len(one.encode()) for one in server)
        assert '"not"' not in "".join(server)
    assert sizes["compact"] <= 3_000
    assert sizes["all"] <= 180_000
    assert sizes["compact"] < sizes["read"] < sizes["all"]
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in offers(CATALOG, "read"))
    assert {"RemoveCrmUser", "next_page"} <= {tool.name for tool in offers(CATALOG, "crmusersapi, On call")}
    assert "call_tool" not in {offer.name for offer in offers(CATALOG, read_only=True)}
    with pytest.raises(SystemExit, match="2"):
        offers(CATALOG, "nonsense,users")
    assert "got nonsense" in capsys.readouterr().err
