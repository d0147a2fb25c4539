"""Every tool that lists, on the sandbox: its pages forwards and backwards, and the fetch of all of it."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Hashable, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from starlette.applications import Starlette

from registry.accounts.connection import sandbox
from registry.calling.result import Result, listing_in
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.engine import Engine
from registry.results.column import CellReader
from registry.results.columns import columns_in
from registry.results.declared import lists_of
from registry.results.list_fetch import can_fetch_all
from registry.results.names import Names
from registry.results.spool import Spool
from registry.sandbox.server import application
from tests.opened import opened
from tests.sampled import first_of_each
from tests.test_every_tool import reading

TOOLS = load().tools
LISTS = [tool for tool in TOOLS.values() if can_fetch_all(tool)]
SANDBOX = sandbox()
NOW = int(time.time())


@pytest.fixture(scope="module")
def still() -> Starlette:
    """A sandbox whose clock stands still, for tests that only read: writing its world takes longer than reading most lists."""
    return application(now=NOW)


@pytest.fixture(scope="module")
def rough() -> Starlette:
    """The same with the rough world."""
    return application(now=NOW, rough=True)


@pytest.fixture
async def reader(still: Starlette, tmp_path: Path) -> AsyncIterator[Engine]:
    async with opened(folder=tmp_path, sandbox=lambda: still) as one:
        yield one


def arguments(tool: Tool) -> dict[str, Any]:
    return reading(tool, NOW)


def paging_of(tool: Tool) -> Hashable:
    """What lists differ in: the service, what is told to it about the page, how large that is, whether it is one object's."""
    limit = tool.with_role("limit")
    roles = frozenset(one.role for one in tool.parameters)
    return tool.toolkit, roles, limit.maximum if limit else None, any(one.required for one in tool.parameters)


def in_pages_of(tool: Tool, size: int) -> Tool:
    """A tool whose largest page has that size."""
    bounded = [replace(one, maximum=size) if one.role == "limit" else one for one in tool.parameters]
    return replace(tool, parameters=tuple(bounded))


def items(result: Result) -> list[bytes]:
    assert result.ok, (result.tool, result.failure)
    listing = listing_in(result.body, result.items_at)
    assert listing is not None
    return list(listing.items)


async def walk(engine: Engine, tool: Tool, raw: Mapping[str, Any], size: int, most: int) -> tuple[list[Result], Result]:
    """The pages of a list one after the other, up to so many, each by the arguments that the one before gives; and the last."""
    limit = tool.with_role("limit")
    raw = {**raw, **({limit.name: size} if limit else {})}
    pages = [await engine.run(tool, raw, SANDBOX)]
    while (page := pages[-1].page) is not None and page.next is not None and len(pages) < most:
        raw = {**raw, **page.next}
        pages.append(await engine.run(tool, raw, SANDBOX))
    return pages, pages[-1]


@pytest.mark.parametrize("tool", first_of_each(LISTS, paging_of), ids=lambda tool: tool.name)
async def test_forwards_and_back_and_all_at_once(reader: Engine, tool: Tool, tmp_path: Path) -> None:
    raw = arguments(tool)
    pages, last = await walk(reader, tool, raw, 2, 12)
    texts = [items(page) for page in pages]
    assert sum(map(len, texts)), "an empty list proves nothing"
    back, here = [texts[-1]], dict(raw)
    limit = tool.with_role("limit")
    if limit is not None:
        here |= {limit.name: 2}
    while last.page is not None and last.page.previous is not None:
        here = {**here, **last.page.previous}
        last = await reader.run(tool, here, SANDBOX)
        back.append(items(last))
    if tool.with_role("cursor_before") or tool.with_role("offset"):
        assert back[::-1] == texts

    # The same in pages of another size, to its end.
    whole, _ = await walk(reader, tool, raw, 7, 10_000)
    expected = [item for page in whole for item in items(page)]
    for one in (tool, in_pages_of(tool, 2)) if len(expected) < 100 else (tool,):
        with Spool(tmp_path) as spool:
            gathered = await reader.fetch_all(one, raw, SANDBOX, spool).run()
            assert gathered.complete, gathered.words
            assert list(spool) == expected


UNREADABLE = re.compile(r"\d+ propert|\b1[789]\d{8}\b")
NAMED = {"customer", "user", "service", "team", "schedule", "escalation_policy"}


@pytest.mark.parametrize("world", ["still", "rough"])
async def test_every_list_has_columns_that_people_can_read(world: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """No cell is an epoch, the id of an object whose name is in the same list, or a number of properties."""
    wrong = []
    async with opened(folder=tmp_path, sandbox=lambda: request.getfixturevalue(world)) as engine:
        for tool in (one for one in TOOLS.values() if one.effect == "read" and one.returns.kind in ("list", "search_result")):
            listed = lists_of(tool.toolkit).listed(tool.returns.objects)
            if not listed.columns:
                wrong.append(f"{tool.name} declares no columns")
            result = await engine.run(tool, arguments(tool), SANDBOX)
            listing = listing_in(result.body, result.items_at) if result.ok else None
            texts = list(listing.items) if listing is not None else []
            columns = columns_in(texts, listed.columns).first if texts else ()
            names = Names()
            names.learn(texts)
            for item in texts:
                for column, one in zip(columns, CellReader(columns).cells(item), strict=True):
                    named = not column.shows and column.path[-1] != "id" and names.of(one.text)
                    if not column.called or UNREADABLE.search(one.text) or (column.heading in NAMED and named):
                        wrong.append(f"{tool.name} {column.heading}: {one.text}")
    assert wrong == []
