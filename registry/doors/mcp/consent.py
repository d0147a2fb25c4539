"""Asks a person before a change: the user of the agent's client, and the user of a running explorer.

The question contains the facts of the check and nothing that the agent claims, except its reason, which is marked as such.
An answer counts only for the question as asked: if the facts have changed meanwhile, the person is asked again.
"""

import asyncio
import hashlib
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from registry.accounts.policy import Consent
from registry.calling.sending import Observer
from registry.changes.check_result import FINAL, CheckResult, lines
from registry.engine import Engine, Presenter, Question, RequestedChange
from registry.journal.store import JournalError
from registry.text.shown import shortened, visible_line

PATIENCE = 300.0
"""Seconds to answer a question; no answer is a refusal."""

_LOOK_AGAIN = 0.25
"""Seconds between two looks for an answer in the explorer."""

_TELL_AFTER = 40
"""Looks after which the client is told that its call is still running."""

ALLOW, TYPED = "allow", "typed_id"
_LONGEST, _MOST_LINES = 300, 40
"""Most characters in a line of the question, and most lines of facts."""


class Asked(NamedTuple):
    """A question to a person, the form of its answer, and fingerprints: of the call, and of that with everything found."""

    message: str
    schema: dict[str, Any]
    call: str
    digest: str


class Reply(NamedTuple):
    """A person's answer: ``accept``, ``decline``, ``cancel`` or ``timeout``, the form's values, and a note to the agent."""

    action: str
    content: Mapping[str, object] | None = None
    note: str = ""


class Asker:
    """Asks the user of a client. This one cannot ask."""

    able = False
    """Whether the client can ask questions."""

    name = "a client"
    """The client's name, safe to show."""

    async def ask(self, asked: Asked) -> Reply | None:
        """The person's answer; None if the client has to call again with it."""
        raise NotImplementedError

    def tell(self, words: str) -> None:
        """Tell the client that its call is still running, and what it waits for."""

    def answered_in_explorer(self) -> None:
        """Note for the audit log that the answer came from an explorer and not from the client."""


