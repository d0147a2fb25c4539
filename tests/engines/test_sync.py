"""Keeping a target up to date: each row exactly once, whatever ends a run and wherever, and what the next run asks for."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from registry.engines.problems import NotStored
from registry.engines.tables import PostgresSink
from tests.engines.syncing import CURSORS, OFFSETS, CursorService, Deaths, Killed, names, sync
from tests.engines.targets import PartsTarget, Row, Target
from tests.sampled import chosen


def once(target: Target, service: CursorService, version: int | None = None) -> None:
    """Every object of the service is one row, exactly as it is there."""
    rows = target.rows()
    assert Counter(row["_key"] for row in rows) == Counter(service.ids)
    assert sum(row["amount"] for row in rows) == sum(service.item(one)["amount"] for one in service.ids)
    assert {row["version"] for row in rows} == {version if version is not None else service.value}


def keys(target: Target) -> list[str]:
    try:
        return [row["_key"] for row in target.rows()]
    except Exception:  # the table, or the first part, is not there yet
        return []


async def test_a_list_twice(target: Target) -> None:
    service, words = CursorService(*names(45)), list[str]()
    first = await sync(target, service, report=words.append)
    once(target, service)
    service.ids[:0], service.value = names(5, 45), 2
    service.ids.remove("we_44")
    second = await sync(target, service, report=words.append)
    service.ids = [*service.ids, *([] if second.updated == 0 else ["we_44"])]
    assert Counter(keys(target)) == Counter(service.ids), "what is gone stays in a table"
    assert [row["version"] for row in target.rows() if row["_key"] != "we_44"] == [2] * 49
    assert words == ["reading the whole list", f"reading the whole list again: {CURSORS} cannot be asked for what is new"]
    assert (first.items, first.inserted, first.outcome, second.items) == (45, 45, "complete", 49)


@pytest.mark.parametrize(("count", "after"), chosen([(25, True), (65, True), (65, False)], lambda one: one[0] == 25))
@pytest.mark.parametrize("kind", ["duckdb", "folder", pytest.param("postgres", marks=pytest.mark.long)])
async def test_killed_at_every_step(new: Any, kind: str, count: int, after: bool) -> None:
    """The n-th attempt dies at its n-th step; the list grows meanwhile. The first that lives completes the list."""
    target = new(kind)
    service = CursorService(*names(count))
    for version in (1, 2):
        service.value = version
        deaths = 0
        while True:
            death = Deaths(deaths + 1, after=after)
            try:
                result = await sync(target, service, prepare=death.lurk)
                break
            except Killed:
                deaths += 1
            found = Counter(keys(target))
            assert version == 2 or not found or max(found.values()) == 1
            assert deaths < 300, "it never gets on"
        assert result.outcome == "complete"
        assert deaths > 5
        once(target, service, version)
        service.ids[:0] = names(3, len(service.ids))


async def test_a_failure_on_the_way_keeps_what_came_and_goes_on(local_target: Target) -> None:
    service = CursorService(*names(65))
    service.breaks_after = "we_29"
    failed = await sync(local_target, service)
    assert failed.failure is not None
    assert (failed.outcome[:6], failed.items, len(local_target.rows())) == ("failed", 30, 30)
    assert failed.outcome.startswith("failed: No response. ")
    service.breaks_after, words = "", list[str]()
    result = await sync(local_target, service, report=words.append)
    assert words == ["continuing after 30 items of an unfinished run"]
    assert (result.kind, result.items) == ("continued", 35)
    once(local_target, service)


async def test_a_place_that_is_gone_is_told_and_read_anew(local_target: Target) -> None:
    service = CursorService(*names(65))
    service.breaks_after = "we_29"
    await sync(local_target, service)
    service.ids, service.breaks_after, words = names(65, 100), "", list[str]()
    result = await sync(local_target, service, report=words.append)
    assert words[-1] == "the service no longer knows where the last run ended; reading the whole list"
    assert result.outcome == "complete"
    assert set(service.ids) <= set(keys(local_target))
    assert max(Counter(keys(local_target)).values()) == 1


async def test_cancelled_keeps_every_page_that_came(local_target: Target) -> None:
    service, reached = CursorService(*names(65)), asyncio.Event()

    async def waiting(request: httpx.Request) -> Any:
        if request.url.params.get("starting_after") == "we_29":
            reached.set()
            await asyncio.Event().wait()
        return service(request)

    going = asyncio.create_task(sync(local_target, waiting, pages=100))
    await reached.wait()
    going.cancel()
    with pytest.raises(asyncio.CancelledError):
        await going
    assert len(local_target.rows()) == 30
    await sync(local_target, service)
    once(local_target, service)


START = datetime(2026, 3, 1, tzinfo=UTC)


class OffsetService:
    """A list by offsets that can be asked what was created since a moment; the newest first."""

    def __init__(self, count: int) -> None:
        self.items: list[Row] = []
        self.asked: list[dict[str, str]] = []
        self.grow(count)

    def grow(self, count: int) -> None:
        for number in range(len(self.items), len(self.items) + count):
            at = START + timedelta(minutes=number)
            self.items.insert(0, {"id": f"P{number}", "created_at": at.isoformat().replace("+00:00", "Z"), "number": number})

    def __call__(self, request: httpx.Request) -> httpx.Response:
        asked = dict(request.url.params)
        self.asked.append(asked)
        since = datetime.fromisoformat(asked.get("since", "2000-01-01T00:00:00Z"))
        there = [one for one in self.items if datetime.fromisoformat(one["created_at"]) >= since]
        offset, size = int(asked.get("offset", 0)), 10
        page = there[offset : offset + size]
        response = {"incidents": page, "offset": offset, "limit": size, "more": offset + size < len(there)}
        return httpx.Response(200, json=response)


async def test_what_is_new_is_asked_for(target: Target) -> None:
    service, words = OffsetService(25), list[str]()
    await sync(target, service, OFFSETS, report=words.append)
    service.grow(17)
    service.asked.clear()
    result = await sync(target, service, OFFSETS, report=words.append)
    assert {asked["since"] for asked in service.asked} == {"2026-03-01T00:19:00Z"}, "five minutes before the newest"
    assert words[1] == "reading what was created since 2026-03-01 00:19:00 UTC"
    assert (result.kind, result.items, result.inserted) == ("new", 23, 17)
    assert Counter(keys(target)) == Counter(one["id"] for one in service.items)
    await sync(target, service, OFFSETS, full=True, report=words.append)
    assert words[2] == "reading the whole list, as asked"
    assert Counter(keys(target)) == Counter(one["id"] for one in service.items)


async def test_another_call_is_refused_and_so_is_a_target_of_somebody_else(local_target: Target) -> None:
    await sync(local_target, OffsetService(5), OFFSETS)
    with pytest.raises(NotStored, match="synced from another call"):
        await sync(local_target, OffsetService(5), OFFSETS, {"status": "triggered"})
    with pytest.raises(NotStored, match="synced from another call"):
        await sync(local_target, CursorService("we_1"))
    assert len(local_target.rows()) == 5


@pytest.mark.parametrize("kind", ["postgres", "folder"])
async def test_one_at_a_time(new: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgresSink, "patience", 1)
    local_target = new(kind)  # DuckDB's own lock is between processes
    service = CursorService(*names(15))
    refused: list[str] = []

    async def handler(request: httpx.Request) -> httpx.Response:
        if not refused:
            try:
                await sync(local_target, service)
                refused.append("")
            except NotStored as error:
                refused.append(str(error))
        return service(request)

    await sync(local_target, handler)
    assert "another run writes" in refused[0]
    once(local_target, service)


async def test_a_foreign_table_or_folder_is_left_alone(local_target: Target) -> None:
    if isinstance(local_target, PartsTarget):
        local_target.folder.mkdir()
        (local_target.folder / "theirs.parquet").write_bytes(b"mine")
    else:
        with local_target.connect() as connection, connection.cursor() as cursor:
            cursor.execute(f'CREATE TABLE "{local_target.table}" (id text)')
            connection.commit()
    with pytest.raises(NotStored, match="Callboard did not make"):
        await sync(local_target, CursorService("we_1"))
