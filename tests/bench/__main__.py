"""``make bench``: measure, print, and write the table into ``docs/speed.md`` and its headlines into the README."""

from __future__ import annotations

import compileall
import os
import statistics
import sys
from collections.abc import Callable, Sequence

from tests.bench import oncall_refreshes, page_loads
from tests.bench.gathering import MEASURED, PAGE, rates
from tests.bench.journal import journal_rows
from tests.bench.sandbox_worlds import built, requests_per_second
from tests.bench.table import HEADLINES, Figure, TableRow, process_time
from tests.bench.table_times import table_rows
from tests.bench.terminal_times import measure
from tests.bench.viewer import viewer_rows
from tests.terminal import ROOT
from tests.tools.sections import write_section

ROUNDS = int(os.environ.get("ROUNDS", "9"))
CUSTOMERS = int(os.environ.get("BENCH_CUSTOMERS", "100000"))
_KEYS = "custcards"


def terminal_rows() -> list[TableRow]:
    """First frames and echoes, against bare Textual in the same round."""
    first = TableRow("first frame with all tools, × a bare Textual app", "≤ 1.15", [])
    still = TableRow("all three panes still, × a bare Textual app", "≤ 2.0", [])
    many = TableRow("first frame with 10 000 tools, × with 241", "≤ 1.1", [])
    echo = TableRow("key → echo in the filter, × a bare Input", "≤ 1.5", [])
    echo_many = TableRow("the same with 10 000 tools", "≤ 3", [])
    settled = TableRow("key → filtered list still, × a bare Input", "≤ 5.8", [])
    for _ in range(ROUNDS):
        bare, line = measure("bare", b"Callboard"), measure("line", b"allboard", keys=_KEYS)
        ours = measure("explorer", b"Payments", b"start here", _KEYS)
        large = measure("many", b"Payments", b"start here", _KEYS)
        first.ratios.append(ours.first_frame / bare.first_frame)
        still.ratios.append(ours.still / bare.still)
        many.ratios.append(large.first_frame / ours.first_frame)
        floor = statistics.median(line.echoes)
        echo.ratios.append(statistics.median(ours.echoes) / floor)
        echo_many.ratios.append(statistics.median(large.echoes) / floor)
        settled.ratios.append(statistics.median(ours.settled) / statistics.median(line.settled))
    return [first, still, many, echo, echo_many, settled]


def command_rows() -> list[TableRow]:
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
    for _ in range(ROUNDS):
        floor = process_time([sys.executable, "-c", "import httpx"])
        for row, command in zip(table, rows.values(), strict=True):
            row.ratios.append(process_time(command) / floor)
    return table


_AS_USUAL = "import runpy, sys; sys.argv[0] = 'callboard'; runpy.run_module('tui', run_name='__main__')"
_WITHOUT_AGENTS = (
    "import sys, types; door = types.ModuleType('registry.doors.cli_mcp'); door.add_mcp = lambda commands: None; "
    f"sys.modules[door.__name__] = door; {_AS_USUAL}"
)


def agent_rows() -> list[TableRow]:
    """A command with the door for agents installed, against the same in the same round without even the door's options."""
    row = TableRow("callboard tools, with the door for agents × without it", "≤ 1.05", [])
    words = ["tools", "coupon"]
    for _ in range(ROUNDS):
        floor = process_time([sys.executable, "-c", _WITHOUT_AGENTS, *words])
        row.ratios.append(process_time([sys.executable, "-c", _AS_USUAL, *words]) / floor)
    return [row]


def page_rows() -> list[TableRow]:
    """The page of an object, against one round trip and against its slowest chain of calls."""
    head = TableRow("page of an object, head with 200 ms latency × one call", "≤ 1.3", [])
    whole = TableRow("page of an object, all sections × the slowest chain of calls", "≤ 1.3", [])
    for id_ in page_loads.PAGES[:2]:
        for _ in range(ROUNDS):
            found = page_loads.ratios(id_)
            head.ratios.append(found.head)
            whole.ratios.append(found.whole)
    return [head, whole]


