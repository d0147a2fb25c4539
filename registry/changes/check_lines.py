"""The lines that show a check, the same on screen and on the command line.

Facts · differences · the rule and whether it holds · companions · what is unknown · what cannot be undone. A broken
condition comes first, in place of the rule, because the change will not be made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from registry.calling.result import Became
from registry.catalog.model import Tool
from registry.changes.check_result import CheckResult

Kind = Literal["fact", "difference", "rule", "holds", "broken", "unknown", "goes along", "none", "final"]

FINAL = "Cannot be undone."
_SIGNS: dict[Kind, str] = {"holds": "✓", "broken": "✗", "unknown": "?", "goes along": "•", "none": "·", "final": "!"}


class Line(NamedTuple):
    """A line: its kind, a short name if it has one, and the words. Safe to show."""

    kind: Kind
    name: str
    words: str

    @property
    def text(self) -> str:
        """The line with its sign, for plain text."""
        return f"{self.name}: {self.words}" if self.name else f"{_SIGNS.get(self.kind, '')} {self.words}".lstrip()


_BECAME: dict[Became | None, str] = {
    "done": "The change was made.",
    "gone": "Not found; nothing was changed.",
    "refused": "Refused; nothing was changed.",
    "not done": "The change was not made.",
}


def became_in_words(became: Became | None) -> str:
    """The outcome of a change, as a sentence; None means unknown."""
    return _BECAME.get(became, "Unknown whether the change was made. callboard audit settle checks it.")


def lines(result: CheckResult, tool: Tool) -> list[Line]:
    """The lines of the result so far."""
    return list(_lines(result, tool))


def _lines(result: CheckResult, tool: Tool) -> Iterator[Line]:
    if result.gone:
        yield Line("broken", "", result.in_the_way)
    for check in result.broken:
        yield Line("broken", "", check.words)
    for name, words in result.facts:
        yield Line("fact", name, words)
    for name, before, after in result.differences:
        yield Line("difference", name, f"{before or 'none'} → {after or 'none'}" if result.body else after or "none")
    if result.complete and result.body and tool.effect == "write" and not result.differences:
        yield Line("none", "", "No changes: all values are already set.")
    if (rule := (tool.rule or "").replace(FINAL, "").strip()) and not result.broken:
        yield Line("rule", "", rule)
    for check in result.checks:
        if check.holds is not False:
            yield Line("holds" if check.holds else "unknown", "", check.words)
    for companion in result.companions:
        if not companion.problem:
            yield Line("goes along" if companion.count else "none", "", companion.words)
    for problem in result.unlearned:
        yield Line("unknown", "", problem)
    if FINAL in (tool.rule or "") and not result.gone and not result.broken:
        yield Line("final", "", "Cannot be undone.")
