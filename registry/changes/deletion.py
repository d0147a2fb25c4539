"""Sends a change once, and finds out its outcome; deletes several objects, one by one. The engine calls it for every front end.

A change is never repeated. If its response was lost, reads find out the outcome; it is never guessed.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace as with_fields

from registry.accounts.policy import Consent, NotAllowed, Policy
from registry.calling.arguments import ArgumentError, Arguments, check
from registry.calling.client import Planned, ToolClient
from registry.calling.failures import UNEXPECTED
from registry.calling.result import Became, Failure, Result
from registry.calling.sending import Elicit, Observer
from registry.catalog.model import Tool
from registry.changes.check_result import NOT_FOUND
from registry.changes.checked import ChangeCheck, existing, took_effect, unchanged
from registry.changes.declared import declared
from registry.changes.reads import Call, ReadResult, Reads
from registry.journal.audit import Audit
from registry.text.shown import visible_line

_MARKS = ("deleted", "archived", "is_deleted", "isDeleted", "is_archived", "isArchived")
_TIMES = ("deleted_at", "deletedAt", "archived_at", "archivedAt")
_OVER = frozenset({"deleted", "archived", "removed", "canceled", "cancelled"})


def _marked_deleted(members: Mapping[str, Any]) -> bool:
    """Whether an object has a mark of deletion, as in services that keep deleted objects."""
    marked = any(members.get(name) is True for name in _MARKS) or any(members.get(name) for name in _TIMES)
    return marked or any(str(members.get(name)).lower() in _OVER for name in ("status", "state"))


Value = TypeVar("Value")

_NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "InvalidURL", "UnsupportedProtocol")
_STOPPED = "Stopped"
_STOPPED_EARLY = "Nothing was sent: it was stopped while the object was read."
_SECOND_LOOK = 2.0
"""Seconds before an object is read again if a change seems not made: the service may still be working on it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a change.

    Attributes:
        became: ``done``; ``gone`` (the object no longer existed); ``refused`` (the service refused it, or would have);
            after a lost response also ``not done`` (it is still there, or as before) or ``unknown``.
        words: the same in a sentence or two; for ``unknown``, with the way to find out.
        result: the call's own result; if it was cut off, one that says so; None if nothing was sent.
        by_reading: whether reads found out the outcome, because the response was lost.
        final: whether further reads would say the same.
    """

    became: Became
    words: str
    result: Result | None = None
    by_reading: bool = False
    final: bool = True

    @property
    def result_to_show(self) -> Result | None:
        """The result to show, completed with what was found out after the response."""
        if self.result is None:
            return None
        result = replace(self.result, became=self.became)
        failure = result.failure
        if failure is None or not (self.by_reading or self.became == "gone"):
            return result
        if self.became != "done":
            return replace(result, failure=with_fields(failure, next_step=self.words))
        return replace(result, failure=None, body=b"", notes=(*result.notes, self.words))


async def carry_out(
    checking: ChangeCheck,
    consent: Consent,
    policy: Policy,
    audit: Audit,
    *,
    observer: Observer | None = None,
    elicit: Elicit | None = None,
    stop: asyncio.Event | None = None,
) -> Outcome:
    """Send a checked change, once, and find out its outcome; setting `stop` cancels the request.

    Raises:
        NotChecked: the check has not ended, or it was used before; nothing was sent.
        NotAllowed: the policy does not allow it; nothing was sent.
    """
    reads, tool, arguments, before = checking.reads, checking.tool, checking.values, checking.result.body
    policy.check(tool, reads.connection, consent)
    checking.use()
    at = time.time()

    async def prepare() -> tuple[Call | None, bytes]:
        # Find out now how to read the object: after the change, the objects that lead to it may be gone.
        found = await reads.retrieval(tool, arguments) if tool.subject is not None else None
        return found, before or (b"" if found is None else (await reads.read_object(found)).body)

    prepared = await unless_stopped(asyncio.create_task(prepare()), stop)
    if prepared is None or (stop is not None and stop.is_set()):
        stopped = _stopped(tool, reads, arguments, at, _STOPPED_EARLY, "Run it again to make the change.")
        return Outcome("not done", _STOPPED_EARLY, stopped)
    retrieval, before = prepared
    at, cause = time.time(), "The request was stopped while it was in progress; the change may have been made."
    planned = tool, Arguments(arguments), reads.connection
    entry, result = await send(reads.client, planned, audit, before, retrieval, observer=observer, elicit=elicit, stop=stop)
    result = result or _stopped(tool, reads, arguments, at, cause, "Check before you run it again.")
    failure, status = result.failure, result.status
    if failure is None:
        return Outcome("done", "Deleted." if tool.effect == "delete" else "Done.", result)
    if status in (404, 410) and tool.effect == "delete":
        return Outcome("gone", NOT_FOUND, result)
    answered = status is not None and 400 <= status < 500 and status != 408
    # A service that refuses without such a status is an MCP server; what is refused otherwise was not sent.
    if answered or failure.kind == "refused" or (failure.kind == "service" and (status or 0) < 300):
        return Outcome("refused", visible_line(failure.cause), result)
    if never_sent := status is None and failure.type in _NEVER_SENT:
        found = Outcome("not done", f"Not sent. {visible_line(failure.cause)}")
    else:
        lost = "The response does not show whether the change was made."
        if status is None:
            lost = "The request was stopped." if failure.title == _STOPPED else "The response was lost."
        elif failure.title == UNEXPECTED:
            lost = failure.cause
        found = await find_out(reads, tool, arguments, retrieval, before, lost)
    hide = reads.connection.endpoint(tool.toolkit).hide  # an argument may be a misplaced credential
    if entry is not None:
        await asyncio.to_thread(audit.settle, entry, found.became, hide(found.words.encode()).decode(), found.final)
    return replace(found, result=result, by_reading=not never_sent)


async def send(
    client: ToolClient,
    planned: Planned,
    audit: Audit,
    before: bytes,
    retrieval: Call | None,
    *,
    observer: Observer | None = None,
    elicit: Elicit | None = None,
    stop: asyncio.Event | None = None,
) -> tuple[int | None, Result | None]:
    """Send a change, recorded in the audit log before and after; its entry there, and its result, None if `stop` cancelled it.

    `before` is the object as it is now, as JSON, and `retrieval` how it can be read.
    """
    result = None
    lookup = (retrieval[0].name, retrieval[1]) if retrieval is not None else None
    entry = await asyncio.to_thread(audit.begin, *planned, before or None, lookup)
    try:
        result = await unless_stopped(asyncio.create_task(client.change(planned, observer, elicit)), stop)
        return entry, result
    finally:
        # A cancelled call is recorded as well, so recording must not be cancelled.
        await asyncio.shield(asyncio.to_thread(audit.finish, entry, result))


async def unless_stopped(call: asyncio.Task[Value], stop: asyncio.Event | None) -> Value | None:
    """The result of a call or of reads, or None if `stop`, when it was set, cancelled it."""
    stopped = asyncio.create_task(stop.wait()) if stop is not None else None
    try:
        await asyncio.wait({call, stopped} if stopped is not None else {call}, return_when=asyncio.FIRST_COMPLETED)
        if call.done():
            return call.result()
        call.cancel()
        await asyncio.wait({call})
        return None if call.cancelled() else call.result()
    finally:
        call.cancel()
        if stopped is not None:
            stopped.cancel()


def _stopped(tool: Tool, reads: Reads, arguments: Mapping[str, object], at: float, cause: str, way: str) -> Result:
    failure = Failure("connection", _STOPPED, cause, way)
    elapsed = time.time() - at
    return Result(tool.name, reads.connection.name, None, elapsed=elapsed, failure=failure, arguments=dict(arguments), at=at)


async def find_out(
    reads: Reads,
    tool: Tool,
    arguments: Mapping[str, object],
    retrieval: Call | None,
    before: bytes,
    lost: str,
) -> Outcome:
    """The outcome of a change without a response, found out by reading its object: ``done``, ``not done`` or ``unknown``.

    Args:
        reads: the reads, on the connection of the change.
        tool: the tool that deletes or changes something.
        arguments: its checked arguments.
        retrieval: how to read the object; None if no tool can.
        before: the object before the change, as JSON; empty if unknown.
        lost: why the outcome is unknown, as a sentence.
    """
    deletes, start = tool.effect == "delete", lost.removesuffix(".")
    is_done, still = ("it was deleted", "it still exists") if deletes else ("the change was made", "the change was not made")
    finding = declared(tool.toolkit).finding_new.get(tool.own_name)
    call = visible_line(f"{finding.tool} with {finding.words}") if finding is not None else ""
    if retrieval is not None:
        read_by, known = retrieval
        call = f"{read_by.name} with " + ", ".join(f"{name} {visible_line(str(value))}" for name, value in known.items())
    next_step = f"Check later with {call}." if call else "Look at the service itself before you run it again."
    if deletes and retrieval is None:
        return Outcome("unknown", f"{start}, and no tool can look up this object. Unknown whether it was deleted.")
    if not deletes and took_effect(tool, arguments, {}) is None:
        return Outcome("unknown", f"{start}, and the object does not show whether the change was made. {next_step}")
    was = ReadResult.of(before).members
    for waited in (0.0, _SECOND_LOOK):
        if waited:
            await reads.sleep(waited)
        found = await reads.read_object(retrieval) if retrieval is not None else await existing(reads, tool, arguments)
        if found.json is not None and not found.gone and was.get("id") is not None and found.members.get("id") is None:
            found = ReadResult(problem="the response is another object or a list")
        if problem := found.problem:
            return Outcome("unknown", f"{start}, and checking failed too ({problem}). {next_step}", final=False)
        # It is gone or marked as deleted, even if another of its kind has replaced it.
        is_gone = found.gone or found.json is None or (_marked_deleted(found.members) and not _marked_deleted(was))
        is_gone = is_gone or (was.get("id") is not None and found.members.get("id") != was["id"])
        if is_gone if deletes else not found.gone and took_effect(tool, arguments, found.members):
            return Outcome("done", f"{lost} A check confirms that {is_done}.")
    if not deletes and before and not found.gone and not unchanged(tool, arguments, was, found.members):
        return Outcome(
            "unknown", f"{lost} A check shows neither the old nor the new values: someone else has changed it since."
        )
    words = f"{lost} Two checks, {_SECOND_LOOK:g} s apart, show that {still}. The request was not repeated."
    return Outcome("not done", words)


OnSurprise = Literal["stop", "go on"]


class Deleted(Struct, frozen=True):
    """One of several: its arguments and its outcome; None if it was not tried."""

    arguments: Mapping[str, object]
    outcome: Outcome | None = None


Progress = Callable[[Sequence[Deleted]], None]


async def delete_many(
    reads: Reads,
    tool: Tool,
    items: Sequence[Mapping[str, object]],
    consent: Consent,
    policy: Policy,
    audit: Audit,
    *,
    on_surprise: OnSurprise = "stop",
    progress: Progress | None = None,
    stop: asyncio.Event | None = None,
) -> list[Deleted]:
    """Delete one object after the other.

    Objects that are gone already, or whose rule is broken, are not sent. Every deletion that was not done is a surprise.

    `progress` is called with the outcomes so far, in the order of the items, after each deletion; setting `stop` cancels the
    current deletion and starts no other.

    Raises:
        NotAllowed: the policy does not allow the first one; nothing was sent.
    """
    policy.check(tool, reads.connection, consent)
    account = [Deleted(one) for one in items]
    for place, item in enumerate(items):
        if stop is not None and stop.is_set():
            break
        outcome = await _delete(reads, tool, item, partial(carry_out, consent=consent, policy=policy, audit=audit, stop=stop))
        account[place] = Deleted(item, outcome)
        if progress is not None:
            progress(tuple(account))
        if outcome.became != "done" and on_surprise == "stop":
            break
    return account


async def _delete(
    reads: Reads, tool: Tool, item: Mapping[str, object], delete: Callable[[ChangeCheck], Awaitable[Outcome]]
) -> Outcome:
    try:
        checking = ChangeCheck(reads, tool, check(tool, item, reads.client.clock()))
    except ArgumentError as error:
        return Outcome("refused", "; ".join(str(one) for one in error.errors), None)
    seen = await checking.run()
    if seen.verdict == "refuse":
        return Outcome("gone" if seen.gone else "refused", seen.in_the_way, None)
    try:
        return await delete(checking)
    except NotAllowed as refusal:
        # Changes to live data were allowed for a time that has run out.
        return Outcome("refused", refusal.decision.reason, None)