def oncall_rows() -> list[TableRow]:
    """The dashboard: keys in a storm against a quiet night, and a refresh against its slowest chain of calls."""
    keys = TableRow("on call, key → paint, 300 open incidents and 60 policies × a quiet night", "≤ 1.5", [])
    flood = TableRow("the same with 5 000 open incidents, while they are still being read", "≤ 4", [])
    first = TableRow("on call, first refresh with 200 ms latency × its slowest chain of calls", "≤ 1.3", [])
    usual = TableRow("on call, the refreshes after it, likewise", "≤ 1.3", [])
    for _ in range(ROUNDS):
        quiet, storm, most = (
            statistics.median(measure(f"oncall_{night}", b"triggered", b"live", "jk" * 6).echoes)
            for night in ("quiet", "storm", "flood")
        )
        keys.ratios.append(storm / quiet)
        flood.ratios.append(most / quiet)
    for scenario in ("quiet", "busy-night", "storm"):
        found = oncall_refreshes.ratios(scenario)
        first.ratios.append(found.first)
        usual.ratios.append(found.usual)
    return [keys, flood, first, usual]


def sandbox_rows() -> list[TableRow | Figure]:
    """The sandbox: how fast it answers, what a world costs, and whether a large one reads like a small one."""
    rate = statistics.median(requests_per_second() for _ in range(3))
    story, large = built(0, ROUNDS), built(CUSTOMERS, ROUNDS)
    name = f"{CUSTOMERS:,} customers".replace(",", " ")
    return [
        TableRow(f"sandbox, p95 of a by-id read, {name} × usual world", "≤ 2.0", large.by_id),
        TableRow(f"sandbox, a list page of 100 by its size, {name} × usual world", "≤ 1.2", large.pages),
        Figure("sandbox, list pages of 100 over a socket", f"{rate:.0f} requests/s"),
        Figure("sandbox, default data, full build", f"{story.seconds:.2f} s, {story.megabytes:.0f} MB at most"),
        Figure(f"sandbox, a world of {name}", f"{large.seconds:.0f} s, {large.megabytes:.0f} MB at most"),
    ]


def gathering_rows() -> list[TableRow | Figure]:
    """Fetching a whole list, against the official client and against a bare socket, each in the same round."""
    table: list[TableRow | Figure] = []
    for latency, pages, official_pages in MEASURED:
        found = [rates(latency, pages, official_pages) for _ in range(ROUNDS if not latency else 3)]
        name = f"fetch all, objects/s at {latency * 1000:.0f} ms"
        if latency:
            table.append(
                TableRow(
                    f"{name}, × a bare socket that only waits for the next page", "≥ 0.95", [one.of_bound for one in found]
                )
            )
            text = f"{statistics.median(one.ours * latency / PAGE for one in found):.3f}"
            table.append(Figure(f"{name}, × the theoretical maximum (one page per round trip)", text))
        else:
            table.append(TableRow(f"{name}, × `stripe` auto_paging_iter", "≥ 40", [one.advantage for one in found]))
    return table


def main() -> None:
    """Measure everything."""
    for package in ("registry", "tui", "tests"):
        compileall.compile_dir(str(ROOT / package), quiet=1)
    process_time([sys.executable, "-c", "import httpx, textual.app"])
    rows = [
        *command_rows(),
        *agent_rows(),
        *terminal_rows(),
        *viewer_rows(),
        *table_rows(ROUNDS),
        *journal_rows(ROUNDS),
        *gathering_rows(),
        *page_rows(),
        *oncall_rows(),
        *sandbox_rows(),
    ]
    sys.stdout.write(as_table(rows) + "\n")
    write_section(ROOT / "docs" / "speed.md", "bench", as_table(rows))
    write_section(ROOT / "README.md", "bench", as_table([row for row in rows if row.what in HEADLINES]))


def as_table(rows: Sequence[TableRow | Figure]) -> str:
    """Rows as Markdown."""
    return "\n".join(["| what | median (least–most) | goal |", "|---|---|---|", *map(str, rows)])


if __name__ == "__main__":
    main()
