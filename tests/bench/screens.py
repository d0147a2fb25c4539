"""The explorer's start and the echoes of its ask line, the dashboard's, × bare Textual in the same round; screens at rest."""

import statistics

from tests.bench.table import Row
from tests.bench.terminal_times import Running, measure, program

READY = b"in two minutes"
"""Text at the end of home: it is on screen when all panes are there."""

_KEYS = "custcards"
_SECONDS = 20.0
_AT_REST = (
    ("explorer", READY, "CPU at rest, percent of one core: explorer", "≤ 0.5"),
    ("oncall_quiet", b"live", "the same: dashboard, a quiet night", "≤ 2"),
    ("oncall_storm", b"live", "the same: dashboard, 300 open incidents", "≤ 4"),
)


def start_rows(rounds: int) -> list[Row]:
    """First frames, all panes, keys; with 241 tools and with 10 000."""
    first = Row("first frame with all tools, × a bare Textual app", "≤ 1.5")
    still = Row("all three panes still, × a bare Textual app", "≤ 2.2")
    many = Row("first frame with 10 000 tools, × with 241", "≤ 1.2")
    echo = Row("key → echo in the ask line, × a bare Input", "≤ 1.5")
    echo_many = Row("the same with 10 000 tools", "≤ 2")
    for _ in range(rounds):
        bare, line = measure("bare", b"Callboard"), measure("line", b"allboard", keys=_KEYS)
        ours, large = (measure(name, b"Payments", READY, _KEYS) for name in ("explorer", "many"))
        first.ratios.append(ours.first_frame / bare.first_frame)
        still.ratios.append(ours.still / bare.still)
        many.ratios.append(large.first_frame / ours.first_frame)
        floor = statistics.median(line.echoes)
        echo.ratios.append(statistics.median(ours.echoes) / floor)
        echo_many.ratios.append(statistics.median(large.echoes) / floor)
    return [first, still, many, echo, echo_many]


def oncall_rows(rounds: int) -> list[Row]:
    """The dashboard: its first rows, × a bare Textual app, and keys in storms, × a quiet night."""
    first = Row("on call, first rows, × a bare Textual app", "≤ 2.0")
    still = Row("on call, all panels still, × a bare Textual app", "≤ 4")
    keys = Row("on call, key → paint, 300 open incidents and 60 policies × a quiet night", "≤ 1.5")
    flood = Row("the same with 5 000 open incidents, while they are still being read", "≤ 1.5")
    for _ in range(rounds):
        bare = measure("bare", b"Callboard")
        quiet, storm, most = (
            measure(f"oncall_{night}", b"triggered", b"live", "jk" * 6) for night in ("quiet", "storm", "flood")
        )
        first.ratios.append(quiet.first_frame / bare.first_frame)
        still.ratios.append(quiet.still / bare.still)
        floor = statistics.median(quiet.echoes)
        keys.ratios.append(statistics.median(storm.echoes) / floor)
        flood.ratios.append(statistics.median(most.echoes) / floor)
    return [first, still, keys, flood]


def rest_rows(rounds: int) -> list[Row]:
    """The CPU use of idle screens for 20 seconds, with the sandbox in the same process; needs ``/proc``."""
    rows = [Row(what, goal) for _, _, what, goal in _AT_REST]
    for row, (name, mark, _, _) in zip(rows, _AT_REST, strict=True):
        for _ in range(min(rounds, 2)):
            with Running(program(name)) as running:
                running.until(mark)
                running.until_still()
                running.rest(2)
                before = running.cpu()
                running.rest(_SECONDS)
                row.ratios.append(100 * (running.cpu() - before) / _SECONDS)
    return rows
