"""Checks an object before a change: its facts, whether its rule holds, its companions, and the differences.

A check gives no permission and takes none away: it reports the present state. It reports step by step, so that it can be shown
from the first response on. It only reads, and is limited in time: what takes too long is reported as unknown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from registry.catalog.model import Tool
from registry.catalog.properties import properties_of
from registry.changes.checks import Check
from registry.changes.companions import Companion
from registry.changes.declared import declared
from registry.changes.differences import Difference
from registry.changes.facts import Fact, called, facts_of
from registry.changes.reads import ReadResult, Reads
from registry.changes.writing import check_write
from registry.references.knowledge import knowledge
from registry.references.targets import words_for
from registry.text.safe_text import visible_line

Verdict = Literal["looking", "go", "refuse", "unknown"]

PATIENCE = 12.0
"""Seconds after which a check ends with what it has found."""


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

    def stopped(self, why: str) -> CheckResult:
        """The result so far, ended with a reason."""
        return replace(self, problems=(*self.problems, why), complete=True)


Observer = Callable[[CheckResult], None]


async def check(
    reads: Reads,
    tool: Tool,
    arguments: Mapping[str, object],
    observer: Observer | None = None,
    patience: float = PATIENCE,
) -> CheckResult:
    """Check what a tool would delete or change. Only reads; can be cancelled at any time.

    Args:
        reads: the reads, on the connection of the call.
        tool: the tool that deletes or changes something.
        arguments: its checked arguments.
        observer: called with the result as it grows.
        patience: seconds after which it ends with what it has found.
    """
    id_ = str(arguments[tool.subject.name]) if tool.subject is not None else ""
    type_ = tool.returns.objects[0]
    types = knowledge(tool.toolkit).types_by_id(id_)
    progress = _Progress(CheckResult(type_, id_, part=bool(types) and type_ not in types), observer)
    try:
        async with asyncio.timeout(patience):
            await (_check_write if tool.effect == "write" else _check_deletion)(reads, tool, arguments, progress)
    except TimeoutError:
        progress.result = progress.result.stopped(f"The check timed out after {patience:g} s; what is missing here is unknown.")
    progress.tell(complete=True)
    return progress.result


class _Progress:
    """The result so far, reported to an observer. Findings of several steps are reported in the order of the steps."""

    def __init__(self, result: CheckResult, observer: Observer | None) -> None:
        self.result = result
        self._observer = observer
        self._found: dict[tuple[str, int], list[Any]] = {}

    def tell(self, **change: Any) -> None:
        self.result = replace(self.result, **change)
        if self._observer is not None:
            self._observer(self.result)

    async def step(self, part: str, place: int, work: Awaitable[list[Any]]) -> None:
        """Run a step and report what it found, in the order of the steps."""
        self._found[part, place] = await work
        found = [one for key in sorted(self._found) if key[0] == part for one in self._found[key]]
        self.tell(**{part: tuple(found)})


async def _check_deletion(reads: Reads, tool: Tool, arguments: Mapping[str, object], progress: _Progress) -> None:
    steps = declared(tool.toolkit)
    if checks := steps.unread(tool.returns.objects, reads.connection.endpoint(tool.toolkit)):
        progress.tell(checks=tuple(checks))
        return
    retrieval = await reads.retrieval(tool, arguments)
    if retrieval is None:
        progress.tell(problems=("No tool can look up this object, so nothing could be checked.",))
        return
    found = await reads.read_object(retrieval)
    if found.gone:
        progress.tell(gone=True)
        return
    if found.problem:
        progress.tell(problems=(f"Could not load it: {found.problem}",))
        return
    type_ = str(found.members.get("object") or tool.returns.objects[0])
    facts = list(facts_of(found.members, properties_of(tool.toolkit).facts))
    progress.tell(type=visible_line(type_), body=found.body, names=called(found.members), facts=tuple(facts))

    async def further() -> list[Fact]:
        return facts + await steps.facts[type_](found.members, reads)

    async with asyncio.TaskGroup() as group:
        if type_ in steps.facts:
            group.create_task(progress.step("facts", 0, further()))
        for place, condition in enumerate(steps.checks.get(type_, ())):
            group.create_task(progress.step("checks", place, condition(found.members, reads)))
        for place, company in enumerate(steps.companions.get(type_, ())):
            group.create_task(progress.step("companions", place, company(found.members, reads)))


async def _check_write(reads: Reads, tool: Tool, arguments: Mapping[str, object], progress: _Progress) -> None:
    seen = await check_write(reads, tool, arguments)
    progress.tell(
        body=seen.body,
        gone=seen.gone,
        names=called(seen.members),
        facts=facts_of(seen.members, properties_of(tool.toolkit).facts),
        checks=seen.checks,
        companions=seen.companions,
        differences=seen.differences,
        problems=seen.problems,
    )