class AgentPresenter(Presenter):
    """Asks the user of an agent's client, and the user of a running explorer; the first answer counts.

    `asked` is the question, once there is one, and `refusal` why the change is not allowed. `pending`: the client has to call
    again with the answer.
    """

    def __init__(self, engine: Engine, asker: Asker, reason: str, observer: Observer | None = None) -> None:
        super().__init__(observer)
        self._requests, self._asker, self._reason = engine.agent_requests, asker, reason
        self.asked: Asked | None = None
        self.refusal = ""
        self.pending = self.may_be_sent = False

    async def consent(self, question: Question) -> Consent | None:
        """The person's answer. If the check shows that the change would fail, nobody is asked."""
        result = await question.check()
        if result.verdict == "refuse":
            return None
        self.asked = asked = _asked_of(question, result, self._asker.name, self._reason)
        change = _requested(question, result, self._asker.name, self._reason)
        hide = question.connection.endpoint(question.tool.toolkit).hide
        number = None  # without one, because it cannot be stored or too many wait already, the client is asked anyway
        with suppress(JournalError):
            number = await asyncio.to_thread(self._requests.post, change, asked.call, asked.digest, PATIENCE, hide)
        if number is not None:
            reply = await self._first_reply(number, asked)
        else:
            reply = await self._asker.ask(asked) if self._asker.able else Reply("unasked")
        self.pending = reply is None
        self.refusal = _refusal_in(question, reply) if reply is not None else ""
        self.may_be_sent = reply is not None and not self.refusal
        if not self.may_be_sent:
            return None
        return Consent.TYPED if question.typed else Consent.CONFIRMED

    async def _first_reply(self, number: int, asked: Asked) -> Reply | None:
        """The first answer, of an explorer or of the client. None if the client has to call again with it."""
        explorer = asyncio.create_task(self._answered(number))
        client = asyncio.create_task(self._asker.ask(asked)) if self._asker.able else None
        tasks: set[asyncio.Task[Any]] = {explorer} if client is None else {explorer, client}
        leaves, reply, answer = False, None, None
        try:
            await asyncio.wait(tasks, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
            if client is not None and client.done():
                reply = client.result()
                leaves = reply is None and not await self._is_answered(number)
            else:
                reply = Reply("cancel" if explorer.done() else "timeout")
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if not leaves:
                with suppress(JournalError):  # the file cannot be used any more, so only the client's answer counts
                    answer = await asyncio.to_thread(self._requests.end, number)
        if answer is None or (reply is not None and reply.action == "decline"):
            return reply
        self._asker.answered_in_explorer()
        if answer.allowed:
            return Reply("accept", {ALLOW: True, TYPED: answer.typed})
        return Reply("decline", note=answer.note)

    async def _answered(self, number: int) -> None:
        """Wait until the question is answered in an explorer."""
        looks = 0
        while not await self._is_answered(number):
            looks += 1
            if looks % _TELL_AFTER == 0:
                self._asker.tell("a person is asked in the explorer")
            await asyncio.sleep(_LOOK_AGAIN)

    async def _is_answered(self, number: int) -> bool:
        with suppress(JournalError):
            return await asyncio.to_thread(self._requests.peek, number)
        return False


def _refusal_in(question: Question, reply: Reply) -> str:
    """Why an answer does not allow the change; empty if it does."""
    if reply.action == "timeout":
        return f"Nobody answered within {PATIENCE / 60:.0f} minutes, so it was refused."
    if reply.action == "unasked":
        return "Nobody could be asked: too many changes wait for confirmation, or they cannot be stored."
    if reply.action == "decline":
        return f"The person refused it, with a note: “{reply.note}”" if reply.note else "The person refused it."
    if reply.action != "accept":
        return "The person closed the question without answering."
    content = reply.content or {}
    if question.typed:
        return "" if content.get(TYPED) in question.names else "The typed text does not match the id."
    return "" if content.get(ALLOW) is True else "The person did not tick the box that allows it."


def _asked_of(question: Question, result: CheckResult, client: str, reason: str) -> Asked:
    """The question to a person about a change, with the facts of the check."""
    tool, account = question.tool, question.connection
    subject = f" {question.subject}" if question.subject else ""
    found = [f"  {line.text}" for line in lines(result, tool)]
    sent = question.preview.body
    parts = (
        f"An agent ({client}) asks: {tool.summary.rstrip('.')}:{subject}",
        f"Account: {account.title}, {question.mode}",
        reason and f"The agent's reason (not verified): “{shortened(visible_line(reason), _LONGEST)}”",
        "What Callboard found:",
        *(found[:_MOST_LINES] or ["  Nothing: the object could not be checked."]),
        f"  … and {len(found) - _MOST_LINES} more lines" if len(found) > _MOST_LINES else "",
        f"The call: {tool.name}, {question.preview.method} {question.preview.url}",
        "" if sent is None else f"It sends: {sent}",
    )
    message = "\n".join(shortened(visible_line(line), _LONGEST) for line in parts if line)
    name, field = ALLOW, {"type": "boolean", "title": "Allow once", "description": "Allow this one change.", "default": False}
    if question.typed:
        what = f"Type {' or '.join(question.names)} to allow it. Anything else refuses it."
        name, field = TYPED, {"type": "string", "title": "The id of the object to delete", "description": what}
    form = {"type": "object", "properties": {name: field}, "required": [name]}
    values = sorted((name, repr(value)) for name, value in question.arguments.values.items())
    call = (client, tool.name, account.name, question.mode, question.decision.kind, values)
    everything = (call, (result.body, result.checks, result.companions, result.differences, result.problems))
    return Asked(message, form, _fingerprint(call), _fingerprint(everything))


def _fingerprint(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "backslashreplace")).hexdigest()


def _requested(question: Question, result: CheckResult, client: str, reason: str) -> RequestedChange:
    tool, preview = question.tool, question.preview
    found = [(line.kind, line.name, shortened(line.words, _LONGEST)) for line in lines(result, tool) if line.kind != "final"]
    if len(found) > _MOST_LINES:
        found[_MOST_LINES:] = [("none", "", f"… and {len(found) - _MOST_LINES} more lines")]
    return RequestedChange(
        at=time.time(),
        client=client,
        tool=tool.name,
        effect=tool.effect,
        summary=tool.summary.rstrip("."),
        subject=shortened(visible_line(question.subject), _LONGEST),
        account=question.connection.title,
        mode=question.mode,
        reason=shortened(visible_line(reason), _LONGEST),
        names=question.names if question.typed else (),
        final=FINAL in (tool.rule or ""),
        sure=result.verdict == "go",
        found=tuple(found),
        method=preview.method,
        url=preview.url,
        body=shortened(preview.body, 4 * _LONGEST) if preview.body is not None else None,
    )
