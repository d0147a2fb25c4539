"""Whole commands: what they take beside what importing takes, in the same round."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.bench.table import Rows, TableRow, process_time

_AS_USUAL = "import runpy, sys; sys.argv[0] = 'callboard'; runpy.run_module('tui', run_name='__main__')"
_WITHOUT_AGENTS = (
    "import sys, types; door = types.ModuleType('registry.doors.cli_mcp'); door.add_mcp = lambda commands: None; "
    f"sys.modules[door.__name__] = door; {_AS_USUAL}"
)


def command_rows(rounds: int) -> Rows:
    """Whole calls on the command line, against importing httpx in the same round."""
    call: Callable[..., list[str]] = lambda *words: [sys.executable, "-m", "tui", "call", *words]  # noqa: E731
    rows = {
        "callboard call Whoami, whole process, × importing httpx": call("Whoami"),
        "callboard call GetTaxSettings, whole process, × importing httpx": call("GetTaxSettings"),
        "callboard call SearchPaymentsCustomers (the largest chapter), × importing httpx": call(
            "SearchPaymentsCustomers", "--search-query-string", "created>0"
        ),
    }
    table = [TableRow(what, "≤ 2.0", []) for what in rows]
    agents = TableRow("callboard tools, with the door for agents × without it", "≤ 1.05", [])
    words = ["tools", "coupon"]
    process_time([sys.executable, "-c", "import httpx, textual.app"])
    for _ in range(rounds):
        floor = process_time([sys.executable, "-c", "import httpx"])
        for row, command in zip(table, rows.values(), strict=True):
            row.ratios.append(process_time(command) / floor)
        without = process_time([sys.executable, "-c", _WITHOUT_AGENTS, *words])
        agents.ratios.append(process_time([sys.executable, "-c", _AS_USUAL, *words]) / without)
    return [*table, agents]
