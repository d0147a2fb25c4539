"""Looking before a deletion: what it is, whether its rule holds, and what goes with it.

A look gives no permission and takes none: it tells what can be seen now. It is told step by step, so that whoever shows it can
begin with the first answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from registry.catalog.model import Tool
from registry.deleting.checks import CHECKS, Check
from registry.deleting.companions import COMPANIONS, Companion
from registry.deleting.facts import Fact, facts_of
from registry.deleting.reads import Answer, Reads

Verdict = Literal["looking", "go", "refuse", "unknown"]


@dataclass(frozen=True, slots=True)
class Look:
    """What is known of an object that is to be deleted.

    Attributes:
        type: its object type.
        id: its id, as it was given.
        body: the object as it is now, as JSON; empty when it could not be read.
        gone: whether it is not there (any more).
        facts: what it is.
        checks: whether the tool's rule holds.
        companions: what goes with it.
        problems: what could not be learned, and why.
        complete: whether everything was looked at.
    """

    type: str
    id: str
    body: bytes = b""
    gone: bool = False
    facts: tuple[Fact, ...] = ()
    checks: tuple[Check, ...] = ()
    companions: tuple[Companion, ...] = ()
    problems: tuple[str, ...] = ()
    complete: bool = False

    @property
    def broken(self) -> tuple[Check, ...]:
        """What stands in the way."""
        return tuple(check for check in self.checks if check.holds is False)

    @property
    def verdict(self) -> Verdict:
        """Whether it can be deleted, as far as can be seen: ``refuse`` when it is gone or a rule is visibly broken."""
        if self.gone or self.broken:
            return "refuse"
        if not self.complete:
            return "looking"
        return "go" if self.body and all(check.holds for check in self.checks) else "unknown"


@dataclass
class _Progress:
    """The look so far, and who is told of it."""

    look: Look
    observer: Callable[[Look], None] | None
    problems: list[str] = field(default_factory=list)

    def tell(self, **change: Any) -> None:
        self.look = replace(self.look, problems=tuple(self.problems), **change)
        if self.observer is not None:
            self.observer(self.look)


async def look(
    reads: Reads,
    tool: Tool,
    arguments: Mapping[str, object],
    observer: Callable[[Look], None] | None = None,
) -> Look:
    """Look at what a deletion would delete. Reads only; can be cancelled at any time.

    Args:
        reads: the reads, on the connection that the deletion would go through.
        tool: the deletion.
        arguments: its arguments, checked.
        observer: is told the look as it grows.
    """
    id_ = str(arguments[tool.subject.name]) if tool.subject is not None else ""
    progress = _Progress(Look(tool.returns.objects[0], id_), observer)
    retrieval = await reads.retrieval(tool, arguments)
    if retrieval is None:
        progress.problems.append("No tool reads it, so nothing can be told about it.")
        progress.tell(complete=True)
        return progress.look
    answer = await reads.read(*retrieval)
    if answer.problem:
        progress.problems.append(f"It could not be read: {answer.problem}")
    type_ = str(answer.members.get("object") or tool.returns.objects[0])
    if answer.gone:
        progress.tell(gone=True, complete=True)
        return progress.look
    progress.tell(type=type_, body=answer.body, facts=facts_of(answer.members))
    if answer.members:
        await _further(reads, answer, progress)
    progress.tell(complete=True)
    return progress.look


async def _further(reads: Reads, answer: Answer, progress: _Progress) -> None:
    """Checks and companions side by side; each is told as it comes, in the order in which they are listed."""
    type_ = progress.look.type

    async def check(step: Callable[..., Any]) -> None:
        found = await step(answer.members, reads)
        progress.tell(checks=(*progress.look.checks, *found))

    async def count(step: Callable[..., Any]) -> None:
        found = await step(answer.members, reads)
        progress.problems += [companion.problem for companion in found if companion.problem]
        progress.tell(companions=(*progress.look.companions, *(one for one in found if not one.problem)))

    async with asyncio.TaskGroup() as group:
        for condition in CHECKS.get(type_, ()):
            group.create_task(check(condition))
        for company in COMPANIONS.get(type_, ()):
            group.create_task(count(company))
