"""The explorer's start and the echoes of its ask line, compared with bare Textual in the same round."""

from __future__ import annotations

import statistics

from tests.bench.table import Rows, TableRow
from tests.bench.terminal_times import measure

_KEYS = "custcards"


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
