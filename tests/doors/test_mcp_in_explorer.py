"""Changes that agents want, answered in an explorer on the same home: both eras, with and without a client that can ask."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

import mcp_types as types
from mcp import Client

from registry.doors.mcp.server import caller
from registry.engine import AgentAnswer, AgentRequest
from registry.journal.agent_requests import AgentRequests
from registry.journal.store import AGENT_REQUESTS, state_file
from tests.changes.world import Place, place
from tests.doors.test_mcp import ALLOW, COUPON, ERAS, Person, door, said, says, turn

YES, NO = AgentAnswer(allowed=True), AgentAnswer(allowed=False, note="Ask billing first.")
DECLINE, CANCEL = (types.ElicitResult(action=action) for action in ("decline", "cancel"))


class Explorer:
    """What a running explorer does with the file: it attends, sees what waits, answers."""

    def __init__(self, folder: Path) -> None:
        self.requests = AgentRequests(state_file(AGENT_REQUESTS, folder))
        self.requests.attend()

    async def asked(self) -> AgentRequest:
        """The question, once it is there."""
        return (await self.until(lambda waiting: bool(waiting)))[0]

    async def until(self, condition: Callable[[list[AgentRequest]], bool]) -> list[AgentRequest]:
        """What waits, once that fulfils a condition."""
        async with asyncio.timeout(20):
            while True:
                if condition(waiting := await asyncio.to_thread(self.requests.waiting)):
                    return waiting
                await asyncio.sleep(0.01)

    async def answers(self, answer: AgentAnswer) -> None:
        """Answer the next question."""
        assert await asyncio.to_thread(self.requests.answer, (await self.asked()).id, answer)


@asynccontextmanager
async def both(
    folder: Path, era: str, person: Person | None = None, **options: Any
) -> AsyncIterator[tuple[Place, Client, Explorer]]:
    """A door and an explorer on one home."""
    explorer = Explorer(folder)
    live = options.get("mode") == "live"
    async with place(state=folder, caller=caller, **options) as one, door(one, era, person, allow_writes=live) as client:
        try:
            yield one, client, explorer
        finally:
            explorer.requests.close()


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_cannot_ask_is_answered_in_the_explorer(era: str, tmp_path: Path) -> None:
    async with both(tmp_path, era) as (one, client, explorer):
        call = asyncio.create_task(said(client, "call_tool", **COUPON, reason="The\x1b[31m partner left."))
        request = (await explorer.asked()).change
        assert (request.client, request.tool, request.subject) == ("support-desk 1", "DeletePaymentsCoupon", "PARTNER15")
        assert (request.reason, request.names, request.final, request.sure) == ("The\\u001b[31m partner left.", (), True, True)
        assert ("goes along", "", "1 redemption that keeps its discount") in request.found
        assert (request.method, request.url.endswith("/v1/coupons/PARTNER15")) == ("DELETE", True)
        assert one.wire.changes == []
        await explorer.answers(NO)
        assert (await call)["cause"] == "The person refused it, with a note: “Ask billing first.”"
        assert one.wire.changes == []
        call = asyncio.create_task(said(client, "call_tool", **COUPON))
        await explorer.answers(YES)
        assert (await call)["became"] == "The change was made."
        assert one.wire.changes == ["DELETE"]
        (change, *_) = one.engine.audit.changes()
        assert change.caller == "callboard mcp, support-desk 1, answered in the explorer"
        assert explorer.requests.waiting() == []


async def test_the_first_answer_counts_where_the_client_asks_as_well(tmp_path: Path) -> None:
    asked, answer = asyncio.Event(), asyncio.get_running_loop().create_future()

    async def person(_: types.ElicitRequestFormParams) -> types.ElicitResult:
        asked.set()
        result: types.ElicitResult = await asyncio.shield(answer)
        return result

    async with both(tmp_path, "legacy", person) as (one, client, explorer):
        call = asyncio.create_task(said(client, "call_tool", **COUPON))
        await asked.wait()
        await explorer.answers(NO)
        assert "Ask billing first." in (await call)["cause"]
        assert one.wire.changes == []
        call = asyncio.create_task(said(client, "call_tool", **COUPON))
        request = await explorer.asked()
        answer.set_result(ALLOW)
        assert (await call)["became"] == "The change was made."
        assert one.wire.changes == ["DELETE"]
        assert not explorer.requests.answer(request.id, NO), "it was answered in the client"
        assert one.engine.audit.changes()[0].caller == "callboard mcp, support-desk 1"


@pytest.mark.parametrize(("first", "then", "sent"), [(YES, CANCEL, True), (YES, DECLINE, False), (NO, ALLOW, False)])
async def test_a_client_that_comes_back_finds_what_was_answered_meanwhile(
    first: AgentAnswer, then: types.ElicitResult, sent: bool, tmp_path: Path
) -> None:
    async with both(tmp_path, ERAS[0], says(ALLOW)) as (one, client, explorer):
        asked = await turn(client, COUPON)
        assert isinstance(asked, types.InputRequiredResult)
        request = await explorer.asked()
        await explorer.answers(first)
        told = await client.session.call_tool(
            "call_tool", COUPON, input_responses={"consent": then}, request_state=asked.request_state, allow_input_required=True
        )
        assert isinstance(told, types.CallToolResult)
        assert one.wire.changes == (["DELETE"] if sent else [])
        assert bool(told.is_error) is not sent
        assert not explorer.requests.answer(request.id, YES), "it is over"
        assert explorer.requests.waiting() == []
