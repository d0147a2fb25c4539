"""Pages and refreshes, compared with their slowest chain of calls, in which each call needs the one before.

The sandbox adds 200 ms of latency to each request. A chain is the object of a page, a section, and the section that waits for
it; or a list read page by page; or the escalation policies and then their upcoming duties. Its time is the sum of its calls'
times, without the wait for a free connection.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from registry.accounts.connection import sandbox
from registry.calling.result import Result
from registry.engine import Engine, Settings, open_engine
from registry.oncall.refresh import Refresher
from registry.pages.definition import pages_of
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage
from registry.pages.subjects import subjects_of
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.bench.table import Rows, TableRow
from tests.bench.terminal_times import measure

_LATENCY = 0.2
_NOW = 1764555240
PAGES = ("cus_SxAKdn2A4YV4At", "in_vny4sH2PGDGoJuZrOdmZcfVs")

Ask = Callable[..., Awaitable[Result]]


@asynccontextmanager
async def _distant(service: ASGIApp) -> AsyncIterator[Engine]:
    """An engine on a distant sandbox. Its worlds are made at the first requests, which must not count."""

    async def distant(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(_LATENCY)
        await service(scope, receive, send)

    async with open_engine(Settings(environment={}, journal=False, sandbox=lambda: distant)) as engine:
        for tool in ("Whoami", "GetTaxSettings", "GetAccountRoles"):
            await engine.run(tool)
        yield engine


def _timed(ask: Ask, chain_of: Callable[[Any, Any], str], spent: dict[str, float]) -> Ask:
    """The same, with the seconds of each call added to its chain."""

    async def call(tool: Any, arguments: Any, observer: Any) -> Result:
        started = time.perf_counter()
        try:
            return await ask(tool, arguments, observer)
        finally:
            spent[chain_of(tool, arguments)] += time.perf_counter() - started

    return call


async def _page(id_: str) -> tuple[float, float]:
    """The time of a page's head, in round trips, and of the whole page, in slowest chains."""
    spent: dict[str, float] = defaultdict(float)
    stood: list[float] = []
    async with _distant(application()) as engine:

        def watch(page: ObjectPage) -> None:
            if page.object is not None and not stood:
                stood.append(time.perf_counter() - started)

        asks = _timed(engine.reading(engine.usual), lambda tool, _: str(tool.name), spent)
        started = time.perf_counter()
        page = await PageLoad(asks, engine.catalog, engine.routes, observer=watch).load(subjects_of(id_, engine.routes))
        wall = time.perf_counter() - started
    head = spent[page.subject.tool]
    tools = {one.id: one.tool for one in page.sections if one.tool}
    definition = pages_of(page.toolkit).objects[page.subject.type]
    chains = [spent[tools[one.id]] + spent.get(tools.get(one.after, ""), 0.0) for one in definition.sections if one.id in tools]
    return stood[0] / head, wall / (head + max(chains))


async def _refreshes(scenario: str) -> list[float]:
    """The times of the first refresh, which reads everything, and of a later one, in slowest chains."""
    clock, spent, found = Clock(_NOW), dict[str, float](), list[float]()
    async with _distant(application(now=clock, scenario=scenario)) as engine:
        spent = defaultdict(float)
        refresher = Refresher(_timed(engine.refreshing(sandbox), _chain, spent), clock.now)
        for _ in range(2):
            spent.clear()
            started = time.perf_counter()
            await refresher.refresh()
            wall = time.perf_counter() - started
            behind = max((seconds for chain, seconds in spent.items() if chain.startswith("later ")), default=0.0)
            found.append(wall / max(*spent.values(), spent.get("ListEscalationPolicies", 0.0) + behind))
            clock.advance(15)
    return found


def _chain(tool: str, arguments: Any) -> str:
    """The list to which a call's page belongs."""
    if "escalation_policy_ids" in arguments:
        return f"later {arguments['escalation_policy_ids']}"
    return " ".join([tool, *(f"{name}={arguments[name]}" for name in ("status", "since", "is_overview") if name in arguments)])


def page_rows(rounds: int) -> Rows:
    """The page of an object, compared with one round trip and with its slowest chain of calls."""
    head = TableRow("page of an object, head with 200 ms latency × one call", "≤ 1.1", [])
    whole = TableRow("page of an object, all sections × the slowest chain of calls", "≤ 1.3", [])
    for id_ in PAGES * rounds:
        for row, ratio in zip((head, whole), asyncio.run(_page(id_)), strict=True):
            row.ratios.append(ratio)
    return [head, whole]


def oncall_rows(rounds: int) -> Rows:
    """The dashboard: keys in a storm compared with a quiet night, and a refresh compared with its slowest chain of calls."""
    keys = TableRow("on call, key → paint, 300 open incidents and 60 policies × a quiet night", "≤ 1.5", [])
    flood = TableRow("the same with 5 000 open incidents, while they are still being read", "≤ 1.5", [])
    first = TableRow("on call, first refresh with 200 ms latency × its slowest chain of calls", "≤ 1.3", [])
    usual = TableRow("on call, the refreshes after it, likewise", "≤ 1.3", [])
    for _ in range(rounds):
        quiet, storm, most = (
            statistics.median(measure(f"oncall_{night}", b"triggered", b"live", "jk" * 6).echoes)
            for night in ("quiet", "storm", "flood")
        )
        keys.ratios.append(storm / quiet)
        flood.ratios.append(most / quiet)
    for scenario in ("quiet", "busy-night", "storm"):
        for row, ratio in zip((first, usual), asyncio.run(_refreshes(scenario)), strict=True):
            row.ratios.append(ratio)
    return [keys, flood, first, usual]
