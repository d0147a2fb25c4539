"""A second person's approval: requested before a deletion of live data if the account's rule is ``approve``.

The request goes into a table of the team's server, and the change waits. When another person has approved it, the object is
checked again. The code that sends the change (`registry.calling.client`) uses up the approval itself, for exactly the call
that it sends: without an approval, for another call or object, or if the server cannot be reached, nothing is sent.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from registry.accounts.consent import NotAllowed
from registry.engine.presenter import Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from registry.accounts.consent import Gate
    from registry.calling.access import PlannedChange
    from registry.calling.sending import Sleep
    from registry.changes.check_result import CheckResult
    from registry.engine.presenter import Presenter, Question
    from registry.team.approvals import Approvals, Asked

_EVERY = 2.0
"""Seconds between two checks for an answer."""

_LEAVING = 3.0
_MOST_LINES, _LONGEST = 40, 400


class SecondPerson:
    """Requests approvals, and uses them.

    Args:
        approvals: returns the table of requests; raises `ServerUnavailable`. Blocks.
        policy: decides what may be sent.
        sleep: how to wait between two checks.
    """

    def __init__(self, approvals: Callable[[], Approvals], policy: Gate, sleep: Sleep = asyncio.sleep) -> None:
        self._open = approvals
        self._policy = policy
        self._sleep = sleep
        self._approved: dict[str, str] = {}

    async def ask(self, question: Question, presenter: Presenter, stop: asyncio.Event | None) -> str:
        """Request approval and wait; returns why it is not approved, empty if it is. Cancelling withdraws the request."""
        from registry.team.approvals import LASTS, ApprovalRefused
        from registry.team.server import ServerUnavailable

        digest = await asyncio.to_thread(digest_of, question.checking.planned)
        try:
            approvals = await asyncio.to_thread(self._open)
            request = await approvals.ask(digest, approval_facts(question, question.checking.result))
        except (ServerUnavailable, ApprovalRefused) as error:
            return f"No second person could be asked: {error}"
        why = "The request was withdrawn."
        answer = asyncio.create_task(self._answer(approvals, request, LASTS))
        ways = {answer, asyncio.create_task(_shown(presenter, Waiting(request, LASTS, question)))}
        ways |= {asyncio.create_task(_stopped(stop))} if stop is not None else set()
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            why = answer.result() if answer.done() else why
        finally:
            for one in ways:
                one.cancel()
            await asyncio.shield(_over(approvals, request, digest, withdrawn=bool(why)))
        if not why:
            self._approved[digest] = request
        return why

    async def _answer(self, approvals: Approvals, request: str, seconds: float) -> str:
        """Why it is not approved; empty if it is."""
        from registry.team.approvals import ApprovalRefused
        from registry.team.server import ServerUnavailable

        missing = ""
        for _ in range(int(seconds / _EVERY) + 1):
            try:
                found, missing = await approvals.find(request), ""
            except (ServerUnavailable, ApprovalRefused) as error:  # a standby server may not have the request yet
                missing = str(error)
            else:
                if found.state == "approved":
                    return ""
                if found.state != "waiting":
                    return f"{_by(found)} has refused it." if found.state == "refused" else f"The request is {found.state}."
            await self._sleep(_EVERY)
        return missing or "The request has expired: nobody has answered it."

    async def take(self, planned: PlannedChange) -> None:
        """Use up the approval of exactly this change. See `registry.calling.access.TakeApproval`.

        Raises:
            NotAllowed: there is no approval, or the server cannot be used; nothing was sent.
        """
        from registry.team.approvals import ApprovalRefused
        from registry.team.server import ServerUnavailable

        decision = self._policy.decide(planned.tool, planned.connection)
        digest = await asyncio.to_thread(digest_of, planned)
        request = self._approved.pop(digest, None)
        reason = "No second person has approved exactly this call; it or its object may have changed since."
        if request is not None:
            try:
                await (await asyncio.to_thread(self._open)).end(request, digest, used=True)
            except (ApprovalRefused, ServerUnavailable) as error:
                reason = f"The second person's approval could not be used: {error}"
            else:
                return
        raise NotAllowed(planned.tool.name, replace(decision, reason=reason, way_out="Ask for it again."))


async def _shown(presenter: Presenter, waiting: Waiting) -> None:
    await presenter.wait(waiting)


async def _stopped(stop: asyncio.Event) -> None:
    await stop.wait()


async def _over(approvals: Approvals, request: str, digest: str, *, withdrawn: bool) -> None:
    """Withdraw a request that nobody waits for any more. If the server cannot be reached, it expires by itself."""
    from registry.team.approvals import ApprovalRefused
    from registry.team.server import ServerUnavailable

    if withdrawn:
        with suppress(ServerUnavailable, ApprovalRefused, TimeoutError):
            async with asyncio.timeout(_LEAVING):
                await approvals.end(request, digest, used=False)


def digest_of(planned: PlannedChange) -> str:
    """A fingerprint of a call: the tool, its arguments, the account and its credential, and what the check read. Blocks."""
    from registry.calling.exact_json import dumps
    from registry.journal.audit import place_of

    tool, connection = planned.tool, planned.connection
    values = {name: planned.arguments.values[name] for name in sorted(planned.arguments.values)}
    place = place_of(connection.endpoint(tool.toolkit))
    fields = ("callboard-approval-1", tool.toolkit, tool.name, dumps(values), connection.name, place, planned.seen)
    parts = [field.encode("utf-8", "surrogatepass") for field in fields]
    return hashlib.sha256(b"".join(b"%d:%b," % (len(one), one) for one in parts)).hexdigest()


def approval_facts(question: Question, result: CheckResult) -> dict[str, Any]:
    """The change as shown to the other person, secrets redacted."""
    from registry.changes.check_lines import lines
    from registry.text.safe_text import shortened, visible_line

    found = [shortened(line.text, _LONGEST) for line in lines(result, question.tool)]
    hide = question.connection.endpoint(question.tool.toolkit).hide
    facts = {
        "tool": question.tool.name,
        "summary": question.tool.summary.rstrip("."),
        "subject": shortened(visible_line(question.subject), _LONGEST),
        "account": question.connection.title,
        "mode": question.mode,
        "found": found[:_MOST_LINES],
        "request": shortened(f"{question.preview.method} {question.preview.url}", _LONGEST),
    }
    return {
        name: [_hidden(hide, one) for one in value] if isinstance(value, list) else _hidden(hide, str(value))
        for name, value in facts.items()
    }


def _hidden(hide: Callable[[bytes], bytes], text: str) -> str:
    return hide(text.encode("utf-8", "backslashreplace")).decode("utf-8", "replace")


def _by(found: Asked) -> str:
    from registry.text.safe_text import visible_line

    return visible_line(found.by) or "Somebody"
