"""Asking a person before a change: what they are told, the form that they answer with, and what their answer allows.

The question holds what the check found and never what the agent claims, except its reason, which is marked as that. An answer
counts for what was asked and nothing else: where the facts have changed meanwhile, it is asked again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from registry.connections.consent import Consent
from registry.deleting.telling import lines
from registry.display.safe_text import shortened, visible_line
from registry.engine import Unattended

if TYPE_CHECKING:
    from registry.calling.sending import Observer
    from registry.deleting.look import Look
    from registry.engine import Question

PATIENCE = 300.0
"""Seconds in which a question has to be answered; a question without an answer is a refusal."""

ALLOW, TYPED = "allow", "typed_id"
_LONGEST, _MOST_LINES = 300, 40


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a person.

    Attributes:
        message: what they are told.
        schema: the form of the answer: a box to tick, or the id to type.
        digest: what the question is about, as a fingerprint: the call, and everything that was found.
    """

    message: str
    schema: dict[str, Any]
    digest: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's answer: ``accept``, ``decline``, ``cancel`` or ``timeout``, and what the form holds."""

    action: str
    content: Mapping[str, object] | None = None


class Asker(Protocol):
    """Takes a question to the person behind a client."""

    @property
    def able(self) -> bool:
        """Whether the client can ask at all."""

    @property
    def client(self) -> str:
        """The client's name, safe to show."""

    async def ask(self, asked: Asked) -> Reply | None:
        """The person's answer; None where the client has to come back with it."""


class AgentPresenter(Unattended):
    """Asks the person behind an agent's client.

    Args:
        asker: takes the question to them.
        reason: why the agent wants it, in its words.
        observer: is called with how far the call is.

    Attributes:
        asked: the question, once there is one.
        refusal: why it is not agreed, in words; empty where it is.
        pending: whether the client has to come back with the answer.
        may_be_sent: whether it was agreed.
    """

    def __init__(self, asker: Asker, reason: str, observer: Observer | None = None) -> None:
        super().__init__(observer)
        self._asker, self._reason = asker, reason
        self.asked: Asked | None = None
        self.refusal = ""
        self.pending = self.may_be_sent = False

    async def consent(self, question: Question) -> Consent | None:
        """What the person answered. What would visibly fail is not asked."""
        look = await question.check()
        if look.verdict == "refuse":
            return None
        self.asked = _asked(question, look, self._asker.client, self._reason)
        reply = await self._asker.ask(self.asked)
        if reply is None:
            self.pending = True
            return None
        self.refusal = _refusal(question, reply)
        self.may_be_sent = not self.refusal
        if self.refusal:
            return None
        return Consent.TYPED if question.typed else Consent.CONFIRMED


def _refusal(question: Question, reply: Reply) -> str:
    """Why an answer is none that allows the change; empty where it allows it."""
    if reply.action == "timeout":
        return f"Nobody answered within {PATIENCE / 60:.0f} minutes, so it was refused."
    if reply.action != "accept":
        return "The person refused it." if reply.action == "decline" else "The person closed the question without answering."
    content = reply.content or {}
    if question.typed:
        return "" if content.get(TYPED) in question.names else "The typed text does not match the id."
    return "" if content.get(ALLOW) is True else "The person did not tick the box that allows it."


def _asked(question: Question, look: Look, client: str, reason: str) -> Asked:
    tool, account = question.tool, question.connection
    subject = f" {question.subject}" if question.subject else ""
    told = [f"An agent ({client}) asks: {tool.summary.rstrip('.')}:{subject}"]
    told.append(f"Account: {account.title}, {question.mode}")
    if reason:
        told.append(f"The agent's reason (not verified): “{shortened(visible_line(reason), _LONGEST)}”")
    told.append("What Callboard found:")
    found = [f"  {line.text}" for line in lines(look, tool)]
    told += found[:_MOST_LINES] or ["  Nothing: the object could not be checked."]
    if len(found) > _MOST_LINES:
        told.append(f"  … and {len(found) - _MOST_LINES} more lines")
    told.append(f"The call: {tool.name}, {question.preview.method} {question.preview.url}")
    if question.preview.body is not None:
        told.append(f"It sends: {question.preview.body}")
    message = "\n".join(shortened(visible_line(line), _LONGEST) for line in told)
    return Asked(message, _form(question), _digest(question, look))


def _form(question: Question) -> dict[str, Any]:
    if question.typed:
        what = f"Type {' or '.join(question.names)} to allow it. Anything else refuses it."
        field: dict[str, Any] = {"type": "string", "title": "The id of the object to delete", "description": what}
        return {"type": "object", "properties": {TYPED: field}, "required": [TYPED]}
    field = {"type": "boolean", "title": "Allow once", "description": "Allow this one change.", "default": False}
    return {"type": "object", "properties": {ALLOW: field}, "required": [ALLOW]}


def _digest(question: Question, look: Look) -> str:
    values = sorted((name, repr(value)) for name, value in question.arguments.values.items())
    call = (question.tool.name, question.connection.name, question.mode, question.decision.kind, values)
    found = (look.body, look.checks, look.companions, look.differences, look.problems)
    return hashlib.sha256(repr((call, found)).encode("utf-8", "backslashreplace")).hexdigest()
