"""Every tool that lists, on the sandbox: its pages forwards and backwards, and the fetch of all of it."""

import json
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Mapping
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from starlette.applications import Starlette

from registry.accounts.connection import sandbox
from registry.calling.listing import listing_in
from registry.calling.result import Result
from registry.calling.search_queries import QueryField, QueryFields, sent_query
from registry.calling.times import instant
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.engine import Engine
from registry.finding.find import Finder
from registry.finding.slots import slots_in
from registry.results.cells import Names, cell
from registry.results.columns import CellReader, Column, Value, columns_in
from registry.results.declared import lists_of
from registry.results.spool import Spool
from registry.results.table import Filter
from registry.sandbox.server import application
from registry.text.shown import moment, visible_line
from tests.opened import opened
from tests.sampled import first_of_each, further
from tests.test_every_tool import reading

TOOLS = load().tools
LISTS = [tool for tool in TOOLS.values() if tool.is_list]
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


Table = tuple[Tool, list[bytes], tuple[Column, ...]]
_TABLES: dict[str, list[Table]] = {}


async def tables(world: str, request: pytest.FixtureRequest, tmp_path: Path) -> list[Table]:
    """The first page of every list of a world, with its columns; read once for all tests."""
    if world not in _TABLES:
        _TABLES[world] = []
        async with opened(folder=tmp_path, sandbox=lambda: request.getfixturevalue(world)) as engine:
            for tool in LISTS:
                result = await engine.run(tool, arguments(tool), SANDBOX)
                listing = listing_in(result.body, result.items_at) if result.ok else None
                texts = list(listing.items) if listing is not None else []
                listed = lists_of(tool.toolkit).listed(tool.returns.objects)
                _TABLES[world].append((tool, texts, tuple(columns_in(texts, listed.columns).first) if texts else ()))
    return _TABLES[world]


@pytest.mark.parametrize("world", ["rough", *further("still")])
async def test_every_list_has_columns_that_people_can_read(world: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """No cell is an epoch, the id of an object whose name is in the same list, or a number of properties."""
    wrong = []
    for tool, texts, columns in await tables(world, request, tmp_path):
        if not lists_of(tool.toolkit).listed(tool.returns.objects).columns:
            wrong.append(f"{tool.name} declares no columns")
        names = Names()
        names.learn(texts)
        for item in texts:
            for column, one in zip(columns, CellReader(columns).cells(item), strict=True):
                named = not column.shows and column.path[-1] != "id" and names.of(one.text)
                if not column.called or UNREADABLE.search(one.text) or (column.heading in NAMED and named):
                    wrong.append(f"{tool.name} {column.heading}: {one.text}")
    assert wrong == []


def misread(column: Column, value: Value, text: str) -> str:
    """How an amount or a time that was typed as it is shown is not itself; empty if it is."""
    key, raw, currency = value
    shown = cell(*value)
    if shown.kind == "money" and raw is not None:
        found = slots_in(text, NOW).values
        sent = sent_query(f'amount:"{text}"', QueryFields({"amount": QueryField("amount")}), NOW)
        meant = (found.get("amount"), found.get("currency"), sent.text)
        return "" if meant == (raw.decode(), currency, f"amount:{raw.decode()}") else f"means {meant}"
    if shown.kind == "time" and raw is not None:
        at = moment(key, raw.decode())
        assert at is not None
        return "" if abs(instant(text, NOW, UTC).at - at) < timedelta(minutes=1) else f"is {instant(text, NOW, UTC).at}"
    if any(f"|{way}}}" in one for one in column.shows for way in ("date", "when")) and SHOWN_TIME.fullmatch(text):
        instant(text, NOW, UTC)  # raises unless it is a time
    return ""


_ENOUGH = 3
SHOWN_TIME = re.compile(r"\d{1,2} [A-Z][a-z]{2}( \d{4})?|(in )?\d+ [a-z]+( ago)?")


@pytest.mark.parametrize("world", ["rough", *further("still")])
async def test_s13_a_value_as_it_is_shown_finds_itself_when_it_is_pasted(
    world: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """In the filter, alone, in quotes and for its column; amounts and times also in the ask line, fields and queries."""
    wrong, count = [], Counter[Hashable]()
    for tool, texts, columns in await tables(world, request, tmp_path):
        reader = CellReader(columns)
        for place, item in enumerate(texts):
            for column, value in zip(columns, reader.values(item), strict=True):
                text = cell(*value).text
                if not text or cell(*value).kind == "nothing" or count[tool.name, column] == _ENOUGH:
                    continue
                count[tool.name, column] += 1
                quoted = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
                for line in (text, quoted, f"{column.title.replace(' ', '_')}={quoted}"):
                    if 0 not in Filter(line, columns, columns, NOW).matching([item]):
                        wrong.append(f"{tool.name} {place}: the filter {line} does not find it")
                if words := misread(column, value, text):
                    wrong.append(f"{tool.name} {place} {column.title}: {text} {words}")
    assert wrong == []
    assert count.total() > 700


@pytest.mark.parametrize("world", ["rough", *further("still")])
async def test_s13_a_name_or_an_id_as_it_is_shown_finds_its_object(
    world: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """In the ask line: by the calls that it makes for a name, or by what it recognises as an id."""
    asked = {
        "SearchPaymentsCustomers": ("created>0", "SearchPaymentsCustomers", "name"),
        "SearchPaymentsProducts": ('active:"true"', "SearchPaymentsProducts", "name"),
        "ListUsers": ("", "SearchUsers", "name"),
        "ListServices": ("", "ListServices", "name"),
        "FetchCrmUsersList": ("", "RetrieveCrmUserById", "email"),
        "ListIncidents": ("", "GetIncident", "summary"),
    }
    finder, wrong = Finder(load()), []
    async with opened(folder=tmp_path, sandbox=lambda: request.getfixturevalue(world)) as engine:
        for name, (query, looks, shown) in asked.items():
            tool = TOOLS[name]
            wanted = tool.with_role("query") if query else None
            listed = await engine.run(tool, {wanted.name: query} if wanted is not None else {}, SANDBOX)
            for one in map(json.loads, items(listed)):
                for text in (visible_line(one[shown]), one["id"]):
                    found = [*finder.find(text)[:3], *finder.lookups(text)]
                    if text == one["id"] and one["id"] in str([item.arguments for item in found]):
                        continue
                    if "://" in text:  # a link is opened, and not what stands around it
                        continue
                    calls = [item for item in found if item.tool == looks and not item.missing]
                    results = [await engine.run(TOOLS[item.tool], item.arguments, SANDBOX) for item in calls]
                    if not any(one["id"] in result.body.decode() for result in results if result.ok):
                        wrong.append(f"{name}: {text}")
    assert wrong == []
