"""The rows of the table that ``make bench`` prints, and the time that a command takes."""

import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory

from tests.terminal import ROOT

CALM = 1.3
"""If a row's largest value divided by its smallest is above this, its median is not reliable."""

_OWN = ("CALLBOARD_", "XDG_")
_UNWANTED = ("PYTHONDONTWRITEBYTECODE", "TEXTUAL_FPS")
_HOME = TemporaryDirectory(prefix="callboard-bench-", ignore_cleanup_errors=True)


@dataclass
class Row:
    """One row of the table: its name, its goal, and the ratios of all rounds."""

    what: str
    goal: str
    ratios: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        low, high = min(self.ratios), max(self.ratios)
        noisy = ", *noisy*" if high > CALM * low else ""
        return f"| {self.what} | {statistics.median(self.ratios):.2f} ({low:.2f}–{high:.2f}){noisy} | {self.goal} |"


def at_home(folder: str) -> dict[str, str]:
    """This program's environment with another home and without the user's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OWN) and name not in _UNWANTED}
    return kept | {"HOME": folder}


def process_time(*command: str) -> float:
    """The seconds that a command takes as a process, in a home that earlier commands used."""
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=at_home(_HOME.name), check=True, capture_output=True)
    return time.perf_counter() - started


def as_table(rows: Sequence[Row]) -> str:
    """Rows as Markdown."""
    return "\n".join(["| what | median (least–most) | goal |", "|---|---|---|", *map(str, rows)])
