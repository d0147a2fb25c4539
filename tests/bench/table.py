"""The rows of the table that ``make bench`` prints."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

CALM = 1.3  # if a row's largest value divided by its smallest is above this, its median is not reliable


@dataclass
class Row:
    """One row of the table: its name, its goal, and the ratios of all rounds, ours and those of a peer in the same rounds."""

    what: str
    goal: str
    peer: str = ""
    ratios: list[float] = field(default_factory=list)
    peers: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        low, high = min(self.ratios), max(self.ratios)
        noisy = ", *noisy*" if high > CALM * low else ""
        peer = f"{self.peer} {statistics.median(self.peers):.2f}" if self.peers else "–"
        return f"| {self.what} | {statistics.median(self.ratios):.2f} ({low:.2f}–{high:.2f}){noisy} | {self.goal} | {peer} |"


def as_table(rows: Sequence[Row]) -> str:
    """Rows as Markdown."""
    head = ["| what | today: median (least–most) | goal | peer |", "|---|---|---|---|"]
    return "\n".join([*head, *map(str, rows)])
