"""``make bench``: measure and print. A whole run also writes ``docs/speed.md`` and the headlines in the README.

``ROUNDS`` is how often each row is measured. ``ROWS`` names the groups of rows to measure, separated by commas. A group with
a row whose rounds differ too much is measured once more. The row keeps the calmer measurement; a row that is noisy in both
is marked. If a group fails, its error is shown in its place, and the others are still measured.
"""

from __future__ import annotations

import compileall
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Mapping

from tests.bench import chains, computing, gathering, sandbox_worlds, screens
from tests.bench.commands import command_rows
from tests.bench.table import HEADLINES, Failed, Rows, TableRow, as_table
from tests.bench.viewer import viewer_rows
from tests.terminal import ROOT
from tests.tools.sections import write_section

GROUPS: Mapping[str, Callable[[int], Rows]] = {
    "commands": command_rows,
    "start": screens.start_rows,
    "viewer": viewer_rows,
    "comparing": computing.comparison_rows,
    "history": computing.journal_rows,
    "fetching": gathering.fetching_rows,
    "pages": chains.page_rows,
    "oncall": chains.oncall_rows,
    "rest": screens.rest_rows,
    "sandbox": sandbox_worlds.sandbox_rows,
}

_LONG = 180.0
"""A group that took longer than this, in seconds, is not measured again."""


def main() -> int:
    """Measure the groups given on the command line."""
    rounds = int(os.environ.get("ROUNDS", "5"))
    wanted = [name for name in os.environ.get("ROWS", "").replace(",", " ").split() if name]
    if unknown := [name for name in wanted if name not in GROUPS]:
        sys.stderr.write(f"bench: no rows are called {', '.join(unknown)}. ROWS may be {', '.join(GROUPS)}.\n")
        return 2
    for package in ("registry", "tui", "tests"):
        compileall.compile_dir(str(ROOT / package), quiet=1)
    before = _load()
    rows: Rows = []
    for name in wanted or GROUPS:
        began = time.monotonic()
        found = _told(name, rounds)
        rows += found
        failed = "failed" if any(isinstance(row, Failed) for row in found) else "measured"
        sys.stderr.write(f"bench: {name} {failed} in {time.monotonic() - began:.0f} s\n")
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}; load {before} before, {_load()} after"
    text = f"{as_table(rows)}\n\nMeasured with {rounds} rounds: {machine}."
    sys.stdout.write(f"{text}\n")
    if not wanted:
        write_section(ROOT / "docs" / "speed.md", "bench", text)
        headlines: Rows = [row for row in rows if isinstance(row, TableRow) and row.what in HEADLINES]
        write_section(ROOT / "README.md", "bench", as_table(headlines))
    return 1 if any(isinstance(row, Failed) for row in rows) else 0


def _told(name: str, rounds: int) -> Rows:
    """The rows of a group, or one row with the error."""
    try:
        return measured(GROUPS[name], rounds)
    except Exception as error:
        traceback.print_exc()
        return [Failed(name, error)]


def measured(group: Callable[[int], Rows], rounds: int) -> Rows:
    """The rows of a group. It is measured once more if a row is noisy and the first time was short."""
    began = time.monotonic()
    rows = group(rounds)
    noisy = any(isinstance(row, TableRow) and row.noisy for row in rows)
    if not noisy or time.monotonic() - began > _LONG:
        return rows
    again = {row.what: row for row in group(rounds) if isinstance(row, TableRow)}
    return [_calmer(row, again.get(row.what)) if isinstance(row, TableRow) else row for row in rows]


def _calmer(row: TableRow, other: TableRow | None) -> TableRow:
    """The one of two measurements that is not noisy, or both together."""
    if not row.noisy or other is None:
        return row
    return other if not other.noisy else TableRow(row.what, row.goal, [*row.ratios, *other.ratios])


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    sys.exit(main())
