"""The next page is asked for while the one before is taken in: in order, one at a time, and never beyond what was wanted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.accounts.connection import connections
from registry.results.fetch_all.spool import Spool
from tests.calling.network import LIVE, TOOLS, Answer, ScriptedNetwork
from tests.opened import opened
from tests.results.fetch_all.test_list_fetch import CARDS, Service, fetching, ids, names


class NotedSpool(Spool):
    """Tells when items are put down."""

    def __init__(self, folder: Path, told: list[str]) -> None:
        super().__init__(folder)
        self._told = told

    def append(self, items: Sequence[bytes]) -> None:
        super().append(items)
        self._told.append(f"took {json.loads(items[0])['id']}")


@pytest.mark.parametrize("padding", [0, 3_000])
async def test_the_next_page_is_on_its_way_while_one_is_taken(tmp_path: Path, padding: int) -> None:
    told: list[str] = []
    service = Service(*(name + "x" * padding for name in names(350)))
    under_way = 0

    async def handler(request: httpx.Request) -> Answer:
        nonlocal under_way
        under_way += 1
        assert under_way == 1, "one request at a time"
        told.append(f"asked behind {request.url.params.get('starting_after', 'nothing')}")
        response = service(request)
        for _ in range(20):
            await asyncio.sleep(0)
        under_way -= 1
        return response

    engine = opened(ScriptedNetwork(handler), folder=tmp_path)
    with NotedSpool(tmp_path, told) as spool:
        done = await engine.fetch_all(TOOLS[CARDS], {}, LIVE["payments"], spool).run()
        assert (done.words, done.requests) == ("all 350", 4)
    await engine.aclose()
    assert [one.replace("x", "") for one in told] == [
        "asked behind nothing",
        "asked behind we_99",
        "took we_0",
        "asked behind we_199",
        "took we_100",
        "asked behind we_299",
        "took we_200",
        "took we_300",
    ]


async def test_who_takes_the_pages_one_by_one_asks_for_one_at_a_time(tmp_path: Path) -> None:
    service = Service(*names(350))
    async with fetching(CARDS, service, tmp_path) as one:
        assert await one.read_page()
        assert (len(service.asked), one.so_far.count) == (1, 100)


@pytest.mark.parametrize(("most", "asked"), [(100, 1), (150, 2), (200, 2), (201, 3)])
async def test_nothing_is_asked_for_beyond_the_cap(tmp_path: Path, most: int, asked: int) -> None:
    service = Service(*names(700))
    async with fetching(CARDS, service, tmp_path, most=most) as one:
        assert (await one.run()).requests == asked
        assert len(service.asked) == asked
        assert sum(int(one["limit"]) for one in service.asked) == most


async def test_a_page_that_was_asked_for_in_vain_is_given_up_and_counted(tmp_path: Path) -> None:
    held = asyncio.Event()

    async def handler(request: httpx.Request) -> Answer:
        if "starting_after" in request.url.params:
            held.set()
            await asyncio.Event().wait()
        return httpx.Response(200, json={"data": [{"id": "a"}, {"id": "a"}], "has_more": True})

    class Full(Spool):
        def append(self, items: Sequence[bytes]) -> None:
            raise OSError(28, "No space left on device")

    engine = opened(ScriptedNetwork(handler), folder=tmp_path)
    with Full(tmp_path) as spool:
        done = await asyncio.wait_for(engine.fetch_all(TOOLS[CARDS], {}, LIVE["payments"], spool).run(), 20)
    await engine.aclose()
    assert held.is_set()
    assert (done.words, done.requests) == ("no items received: disk full. No space left on device.", 2)
    assert [trace.fault for trace in engine.traces.newest_first()] == ["Cancelled.", ""]


async def test_a_place_that_is_masked_is_not_asked_for_before_it_is(tmp_path: Path) -> None:
    """It would stand in the history as an argument."""
    secret = "sk_live_MARKED0123456789"
    asked: list[str | None] = []

    def handler(request: httpx.Request) -> Answer:
        asked.append(request.url.params.get("starting_after"))
        return httpx.Response(200, json={"data": [{"id": secret if len(asked) == 1 else "b"}], "has_more": len(asked) == 1})

    engine = opened(ScriptedNetwork(handler), folder=tmp_path)
    with Spool(tmp_path) as spool:
        there = connections({"PAYMENTS_API_KEY": secret})["payments"]
        done = await engine.fetch_all(TOOLS[CARDS], {}, there, spool).run()
        assert (done.words, done.requests) == ("all 2", 2)
    await engine.aclose()
    assert asked == [None, "••••••••"]


async def test_a_page_with_something_to_mask_is_kept_masked(tmp_path: Path) -> None:
    secret = "sk_live_MARKED0123456789"

    def handler(request: httpx.Request) -> Answer:
        first = "starting_after" not in request.url.params
        return httpx.Response(200, json={"data": [{"told": secret, "id": "a" if first else "b"}], "has_more": first})

    engine = opened(ScriptedNetwork(handler), folder=tmp_path)
    with Spool(tmp_path) as spool:
        there = connections({"PAYMENTS_API_KEY": secret})["payments"]
        done = await engine.fetch_all(TOOLS[CARDS], {}, there, spool).run()
        assert (done.words, done.requests) == ("all 2", 2)
        assert [json.loads(item) for item in spool] == [{"told": "••••••••", "id": one} for one in "ab"]
    await engine.aclose()


async def test_cancelling_between_the_pages_keeps_the_one_that_came(tmp_path: Path) -> None:
    service = Service(*names(350))
    asked = asyncio.Event()

    async def handler(request: httpx.Request) -> Answer:
        if "starting_after" in request.url.params and not asked.is_set():
            asked.set()
            await asyncio.Event().wait()
        return service(request)

    async with fetching(CARDS, handler, tmp_path) as one:
        running = asyncio.create_task(one.run())
        await asked.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert (one.so_far.count, one.so_far.requests, one.so_far.words) == (100, 2, "first 100 (more available): stopped")
        assert not [task for task in asyncio.all_tasks() if "read" in repr(task.get_coro())]
        assert (await one.run()).words == "all 350"
        assert ids(one) == service.ids


async def test_how_the_next_page_gets_on_is_told_when_it_is_its_turn(tmp_path: Path) -> None:
    """A wait of the page behind is none of the page that is being taken."""
    service = Service(*names(150))
    service.meddle = lambda number: httpx.Response(429, headers={"retry-after": "7"}, json={}) if number == 2 else None
    told: list[tuple[int, Any]] = []
    async with fetching(CARDS, service, tmp_path, observer=lambda one: told.append((one.so_far.count, one.waiting))) as one:
        await one.run()
    assert told == [(100, None), (100, 7.0), (100, None), (150, None)]
