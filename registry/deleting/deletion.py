"""Deleting once, and finding out what became of it.

Every door deletes through here. A deletion is sent once and never repeated. When its answer was lost, what became of it is
found out by reading: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from registry.calling.result import Result
from registry.calling.sending import Observer
from registry.catalog.model import Tool
from registry.connections.policy import Consent
from registry.deleting.reads import Call, Reads
from registry.text import visible_line

Became = Literal["deleted", "refused", "still there", "unknown"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a deletion.

    Attributes:
        became: ``deleted``; ``refused`` (the service said no); ``still there`` or ``unknown`` (after a lost answer).
        words: that in a sentence, with the way to find out where it is unknown.
        result: the deletion's own result; None when it was cut off.
        by_reading: whether it was found out by reading, because the answer was lost.
    """

    became: Became
    words: str
    result: Result | None
    by_reading: bool = False


async def delete(
    reads: Reads,
    tool: Tool,
    arguments: Mapping[str, object],
    consent: Consent,
    before: bytes | None = None,
    observer: Observer | None = None,
) -> Outcome:
    """Delete what a tool is about.

    Args:
        reads: gives the client, the connection, and the reads that find out what became of it.
        tool: the deletion.
        arguments: its arguments.
        consent: how far the user has agreed.
        before: the object as it was, for the account of changes.
        observer: is told how the call gets on.

    Raises:
        ArgumentError: something is wrong with the arguments; nothing was sent.
        NotAllowed: the policy does not let it through; nothing was sent.
    """
    # Where it can be read is found out beforehand: afterwards what leads there may be gone.
    retrieval = await reads.retrieval(tool, arguments)
    result = await reads.client.call(tool, arguments, reads.connection, observer=observer, consent=consent, before=before)
    if result.failure is None:
        return Outcome("deleted", "It is deleted.", result)
    if result.status is not None and result.status < 500:
        if result.status == 404:
            return Outcome("refused", "It was not there: it was deleted before, or never existed.", result)
        return Outcome("refused", result.failure.cause, result)
    return await aftermath(reads, retrieval, result)


async def aftermath(reads: Reads, retrieval: Call | None, result: Result | None) -> Outcome:
    """What became of a deletion whose answer never came, by reading what it was about."""
    if retrieval is None:
        return Outcome("unknown", "The answer was lost, and no tool reads what was to be deleted.", result, True)
    tool, arguments = retrieval
    answer = await reads.read(tool, arguments)
    if answer.gone or (answer.json is None and not answer.problem):
        return Outcome("deleted", "The answer was lost. A look afterwards shows that it is deleted.", result, True)
    if answer.problem:
        asked = ", ".join(f"{name} {visible_line(str(value))}" for name, value in arguments.items())
        words = f"The answer was lost, and looking failed as well ({answer.problem}). {tool.name} with {asked} tells later."
        return Outcome("unknown", words, result, True)
    return Outcome("still there", "The answer was lost. A look afterwards shows that it is still there.", result, True)
