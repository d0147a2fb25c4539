"""The time for a refresh of the dashboard, compared with its slowest chain of calls. Each call of a chain needs the one before.

The sandbox adds 200 ms of latency to each request. A chain is a list read page by page, or the policies and then their
upcoming duties. Its time is the sum of its calls' times, without the wait for a free connection.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import Awaitable, Mapping
from typing import NamedTuple

from starlette.types import Receive, Scope, Send

from registry.accounts.connection import sandbox
from registry.calling.result import Result
from registry.calling.sending import Observer
from registry.engine import Settings, open_engine
from registry.oncall.refresh import Refresher
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.bench.table import Rows, TableRow
from tests.bench.terminal_times import measure

_LATENCY = 0.2
_NOW = 1764555240


class Ratios(NamedTuple):
    """The time of a refresh divided by its slowest chain, for the first refresh, which reads everything, and a later one."""

    first: float
    usual: float


def ratios(scenario: str) -> Ratios:
    """Measure one start and the refresh after it."""
    return asyncio.run(_measure(scenario))


async def _measure(scenario: str) -> Ratios:
    clock = Clock(_NOW)
    service = application(now=clock, scenario=scenario)

    async def distant(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(_LATENCY)
        await service(scope, receive, send)

    engine = open_engine(Settings(journal=False, sandbox=lambda: distant))
    ask = engine.refreshing(sandbox)
    chains: dict[str, float] = defaultdict(float)

    def timed(tool: str, arguments: Mapping[str, object], observer: Observer) -> Awaitable[Result]:
        async def call() -> Result:
            started = time.perf_counter()
            try:
                return await ask(tool, arguments, observer)
            finally:
                chains[_chain(tool, arguments)] += time.perf_counter() - started

        return call()

    try:
        # The world is made at the first request, which must not count for the refresh.
        await engine.run("Whoami")
        refresher = Refresher(timed, clock.now)
        found = []
        for _ in range(2):
            chains.clear()
            started = time.perf_counter()
            await refresher.refresh()
            wall = time.perf_counter() - started
            behind = max((spent for chain, spent in chains.items() if chain.startswith("later ")), default=0.0)
            policies = chains.get("ListEscalationPolicies", 0.0) + behind
            found.append(wall / max(*chains.values(), policies))
            clock.advance(15)
        return Ratios(*found)
    finally:
        await engine.aclose()


def _chain(tool: str, arguments: Mapping[str, object]) -> str:
    """The list to which a call's page belongs."""
    which = [f"{name}={arguments[name]}" for name in ("status", "since", "is_overview") if name in arguments]
    if "escalation_policy_ids" in arguments:
        return f"later {arguments['escalation_policy_ids']}"
    return " ".join([tool, *which])


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
        found = ratios(scenario)
        first.ratios.append(found.first)
        usual.ratios.append(found.usual)
    return [keys, flood, first, usual]
