"""The CPU use of idle screens, as a part of one core, with the sandbox in the same process."""

from __future__ import annotations

from tests.bench.table import Rows, TableRow
from tests.bench.terminal_times import Running, program

_SECONDS = 20.0
_SCREENS = (
    ("explorer", b"start here", "CPU at rest, percent of one core: explorer", "≤ 0.3"),
    ("oncall_quiet", b"live", "the same: dashboard, a quiet night", "≤ 1.5"),
    ("oncall_storm", b"live", "the same: dashboard, 300 open incidents", "≤ 3"),
)


def rest_rows(rounds: int) -> Rows:
    """Twenty seconds of each screen, after its last output. There is no row on systems without CPU times for processes."""
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
