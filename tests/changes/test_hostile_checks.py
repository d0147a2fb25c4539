"""Answers that mean harm, or are of a shape that nobody expects: a look tells what it can, in text that is safe to show."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from registry.accounts.connection import sandbox
from registry.catalog.model import Tool
from registry.changes.check_result import lines
from tests.calling.network import ScriptedNetwork
from tests.changes.world import TOOLS, look
from tests.hostile import CONTROLS, MARKUP, forbidden_in_output
from tests.opened import opened
from tests.sampled import first_of_each
from tests.test_every_tool import examples

CHANGES = first_of_each([tool for tool in TOOLS.values() if tool.effect != "read"], lambda one: one.returns.objects)
_MEMBERS = """
name email status description currency balance amount created customer test_clock invoice parent status default_price
type relationship verification default_for_currency controller list_items configuration_overrides times_redeemed source
enabled_events items price plan recurring unit_amount interval interval_count quantity firstName lastName roleId roleIds
primaryTeamId secondaryTeamIds entitlement_feature livemode results data total_count has_more coupon percent_off
"""
NAMES = _MEMBERS.split()


class Checks:
    """One tool looked at again and again by one engine, with other responses each time."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self._arguments = examples(tool) | ({"user_role_id": "1"} if tool.effect == "write" else {})
        self._body = b""

    def _answer(self, request: httpx.Request) -> httpx.Response:
        assert request.method == "GET"
        return httpx.Response(200, content=self._body, headers={"content-type": "application/json"})

    async def told(self, *responses: dict[str, Any]) -> AsyncIterator[str]:
        """What is told of each response."""
        async with opened(ScriptedNetwork(self._answer)) as engine:
            for response in responses:
                self._body = json.dumps(response).encode("utf-8", "surrogatepass")
                seen = await look(engine.reads(self.tool, sandbox()), self.tool, self._arguments)
                assert seen.complete
                yield "\n".join(line.text for line in lines(seen, self.tool))


@pytest.mark.parametrize("tool", CHANGES, ids=lambda tool: tool.name)
async def test_harm_is_made_visible(tool: Tool) -> None:
    responses = []
    for text in (" ".join(CONTROLS[:10]), " ".join(CONTROLS[10:]), " ".join(MARKUP)):
        inside = {"object": text, **dict.fromkeys(NAMES, text)}
        responses.append(inside | {"object": tool.returns.objects[0], "id": text, "results": [inside | {"id": text}]})
    async for told in Checks(tool).told(*responses):
        assert forbidden_in_output(told.encode("utf-8", "surrogatepass")) == []
