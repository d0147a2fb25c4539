"""What a check found out about an object: its facts, whether its rule holds, its companions, and the differences.

Its lines are the same on screen and on the command line: facts · differences · the rule and whether it holds · companions ·
what is unknown · what cannot be undone. A broken condition comes first, in place of the rule, because the change will not be
made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from registry.calling.result import Became
from registry.catalog.model import Tool
from registry.changes.facts import Fact
from registry.changes.reads import Items, ReadResult
from registry.references.targets import words_for

Kind = Literal["fact", "difference", "rule", "holds", "broken", "unknown", "goes along", "none", "final"]
FINAL = "Cannot be undone."
_SIGNS: dict[Kind, str] = {"holds": "✓", "broken": "✗", "unknown": "?", "goes along": "•", "none": "·", "final": "!"}
_BECAME: dict[Became | None, str] = {
    "done": "The change was made.",
    "gone": "Not found; nothing was changed.",
    "refused": "Refused; nothing was changed.",
    "not done": "The change was not made.",
}
Verdict = Literal["looking", "go", "refuse", "unknown"]


@dataclass(frozen=True, slots=True)
class Check:
    """One condition of a change: whether it holds (None: unknown), and the same in words."""

    holds: bool | None
    words: str


@dataclass(frozen=True, slots=True)
class Companion:
    """Objects that are deleted too, or affected: a line such as ``3 active subscriptions, $120.00 a month``.

    `count` is None if it is unknown; `problem` says why.
    """

    words: str
    count: int | None = None
    problem: str = ""


class Difference(NamedTuple):
    """Something that will change: its name, its value now and afterwards, each in one line; empty for no value."""

    name: str
    before: str
    after: str


def counted(found: Items, one: str, many: str) -> Companion:
    """A line with the number of found items, or why they could not be counted."""
    if found.problem:
        return Companion(many, problem=f"Could not count {many}: {found.problem}")
    return Companion(in_words(len(found.items), found.more, one, many), len(found.items))


def in_words(count: int, more: bool, one: str, many: str) -> str:
    """A number with its noun: ``1 feature``, ``no features``, ``more than 100 features``."""
    return f"more than {count} {many}" if more else f"1 {one}" if count == 1 else f"{count or 'no'} {many}"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The results of checking an object before it is deleted or changed.

    Attributes:
        type: its object type; a toolkit's own check of a change leaves it, and the id, out.
        id: its id, as given; empty for a new object.
        names: its display names.
        body: the object now, as JSON; empty if it could not be read, or is new.
        gone: whether it does not exist, or not any more.
        facts: what it is.
        checks: whether the tool's rule holds.
        companions: what is affected with it; some only say why this is unknown.
        differences: what a change will change.
        problems: what else is unknown, and why.
        complete: whether the check has finished.
        part: whether the id is that of the object that contains it, as a customer's is for a discount.
    """

    type: str = ""
    id: str = ""
    names: tuple[str, ...] = ()
    body: bytes = b""
    gone: bool = False
    facts: tuple[Fact, ...] = ()
    checks: tuple[Check, ...] = ()
    companions: tuple[Companion, ...] = ()
    differences: tuple[Difference, ...] = ()
    problems: tuple[str, ...] = ()
    complete: bool = False
    part: bool = False

    @property
    def own_id(self) -> str:
        """Its id in responses: a part has its own id, and so has a person who is named by an address; may be empty."""
        own = ReadResult.of(self.body).members.get("id")
        return own if isinstance(own, str) else "" if self.part else self.id

    @property
    def broken(self) -> tuple[Check, ...]:
        """The conditions that are not met."""
        return tuple(check for check in self.checks if check.holds is False)

    @property
    def unlearned(self) -> tuple[str, ...]:
        """What is unknown, and why."""
        return (*self.problems, *(one.problem for one in self.companions if one.problem))

    @property
    def verdict(self) -> Verdict:
        """Whether the change can be made, as far as is known: ``refuse`` if the object is gone or a condition is not met."""
        if self.gone or self.broken:
            return "refuse"
        if not self.complete:
            return "looking"
        return "go" if not self.unlearned and all(check.holds for check in self.checks) else "unknown"

    @property
    def in_the_way(self) -> str:
        """Why the change cannot be made, in words; empty if it can."""
        if self.gone and self.part:
            return f"No {words_for(self.type)} to remove: it may already be gone."
        if self.gone:
            return "Not found: already deleted, or never in this account."
        return " ".join(check.words for check in self.broken)


class Line(NamedTuple):
    """A line: its kind, a short name if it has one, and the words. Safe to show."""

    kind: Kind
    name: str
    words: str

    @property
    def text(self) -> str:
        """The line with its sign, for plain text."""
        return f"{self.name}: {self.words}" if self.name else f"{_SIGNS.get(self.kind, '')} {self.words}".lstrip()


def became_in_words(became: Became | None) -> str:
    """The outcome of a change, as a sentence; None means unknown."""
    return _BECAME.get(became, "Unknown whether the change was made. callboard audit settle checks it.")


def lines(result: CheckResult, tool: Tool) -> Iterator[Line]:
    """The lines of the result so far."""
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
