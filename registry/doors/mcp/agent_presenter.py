"""Asks a person before a change: the user of the agent's client, and the user of a running explorer."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from registry.accounts.consent import Consent
from registry.calling.sending import Observer
from registry.changes.check_lines import FINAL, lines
from registry.changes.check_result import CheckResult
from registry.doors.mcp.asking import ALLOW, LONGEST, MOST_LINES, PATIENCE, TYPED, Asked, Asker, Reply, asked_of, refusal_in
from registry.engine import AgentAnswer, Engine, Question, RequestedChange, Unattended
from registry.journal.errors import JournalError
from registry.text.safe_text import shortened, visible_line

LOOK_AGAIN = 0.25
"""Seconds between two checks for an answer."""

_TELL_AFTER = 40
"""Checks after which the client is told that its call is still running."""


async def posted(engine: Engine, question: Question, result: CheckResult, asked: Asked, client: str, reason: str) -> int | None:
    """Store a question; returns its number, None if it cannot be stored or too many wait already.

    It is removed again if the call is cancelled meanwhile.
    """
    change = _requested(question, result, client, reason)
    hide = question.connection.endpoint(question.tool.toolkit).hide
    requests = engine.agent_requests
    posting = asyncio.create_task(asyncio.to_thread(requests.post, change, asked.call, asked.digest, PATIENCE, hide))
    try:
        return await asyncio.shield(posting)
    except JournalError:
        return None  # the client is asked anyway
    except asyncio.CancelledError:
        with suppress(JournalError):
            if (number := await posting) is not None:
                await asyncio.to_thread(requests.end, number)
        raise


class InExplorer:
    """A question that is stored for explorers.

    Args:
        engine: stores it.
        number: the question's number.
    """

    def __init__(self, engine: Engine, number: int) -> None:
        self._requests, self._number = engine.agent_requests, number

    async def first_reply(self, asker: Asker, asked: Asked) -> Reply | None:
        """Also ask the client, if it can; the first answer. None if the client has to call again with it."""
        explorer = asyncio.create_task(self._answered(asker))
        client = asyncio.create_task(asker.ask(asked)) if asker.able else None
        tasks = {explorer} if client is None else {explorer, client}
        leaves = False
        reply: Reply | None = None
        answer: AgentAnswer | None = None
        try:
            await asyncio.wait(tasks, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
            reply = Reply("cancel" if explorer.done() else "timeout")
            if client is not None and client.done():
                reply = client.result()
            leaves = reply is None and not await self._is_answered()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if not leaves:
                with suppress(JournalError):  # the file cannot be used any more, so only the client's answer counts
                    answer = await asyncio.to_thread(self._requests.end, self._number)
        if answer is None or (reply is not None and reply.action == "decline"):
            return reply
        asker.answered_in_explorer()
        return _reply(answer)

    async def _answered(self, asker: Asker) -> None:
        looks = 0
        while not await self._is_answered():
            looks += 1
            if looks % _TELL_AFTER == 0:
                asker.tell("a person is asked in the explorer")
            await asyncio.sleep(LOOK_AGAIN)

    async def _is_answered(self) -> bool:
        with suppress(JournalError):
            return await asyncio.to_thread(self._requests.peek, self._number)
        return False


def _requested(question: Question, result: CheckResult, client: str, reason: str) -> RequestedChange:
    tool, preview = question.tool, question.preview
    found = [(line.kind, line.name, shortened(line.words, LONGEST)) for line in lines(result, tool) if line.kind != "final"]
    if len(found) > MOST_LINES:
        found[MOST_LINES:] = [("none", "", f"… and {len(found) - MOST_LINES} more lines")]
    return RequestedChange(
        at=time.time(),
        client=client,
        tool=tool.name,
        effect=tool.effect,
        summary=tool.summary.rstrip("."),
        subject=shortened(visible_line(question.subject), LONGEST),
        account=question.connection.title,
        mode=question.mode,
        reason=shortened(visible_line(reason), LONGEST),
        names=question.names if question.typed else (),
        final=FINAL in (tool.rule or ""),
        sure=result.verdict == "go",
        found=tuple(found),
        method=preview.method,
        url=preview.url,
        body=shortened(preview.body, 4 * LONGEST) if preview.body is not None else None,
    )


def _reply(answer: AgentAnswer) -> Reply:
    if answer.allowed:
        return Reply("accept", {ALLOW: True, TYPED: answer.typed})
    return Reply("decline", note=answer.note)


class AgentPresenter(Unattended):
    """Asks the user of an agent's client.

    Args:
        engine: stores questions for running explorers.
        asker: sends the question to the client.
        reason: why the agent wants the change, in its words.
        observer: called with the progress of the call.

    Attributes:
        asked: the question, once there is one.
        refusal: why the change is not allowed, in words; empty if it is allowed.
        pending: whether the client has to call again with the answer.
        may_be_sent: whether the change was allowed.
    """

    def __init__(self, engine: Engine, asker: Asker, reason: str, observer: Observer | None = None) -> None:
        super().__init__(observer)
        self._engine, self._asker, self._reason = engine, asker, reason
        self.asked: Asked | None = None
        self.refusal = ""
        self.pending = self.may_be_sent = False

    async def consent(self, question: Question) -> Consent | None:
        """The person's answer. If the check shows that the change would fail, nobody is asked."""
        result = await question.check()
        if result.verdict == "refuse":
            return None
        self.asked = asked_of(question, result, self._asker.client, self._reason)
        reply = await self._reply(question, result, self.asked)
        if reply is None:
            self.pending = True
            return None
        self.refusal = refusal_in(question, reply)
        self.may_be_sent = not self.refusal
        if self.refusal:
            return None
        return Consent.TYPED if question.typed else Consent.CONFIRMED

    async def _reply(self, question: Question, result: CheckResult, asked: Asked) -> Reply | None:
        number = await posted(self._engine, question, result, asked, self._asker.client, self._reason)
        if number is not None:
            return await InExplorer(self._engine, number).first_reply(self._asker, asked)
        return await self._asker.ask(asked) if self._asker.able else Reply("unasked")
