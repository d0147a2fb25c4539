"""The lines of the table that ``make bench`` makes, and timing a command."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from dataclasses import dataclass

from tests.terminal import ROOT

HEADLINES = (
    "callboard call Whoami, whole process, × importing httpx",
    "first frame with all tools, × a bare Textual app",
    "page down, 100 MB × 1.1 MB",
    "find the last element of 100 MB, × vim",
    "fetch all, objects/s at 0 ms, × `stripe` auto_paging_iter",
)
"""The rows that the README shows."""

CALM = 1.3
"""The largest ratio of the most to the least of a row whose median says something."""


@dataclass
class TableRow:
    """One line of the table: what, the goal, the ratios of all rounds."""

    what: str
    goal: str
    ratios: list[float]

    @property
    def noisy(self) -> bool:
        """Whether its rounds differ too much to judge it."""
        return max(self.ratios) > CALM * min(self.ratios)

    def __str__(self) -> str:
        low, high = min(self.ratios), max(self.ratios)
        noisy = ", *noisy*" if self.noisy else ""
        return f"| {self.what} | {statistics.median(self.ratios):.2f} ({low:.2f}–{high:.2f}){noisy} | {self.goal} |"


@dataclass
class Figure:
    """One line of the table that no goal is set for: it says something about the machine as well."""

    what: str
    text: str

    def __str__(self) -> str:
        return f"| {self.what} | {self.text} | |"


Rows = list[TableRow | Figure]


def process_time(command: list[str]) -> float:
    """Seconds that a command takes as a whole process."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def as_table(rows: Rows) -> str:
    """Rows as Markdown."""
    return "\n".join(["| what | median (least–most) | goal |", "|---|---|---|", *map(str, rows)])
