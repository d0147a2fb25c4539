"""The lines of the table that ``make bench`` makes, and timing a command."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from dataclasses import dataclass

from tests.terminal import ROOT


@dataclass
class TableRow:
    """One line of the table: what, the goal, the ratios of all rounds."""

    what: str
    goal: str
    ratios: list[float]

    def __str__(self) -> str:
        low, high = min(self.ratios), max(self.ratios)
        return f"| {self.what} | {statistics.median(self.ratios):.2f} ({low:.2f}–{high:.2f}) | {self.goal} |"


def process_time(command: list[str]) -> float:
    """Seconds that a command takes as a whole process."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


@dataclass
class Figure:
    """One line of the table that no goal is set for: it says something about the machine as well."""

    what: str
    text: str

    def __str__(self) -> str:
        return f"| {self.what} | {self.text} | |"
