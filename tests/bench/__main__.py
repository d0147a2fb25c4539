"""``make bench``: measure and print. A whole run also writes ``docs/speed.md``.

``ROUNDS`` is how often each row is measured. ``ROWS`` names the groups of rows to measure, separated by commas.
"""

import compileall
import os
import platform
import sys
import time

from tests.bench import gathering, screens, viewer, work
from tests.bench.table import Row, as_table
from tests.terminal import ROOT
from tests.tools.sections import write_section

GROUPS = {
    "call": work.call_rows,
    "start": screens.start_rows,
    "viewer": viewer.viewer_rows,
    "comparing": work.comparison_rows,
    "fetching": gathering.fetching_rows,
    "pages": work.page_rows,
    "oncall": screens.oncall_rows,
    "rest": screens.rest_rows,
}


def main() -> None:
    """Measure the groups that ``ROWS`` names, or all."""
    rounds = int(os.environ.get("ROUNDS", "5"))
    wanted = os.environ.get("ROWS", "").replace(",", " ").split()
    for package in ("registry", "tui", "tests"):
        compileall.compile_dir(str(ROOT / package), quiet=1)
    before, rows = os.getloadavg()[0], list[Row]()
    for name in wanted or GROUPS:
        began = time.monotonic()
        rows += GROUPS[name](rounds)
        sys.stderr.write(f"bench: {name}, {time.monotonic() - began:.0f} s\n")
    text = f"{as_table(rows)}\n\nMeasured with {rounds} rounds: {os.cpu_count()} cores, Python {platform.python_version()}; "
    text += f"load {before:.1f} before."
    sys.stdout.write(f"{text}\n")
    if not wanted:
        write_section(ROOT / "docs" / "speed.md", "bench", text)


if __name__ == "__main__":
    main()
