"""The rows of the table that ``make bench`` prints, and the time that a command takes."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from tests.terminal import ROOT

HEADLINES = (
    "callboard call Whoami, whole process, × importing httpx",
    "first frame with all tools, × a bare Textual app",
    "page down, 100 MB × 1.1 MB",
    "find the last element of 100 MB, × vim",
    "fetch all, objects/s at 0 ms, × `stripe` auto_paging_iter",
)
"""The rows that the README shows."""

_WHY = 200
"""How much of an error is shown, in characters."""

CALM = 1.3
"""If a row's largest value divided by its smallest is above this, its median is not reliable."""


_OWN = ("CALLBOARD_", "XDG_")
_HOME = TemporaryDirectory(prefix="callboard-bench-", ignore_cleanup_errors=True)
_UNWANTED = ("PYTHONDONTWRITEBYTECODE", "TEXTUAL_FPS")


@dataclass
class TableRow:
    """One row of the table: its name, its goal, and the ratios of all rounds."""

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
    """One row of the table without a goal, because it depends on the machine."""

    what: str
    text: str

    def __str__(self) -> str:
        return f"| {self.what} | {self.text} | |"


@dataclass
class Failed:
    """The row shown instead of a group that failed."""

    group: str
    error: Exception

    def __str__(self) -> str:
        why = f"{type(self.error).__name__}: {self.error}".replace("|", "/").replace("\n", " ")
        return f"| **{self.group}: not measured** | {why[:_WHY]} | |"


Rows = list[TableRow | Figure | Failed]


def at_home(folder: str) -> dict[str, str]:
    """This program's environment with another home and without the user's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OWN) and name not in _UNWANTED}
    return kept | {"HOME": folder}


def process_time(command: list[str], more: Mapping[str, str] | None = None) -> float:
    """The seconds that a command takes as a process, in a home that earlier commands used.

    `more` is added to its environment.
    """
    environment = at_home(_HOME.name) | dict(more or {})
    started = time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def as_table(rows: Rows) -> str:
    """Rows as Markdown."""
    return "\n".join(["| what | median (least–most) | goal |", "|---|---|---|", *map(str, rows)])
