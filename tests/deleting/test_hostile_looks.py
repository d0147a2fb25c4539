"""Answers that mean harm, or are of a shape that nobody expects: a look tells what it can, in text that is safe to show."""

from __future__ import annotations

import itertools
import json
from typing import Any

import httpx
import pytest

from registry.catalog.model import Tool
from registry.connections.profiles import sandbox
from registry.deleting.look import look
from registry.deleting.telling import lines
from tests.calling.network import ScriptedNetwork
from tests.deleting.world import TOOLS
from tests.hostile import CONTROLS, MARKUP, forbidden_in_output
from tests.opened import opened
from tests.test_every_tool import examples

CHANGES = [tool for tool in TOOLS.values() if tool.effect != "read"]
ODD: list[Any] = [None, True, -1, 10**30, 1.5, [], {}, [None], [[]], [{}], {"data": [None, 1, {"price": 3}]}, {"data": {}}, "x"]
_MEMBERS = """
name email status description currency balance amount created customer test_clock invoice parent status default_price
type relationship verification default_for_currency controller list_items configuration_overrides times_redeemed source
enabled_events items price plan recurring unit_amount interval interval_count quantity firstName lastName roleId roleIds
primaryTeamId secondaryTeamIds entitlement_feature livemode results data total_count has_more coupon percent_off
"""
NAMES = _MEMBERS.split()


async def looked(tool: Tool, answer: dict[str, Any]) -> str:
    body = json.dumps(answer).encode("utf-8", "surrogatepass")
    network = ScriptedNetwork(lambda request: httpx.Response(200, content=body, headers={"content-type": "application/json"}))
    arguments = examples(tool) | ({"user_role_id": "1"} if tool.effect == "write" else {})
    async with opened(network) as engine:
        seen = await look(engine.reads(tool, sandbox()), tool, arguments)
    assert all(request.method == "GET" for request in network.requests)
    assert seen.complete
    return "\n".join(line.text for line in lines(seen, tool))


@pytest.mark.parametrize("tool", CHANGES, ids=lambda tool: tool.name)
async def test_harm_is_made_visible(tool: Tool) -> None:
    for text in (" ".join(CONTROLS[:10]), " ".join(CONTROLS[10:]), " ".join(MARKUP)):
        inside = {"object": text, **dict.fromkeys(NAMES, text)}
        answer = {
            "object": tool.returns.objects[0],
            "id": text,
            **dict.fromkeys(NAMES, text),
            "results": [inside | {"id": text}],
        }
        told = await looked(tool, answer)
        assert forbidden_in_output(told.encode("utf-8", "surrogatepass")) == []


@pytest.mark.parametrize("tool", CHANGES, ids=lambda tool: tool.name)
async def test_odd_shapes_stand_in_nobodys_way(tool: Tool) -> None:
    for first, second in itertools.product(ODD, repeat=2):
        odd = dict(zip(NAMES, itertools.cycle((first, second)), strict=False))
        swapped = dict(zip(NAMES, itertools.cycle((second, first)), strict=False))
        for members in (odd, swapped):
            await looked(tool, {"object": tool.returns.objects[0], "id": "x", **members})
