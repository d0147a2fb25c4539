"""The board says "All clear" only if nothing that it read contradicts it: announced items, moves between lists, the log."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from registry.oncall.evidence import code_of
from tests.oncall.watch import Watch, incident, scripted

LATER = "2025-12-01T02:20:00Z"


@pytest.mark.parametrize(("total", "came"), [(3, 0), (75, 50)])
async def test_fewer_items_than_the_service_announced(total: int, came: int) -> None:
    many = [incident(f"I{number}") for number in range(came)]

    def listed(request: httpx.Request) -> httpx.Response:
        ours = request.url.params["statuses[]"] == "triggered" and request.url.params["until"] > LATER
        items = many if ours else []
        return httpx.Response(200, json={"incidents": items, "more": False, "total": total if ours else 0})

    async with scripted(incidents=listed) as watch:
        made = await watch.refreshed()
        assert len(made.rows) == came
        assert "All clear" not in watch.verdict()
        assert f"triggered: {total} announced, {came} came" in watch.verdict() or came
        assert exit_code_of(watch) != 0


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("acknowledged", "triggered", "triggered"),
        ("triggered", "triggered", "acknowledged"),
        ("triggered", "acknowledged", "acknowledged"),
    ],
)
async def test_an_incident_that_moves_between_the_lists_meanwhile(first: str, second: str, third: str) -> None:
    """Its status when the triggered, the acknowledged and again the triggered incidents are listed."""
    asked = 0

    def listed(request: httpx.Request) -> list[dict[str, Any]]:
        nonlocal asked
        if request.url.params["until"] < LATER:
            return []
        asked += 1
        return [incident("A", status=(first, second, third)[min(asked, 3) - 1])]

    async with scripted(incidents=listed, A={"incident": incident("A", status=third)}) as watch:
        assert [row.incident.id for row in (await watch.refreshed()).rows] == ["A"]
        assert "All clear" not in watch.verdict()


async def test_of_an_incident_in_both_lists_the_newer_reading_counts() -> None:
    def listed(request: httpx.Request) -> httpx.Response:
        items = [incident("A", status=request.url.params["statuses[]"])] if request.url.params["until"] > LATER else []
        return httpx.Response(200, json={"incidents": items, "more": False})

    async with scripted(incidents=listed) as watch:
        (row,) = (await watch.refreshed()).rows
        assert row.incident.status == "triggered"


@pytest.mark.parametrize("kind", ["unacknowledge_log_entry", "escalate_log_entry", "acknowledge_log_entry"])
async def test_a_sign_of_life_of_an_incident_that_no_list_has(kind: str) -> None:
    entry = {"id": "L1", "type": kind, "created_at": LATER, "incident": {"id": "A", "type": "incident_reference"}}
    async with scripted(log_entries=[entry], A={"incident": incident("A")}) as watch:
        assert [row.incident.id for row in (await watch.refreshed()).rows] == ["A"]
    async with scripted(log_entries=[entry], A=500) as watch:
        await watch.refreshed()
        assert "All clear" not in watch.verdict()
        assert exit_code_of(watch) != 0


def exit_code_of(watch: Watch) -> int:
    return code_of(watch.board(), watch.refresher.interval)
