"""The explorer's start and the echoes of its ask line, × bare Textual in the same round; and screens at rest."""

from __future__ import annotations

import statistics

from tests.bench.table import Rows, TableRow
from tests.bench.terminal_times import Running, measure, program

_KEYS = "custcards"
_SECONDS = 20.0
_SCREENS = (
    ("explorer", b"look before deleting", "CPU at rest, percent of one core: explorer", "≤ 0.3"),
    ("oncall_quiet", b"live", "the same: dashboard, a quiet night", "≤ 1.5"),
    ("oncall_storm", b"live", "the same: dashboard, 300 open incidents", "≤ 3"),
)


def start_rows(rounds: int) -> Rows:
    """First frames, all panes, keys; with 241 tools and with 10 000."""
    first = TableRow("first frame with all tools, × a bare Textual app", "≤ 1.05", [])
    still = TableRow("all three panes still, × a bare Textual app", "≤ 1.6", [])
    many = TableRow("first frame with 10 000 tools, × with 241", "≤ 1.1", [])
    echo = TableRow("key → echo in the filter, × a bare Input", "≤ 1.5", [])
    echo_many = TableRow("the same with 10 000 tools", "≤ 2", [])
    settled = TableRow("key → filtered list still, × a bare Input", "≤ 5.8", [])
    for _ in range(rounds):
        bare, line = measure("bare", b"Callboard"), measure("line", b"allboard", keys=_KEYS)
        ours = measure("explorer", b"Payments", b"look before deleting", _KEYS)
        large = measure("many", b"Payments", b"look before deleting", _KEYS)
        first.ratios.append(ours.first_frame / bare.first_frame)
        still.ratios.append(ours.still / bare.still)
        many.ratios.append(large.first_frame / ours.first_frame)
        floor = statistics.median(line.echoes)
        echo.ratios.append(statistics.median(ours.echoes) / floor)
        echo_many.ratios.append(statistics.median(large.echoes) / floor)
        settled.ratios.append(statistics.median(ours.settled) / statistics.median(line.settled))
    return [first, still, many, echo, echo_many, settled]


def rest_rows(rounds: int) -> Rows:
    """The CPU use of idle screens, as a part of one core, with the sandbox in the same process, for 20 seconds.

    There is no row on systems without CPU times for processes.
    """
    rows: Rows = []
    for name, mark, what, goal in _SCREENS:
        row = TableRow(what, goal, [])
        for _ in range(min(rounds, 2)):
            with Running(program(name)) as running:
                running.until(mark)
                running.until_still()
                running.rest(2)
                try:
                    before = running.cpu()
                except OSError:
                    return []
                running.rest(_SECONDS)
                row.ratios.append(100 * (running.cpu() - before) / _SECONDS)
        rows.append(row)
    return rows
