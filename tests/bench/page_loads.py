"""The time to load the page of an object, compared with its slowest chain of calls. Each call of a chain needs the one before.

The sandbox adds 200 ms of latency to each request. A chain is the object, a section, and the section that waits for it. Its
time is the sum of its calls' times, without the wait for a free connection.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Mapping
from typing import NamedTuple

from starlette.types import Receive, Scope, Send

from registry.calling.result import Result
from registry.calling.sending import Observer
from registry.catalog.model import Tool
from registry.engine import Settings, open_engine
from registry.pages.definition import pages_of
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage
from registry.pages.subjects import subjects_of
from registry.sandbox.server import application
from tests.bench.table import Rows, TableRow

_LATENCY = 0.2
PAGES = ("cus_SxAKdn2A4YV4At", "in_vny4sH2PGDGoJuZrOdmZcfVs", "PC3DUNY")


class Ratios(NamedTuple):
    """The head's time divided by one round trip, and the whole page's time divided by its slowest chain of calls."""

    head: float
    whole: float


def ratios(id_: str) -> Ratios:
    """Measure one page."""
    return asyncio.run(_measure(id_))


async def _measure(id_: str) -> Ratios:
    service = application()

    async def distant(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(_LATENCY)
        await service(scope, receive, send)

    spent: dict[str, float] = defaultdict(float)
    stood: list[float] = []
    async with open_engine(Settings(environment={}, journal=False, sandbox=lambda: distant)) as engine:
        ask = engine.reading(engine.usual)

        def timed(tool: Tool, arguments: Mapping[str, object], observer: Observer) -> Awaitable[Result]:
            async def call() -> Result:
                started = time.perf_counter()
                try:
                    return await ask(tool, arguments, observer)
                finally:
                    spent[tool.name] += time.perf_counter() - started

            return call()

        def watch(page: ObjectPage) -> None:
            if page.object is not None and not stood:
                stood.append(time.perf_counter() - started)

        # The worlds are made at the first requests, which must not count for the page.
        for tool in ("Whoami", "GetTaxSettings", "GetAccountRoles"):
            await engine.run(tool)
        started = time.perf_counter()
        page = await PageLoad(timed, engine.catalog, engine.routes, observer=watch).load(subjects_of(id_, engine.routes))
        wall = time.perf_counter() - started
    head = spent[page.subject.tool]
    tools = {one.id: one.tool for one in page.sections if one.tool}
    definition = pages_of(page.toolkit).objects[page.subject.type]
    chains = [spent[tools[one.id]] + spent.get(tools.get(one.after, ""), 0.0) for one in definition.sections if one.id in tools]
    return Ratios(stood[0] / head, wall / (head + max(chains)))


def page_rows(rounds: int) -> Rows:
    """The page of an object, compared with one round trip and with its slowest chain of calls."""
    head = TableRow("page of an object, head with 200 ms latency × one call", "≤ 1.1", [])
    whole = TableRow("page of an object, all sections × the slowest chain of calls", "≤ 1.3", [])
    for id_ in PAGES[:2]:
        for _ in range(rounds):
            found = ratios(id_)
            head.ratios.append(found.head)
            whole.ratios.append(found.whole)
    return [head, whole]
