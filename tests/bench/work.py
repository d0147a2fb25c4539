"""Work without a screen: a call on the command line, comparing two large responses, and the page of an object.

A page is compared with its slowest chain of calls, in which each call needs the one before: the object, a section, and the
section that waits for it. The sandbox adds 200 ms of latency to each request.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from tempfile import TemporaryDirectory
from timeit import timeit
from typing import Any

from starlette.types import Receive, Scope, Send

from registry.calling.result import Result
from registry.engine import Settings, open_engine
from registry.pages.definition import pages_of
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage
from registry.pages.subjects import subjects_of
from registry.results.comparison import compare
from registry.sandbox.server import application
from tests.bench.table import Row
from tests.large_responses import response_of
from tests.terminal import ROOT

_SIZE, _LATENCY = 10_000_000, 0.2
_HOME = TemporaryDirectory(prefix="callboard-bench-", ignore_cleanup_errors=True)
_PAGES = ("cus_SxAKdn2A4YV4At", "in_vny4sH2PGDGoJuZrOdmZcfVs")


def _seconds(*command: str) -> float:
    """The seconds that a command takes as a process, in a home that earlier commands used."""
    home = {"PATH": os.environ["PATH"], "HOME": _HOME.name}
    return timeit(lambda: subprocess.run(command, cwd=ROOT, env=home, check=True, capture_output=True), number=1)


def call_rows(rounds: int) -> list[Row]:
    """A whole call, compared with importing httpx in the same round."""
    row = Row("callboard call Whoami, whole process, × importing httpx", "≤ 2.2")
    _seconds(sys.executable, "-c", "import httpx, textual.app")
    for _ in range(rounds):
        floor = _seconds(sys.executable, "-c", "import httpx")
        row.ratios.append(_seconds(sys.executable, "-m", "tui", "call", "Whoami") / floor)
    return [row]


def comparison_rows(rounds: int) -> list[Row]:
    """The time to compare 10 MB with 10 MB that differ in one property, against parsing both."""
    row = Row("comparing 10 MB with 10 MB, × json.loads of both", "≤ 6")
    left = response_of(_SIZE)
    right = left.replace(b'"delinquent":false', b'"delinquent":true', 1)
    for _ in range(min(rounds, 3)):
        started = time.perf_counter()
        json.loads(left)
        json.loads(right)
        parsed = time.perf_counter()
        compare(left, right)
        row.ratios.append((time.perf_counter() - parsed) / (parsed - started))
    return [row]


def page_rows(rounds: int) -> list[Row]:
    """The page of an object, compared with one round trip and with its slowest chain of calls."""
    head = Row("page of an object, head with 200 ms latency × one call", "≤ 1.1")
    whole = Row("page of an object, all sections × the slowest chain of calls", "≤ 1.3")
    for id_ in _PAGES * rounds:
        for row, ratio in zip((head, whole), asyncio.run(_page(id_)), strict=True):
            row.ratios.append(ratio)
    return [head, whole]


async def _page(id_: str) -> tuple[float, float]:
    """The time of a page's head, in round trips, and of the whole page, in slowest chains."""
    service = application()

    async def distant(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(_LATENCY)
        await service(scope, receive, send)

    spent: dict[str, float] = defaultdict(float)
    stood: list[float] = []
    async with open_engine(Settings(environment={}, journal=False, sandbox=lambda: distant)) as engine:
        for tool in ("Whoami", "GetTaxSettings", "GetAccountRoles"):  # the worlds are made at the first requests
            await engine.run(tool)
        read = engine.reading(engine.usual)

        async def timed(tool: Any, arguments: Any, observer: Any) -> Result:
            began = time.perf_counter()
            try:
                return await read(tool, arguments, observer)
            finally:
                spent[tool.name] += time.perf_counter() - began

        def watch(page: ObjectPage) -> None:
            if page.object is not None and not stood:
                stood.append(time.perf_counter() - started)

        started = time.perf_counter()
        page = await PageLoad(timed, engine.catalog, engine.routes, observer=watch).load(subjects_of(id_, engine.routes))
        wall = time.perf_counter() - started
    head = spent[page.subject.tool]
    tools = {one.id: one.tool for one in page.sections if one.tool}
    definition = pages_of(page.toolkit).objects[page.subject.type]
    chains = [spent[tools[one.id]] + spent.get(tools.get(one.after, ""), 0.0) for one in definition.sections if one.id in tools]
    return stood[0] / head, wall / (head + max(chains))
