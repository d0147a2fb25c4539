"""Fetching whole lists from services that are scripted: how it ends, what is kept on disk, and how it goes on."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.calling.arguments import ArgumentError
from registry.results.list_fetch import ListFetch
from registry.results.spool import Spool
from tests.calling.network import LIVE, TOOLS, Answer, ScriptedNetwork
from tests.cases import cases_beside
from tests.hostile import CONTROLS
from tests.opened import opened
from tests.terminal import ROOT

CASES = cases_beside(__file__)

CARDS, USERS, SEARCH, CRM = "GetPaymentsWebhookEndpoints", "ListUsers", "SearchPaymentsCustomers", "FetchCrmUsersList"
LIMIT = next(one.name for one in TOOLS[CARDS].parameters if one.role == "limit")


class Service:
    """A payments list by cursors: what is on it, and what was asked. `meddle` may change it before a response."""

    def __init__(self, *ids: str) -> None:
        self.ids = list(ids)
        self.asked: list[dict[str, str]] = []
        self.meddle: Callable[[int], Answer | None] = lambda number: None

    def __call__(self, request: httpx.Request) -> Answer:
        asked = dict(request.url.params)
        self.asked.append(asked)
        if (response := self.meddle(len(self.asked))) is not None:
            return response
        after, size = asked.get("starting_after"), int(asked["limit"])
        if after is not None and after not in self.ids:
            error = {"type": "invalid_request_error", "param": "starting_after", "message": f"No such thing: '{after}'"}
            return httpx.Response(400, json={"error": error})
        start = self.ids.index(after) + 1 if after else 0
        items = [{"id": one} for one in self.ids[start : start + size]]
        return httpx.Response(200, json={"object": "list", "data": items, "has_more": start + size < len(self.ids)})


@asynccontextmanager
async def fetching(name: str, handler: Any, tmp_path: Path, **options: Any) -> AsyncIterator[ListFetch]:
    network = ScriptedNetwork(handler)
    connection = next(one for one in LIVE.values() if one.name != "sandbox" and TOOLS[name].toolkit in one.endpoints)
    raw = options.pop("raw", {})
    async with opened(network, folder=tmp_path, clock=options.pop("clock", time.time)) as engine:
        with Spool(tmp_path) as spool:
            yield engine.fetch_all(TOOLS[name], raw, connection, spool, **options)


def names(count: int, first: int = 0) -> list[str]:
    return [f"we_{number}" for number in range(first, first + count)]


def ids(gathering: ListFetch) -> list[str]:
    return [json.loads(item)["id"] for item in gathering.items]


async def test_all_of_it_in_the_largest_pages(tmp_path: Path) -> None:
    service = Service(*names(1_234))
    async with fetching(CARDS, service, tmp_path, raw={LIMIT: "5"}) as one:
        done = await one.run()
        assert ids(one) == service.ids
        assert (done.complete, done.resume, done.pages, done.requests, done.words) == (True, None, 13, 13, "all 1,234")
        assert {asked["limit"] for asked in service.asked} == {"100"}
        assert (await one.run()).requests == 13, "there is nothing left to ask for"


@pytest.mark.parametrize(("most", "pages"), [(500, 5), (250, 3), (1, 1)])
async def test_a_cap_is_kept_to_the_item_and_told(tmp_path: Path, most: int, pages: int) -> None:
    service = Service(*names(700))
    async with fetching(CARDS, service, tmp_path, most=most) as one:
        done = await one.run()
        assert (done.count, done.pages, done.capped, done.complete) == (most, pages, True, False)
        assert done.words == f"first {most} (more available)"
        one.most = None
        done = await one.run()
        assert (ids(one), done.words) == (service.ids, "all 700")


async def test_a_broken_network_keeps_what_came_and_it_goes_on(tmp_path: Path) -> None:
    service = Service(*names(450))
    service.meddle = lambda number: httpx.ReadError("reset by peer") if 3 <= number <= 6 else None
    async with fetching(CARDS, service, tmp_path) as one:
        done = await one.run()
        assert done.failure is not None
        assert (done.failure.kind, done.count, done.requests) == ("connection", 200, 6)
        assert "we_199" in (done.resume or {}).values()
        assert done.words == ("first 200 (more available): no response. api.stripe.com closed the connection: reset by peer")
        done = await one.run()
        assert (ids(one), done.words, done.failure) == (service.ids, "all 450", None)


async def test_too_many_requests_are_waited_out_and_told(tmp_path: Path) -> None:
    service = Service(*names(250))
    service.meddle = lambda number: httpx.Response(429, headers={"retry-after": "7"}, json={}) if number == 2 else None
    waits: list[float | None] = []
    async with fetching(CARDS, service, tmp_path, observer=lambda one: waits.append(one.waiting)) as one:
        done = await one.run()
        assert (done.words, done.requests, one.waiting) == ("all 250", 4, None)
        assert waits == [None, 7.0, None, None, None]


async def test_going_back_cannot_be_fetched_to_its_end(tmp_path: Path) -> None:
    before = TOOLS[CARDS].with_role("cursor_before")
    assert before is not None
    with pytest.raises(ArgumentError, match="cannot be used when fetching all pages"):
        async with fetching(CARDS, Service(), tmp_path, raw={before.name: "we_1"}):
            pass


@pytest.mark.parametrize(("pages", "cause"), CASES["circles"])
async def test_a_service_that_turns_in_circles_comes_to_an_end(tmp_path: Path, pages: Any, cause: str) -> None:
    responses = [
        httpx.Response(200, json={"data": [{"id": one} if one else {} for one in some], "has_more": more})
        for some, more in pages
    ]
    rest = iter([*responses, *responses * 50])
    async with fetching(CARDS, lambda request: next(rest), tmp_path) as one:
        done = await one.run()
        assert done.failure is not None
        assert done.failure.title == "Fetch stopped: no progress"
        assert any(words in done.failure.cause for words in cause.split("|"))
        kept = [*done.items]
        assert len(kept) == len({*kept})
        assert not done.complete


def users(request: httpx.Request, all_of_them: list[str]) -> httpx.Response:
    offset, limit = int(request.url.params.get("offset", "0")), int(request.url.params["limit"])
    page = [{"id": one} for one in all_of_them[offset : offset + limit]]
    response = {"users": page, "offset": offset, "limit": limit, "more": offset + limit < len(all_of_them)}
    return httpx.Response(200, json={**response, "total": len(all_of_them)})


async def test_offsets_that_move_bring_nothing_twice(tmp_path: Path) -> None:
    there, asked = names(120), list[int]()

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(int(request.url.params.get("offset", "0")))
        if len(asked) == 2:
            there[:0] = ["we_x", "we_y"]
        return users(request, there)

    async with fetching(USERS, handler, tmp_path) as one:
        done = await one.run()
        assert (ids(one), asked) == (names(120), [0, 50, 100])
        assert done.words == "all 120; 2 duplicates removed"
        assert done.total == 122


async def test_offsets_reach_as_far_as_the_service_lists(tmp_path: Path) -> None:
    there = names(10_020)
    async with fetching(USERS, lambda request: users(request, there), tmp_path, raw={"offset": "9930"}) as one:
        done = await one.run()
        assert ids(one) == there[9_930:10_000]
        assert done.failure is not None
        assert done.words == (
            "first 70 (more available): list too long to fetch completely. The service returns at most the first 10,000 items."
        )


class Log:
    """Entries, newest first, a second apart but for some at once, up to 10,000 of them per window. It notes the windows."""

    def __init__(self, count: int, *, by_day: bool = False) -> None:
        self.times = [datetime(2026, 11, 20, tzinfo=UTC) - timedelta(seconds=place // 3 * 2) for place in range(count)]
        self.windows: list[str | None] = []
        self._by_day = by_day

    def __call__(self, request: httpx.Request) -> httpx.Response:
        asked = dict(request.url.params)
        start, size = int(asked.get("offset", 0)), int(asked["limit"])
        if start + size > 10_000:
            return httpx.Response(400, json={"error": {"message": "Arguments Caused Error", "code": 2002}})
        if asked.get("until") not in self.windows:
            self.windows.append(asked.get("until"))
        until = datetime.fromisoformat(asked.get("until", "2026-11-21T00:00:00Z"))
        until = until.replace(hour=0, minute=0, second=0) if self._by_day else until
        kept = [place for place, at in enumerate(self.times) if at < until]
        page = [{"id": f"R{place}", "created_at": f"{self.times[place]:%Y-%m-%dT%H:%M:%SZ}"} for place in kept[start:][:size]]
        more = start + size < len(kept)
        return httpx.Response(200, json={"log_entries": page, "offset": start, "limit": size, "more": more, "total": None})


async def test_s7_what_is_deeper_than_offsets_reach_is_read_in_a_window_that_ends_at_the_last_item(tmp_path: Path) -> None:
    service = Log(21_000)
    async with fetching("ListLogEntries", service, tmp_path) as one:
        done = await one.run()
        assert (done.words, done.complete, ids(one)) == ("all 21,000", True, [f"R{place}" for place in range(21_000)])
        assert service.windows == [None, "2026-11-19T22:08:55Z", "2026-11-19T20:17:49Z"]
    async with fetching("ListLogEntries", Log(21_000), tmp_path, most=10_200) as one:
        assert (await one.run()).resume == {"until": "2026-11-19T22:08:55Z", "offset": 201}, "it goes on from here"


@pytest.mark.parametrize(
    ("name", "service", "words"),
    [
        ("ListLogEntries", Log(21_000, by_day=True), "did not return the last item again"),
        ("ListIncidents", Log(21_000), "at most the first 10,000 items"),
    ],
    ids=["a service that takes days", "a month that the service chose"],
)
async def test_s7_a_window_that_may_leave_something_out_ends_the_fetch(
    tmp_path: Path, name: str, service: Log, words: str
) -> None:
    def incidents(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={("incidents" if key == "log_entries" else key): value for key, value in came(request)})

    def came(request: httpx.Request) -> Any:
        return service(request).json().items()

    async with fetching(name, incidents if name == "ListIncidents" else service, tmp_path) as one:
        done = await one.run()
        assert (done.complete, words in done.words, len(ids(one))) == (False, True, 10_000), done.words


async def test_a_one_way_cursor_and_a_search(tmp_path: Path) -> None:
    def crm(request: httpx.Request) -> httpx.Response:
        start = int(request.url.params.get("after", "0"))
        page: dict[str, Any] = {"results": [{"id": str(start + place)} for place in range(100)]}
        return httpx.Response(200, json=page | ({"paging": {"next": {"after": str(start + 100)}}} if start < 300 else {}))

    async with fetching(CRM, crm, tmp_path) as one:
        assert (await one.run()).words == "all 400"

    def search(request: httpx.Request) -> httpx.Response:
        start = int(request.url.params.get("page", "0"))
        page = {"data": [{"id": f"c{start + place}"} for place in range(100)], "total_count": 300, "has_more": start < 200}
        return httpx.Response(200, json=page | {"next_page": str(start + 100) if start < 200 else None})

    query = TOOLS[SEARCH].with_role("query")
    assert query is not None
    async with fetching(SEARCH, search, tmp_path, raw={query.name: "created>0"}) as one:
        done = await one.run()
        assert (done.words, done.total) == ("all 300", 300)


class SlowDisk(Spool):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.writing, self.go_on = threading.Event(), threading.Event()

    def append(self, items: Any) -> None:
        self.writing.set()
        assert self.go_on.wait(20)
        super().append(items)


async def test_a_page_that_is_being_written_is_kept_when_it_is_cancelled(tmp_path: Path) -> None:
    service = Service(*(name + "x" * 6_000 for name in names(150)))
    network = ScriptedNetwork(service)
    engine = opened(network, folder=tmp_path)
    with SlowDisk(tmp_path) as spool:
        one = engine.fetch_all(TOOLS[CARDS], {}, LIVE["payments"], spool)
        task = asyncio.create_task(one.run())
        await asyncio.to_thread(spool.writing.wait, 20)
        task.cancel()
        asyncio.get_running_loop().call_soon(spool.go_on.set)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (one.count, one.pages) == (100, 1)
        assert (await one.run()).words == "all 150"
        assert ids(one) == service.ids
    await engine.aclose()


class FullDisk(Spool):
    full = True

    def append(self, items: Any) -> None:
        if self.full and len(self) >= 200:
            raise OSError(28, "No space left on device")
        super().append(items)


@pytest.mark.parametrize("padding", [0, 3_000])
async def test_a_full_disk_ends_it_and_room_lets_it_go_on(tmp_path: Path, padding: int) -> None:
    service = Service(*(name + "x" * padding for name in names(450)))
    network = ScriptedNetwork(service)
    engine = opened(network, folder=tmp_path)
    with FullDisk(tmp_path) as spool:
        one = engine.fetch_all(TOOLS[CARDS], {}, LIVE["payments"], spool)
        done = await one.run()
        assert done.words == "first 200 (more available): disk full. No space left on device."
        spool.full = False
        assert (await one.run()).words == "all 450"
        assert ids(one) == service.ids
    await engine.aclose()


async def test_every_page_is_one_of_the_same_hours(tmp_path: Path) -> None:
    """The clock goes on between two pages; what was meant by `-24h` at the start does not."""
    asked: list[str] = []
    moment = [1_795_278_147.0]

    def service(request: httpx.Request) -> Answer:
        asked.append(request.url.params["since"])
        moment[0] += 60
        offset = int(request.url.params.get("offset", 0))
        page = {"incidents": [{"id": f"P{offset}"}], "offset": offset, "limit": 1, "more": offset < 2}
        return httpx.Response(200, json=page)

    async with fetching("ListIncidents", service, tmp_path, raw={"since": "-24h"}, clock=lambda: moment[0]) as gathering:
        assert (await gathering.run()).complete
    assert asked == ["2026-11-20T16:22:27Z"] * 3


ITEMS = [b'{"id": 1.10}', b"1e400", b'"\xff"', b'{"a":1,"a":2}', b"[\n]", *(json.dumps(text).encode() for text in CONTROLS)]


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    with Spool(tmp_path) as one:
        yield one


def test_it_is_a_sequence_of_what_was_appended(spool: Spool) -> None:
    assert (len(spool), list(spool), spool[:]) == (0, [], [])
    spool.append(ITEMS[:2])
    spool.append([])
    spool.append(ITEMS[2:])
    assert (len(spool), list(spool), spool[:]) == (len(ITEMS), ITEMS, ITEMS)
    for part in (slice(1, 4), slice(-2, None), slice(None, None, -1), slice(5, 2), slice(0, 99, 3)):
        assert spool[part] == ITEMS[part]
    assert [spool[0], spool[-1], spool[3]] == [ITEMS[0], ITEMS[-1], ITEMS[3]]
    with pytest.raises(IndexError):
        spool[len(ITEMS)]


def test_windows_are_lists_within_their_bounds(spool: Spool) -> None:
    assert spool.window(0, 10, 10) == b"[]"
    spool.append([b"%d" % number for number in range(100)])
    assert json.loads(spool.window(0, 3, 1_000)) == [0, 1, 2]
    assert json.loads(spool.window(98, 50, 1_000)) == [98, 99]
    assert json.loads(spool.window(20, 50, 30)) == list(range(20, 30)), "ten items of two digits, and what stands between"
    assert json.loads(spool.window(20, 50, 0)) == [20], "at least one item, however large"
    assert spool.window(100, 5, 5) == b"[]"
    places, start = [], 0
    while start < len(spool):
        places.append(start)
        start = spool.reach(start, 7, 12)
    assert start == 100
    assert len(places) > 14


def test_nobody_else_can_open_it_and_nothing_stays_behind(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    script = (
        "import os, pathlib, sys; from registry.results.spool import Spool\n"
        f"spool = Spool(pathlib.Path({str(folder)!r})); spool.append([b'1'])\n"
        "assert os.listdir(sys.argv[1]) == [], os.listdir(sys.argv[1])\n"
        "os.abort()"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(folder)], cwd=ROOT, stderr=subprocess.PIPE, check=False)
    assert (ended.returncode, list(folder.iterdir())) == (-6, []), ended.stderr
    assert folder.stat().st_mode & 0o077 == 0
    with Spool(folder) as spool:
        assert os.fstat(spool._file.fileno()).st_mode & 0o077 == 0
