"""What a check found out about an object: its facts, whether its rule holds, its companions, and the differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from registry.changes.facts import Fact
from registry.changes.reads import ReadResult
from registry.changes.steps import Check, Companion, Difference
from registry.references.targets import words_for

Verdict = Literal["looking", "go", "refuse", "unknown"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The results of checking an object before it is deleted or changed.

    Attributes:
        type: its object type.
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

    type: str
    id: str
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
