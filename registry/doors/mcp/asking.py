"""Asking a person before a change: the message, the form of the answer, and the meaning of the answer.

The question contains the facts of the check and nothing that the agent claims, except its reason, which is marked as such.
An answer counts only for the question as asked: if the facts have changed meanwhile, the person is asked again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from registry.changes.check_lines import lines
from registry.changes.check_result import CheckResult
from registry.engine import Question
from registry.text.safe_text import shortened, visible_line

PATIENCE = 300.0
"""Seconds to answer a question; no answer is a refusal."""

ALLOW, TYPED = "allow", "typed_id"
LONGEST, MOST_LINES = 300, 40
"""Most characters in a line of the question, and most lines of facts."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a person.

    Attributes:
        message: the text that the person sees.
        schema: the form of the answer: a box to tick, or the id to type.
        call: a fingerprint of the call.
        digest: a fingerprint of the question: of the call and everything that was found.
    """

    message: str
    schema: dict[str, Any]
    call: str
    digest: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A person's answer: ``accept``, ``decline``, ``cancel`` or ``timeout``, the form's values, and a note to the agent."""

    action: str
    content: Mapping[str, object] | None = None
    note: str = ""


class Asker(Protocol):
    """Sends a question to the user of a client."""

    @property
    def able(self) -> bool:
        """Whether the client can ask questions."""

    @property
    def client(self) -> str:
        """The client's name, safe to show."""

    async def ask(self, asked: Asked) -> Reply | None:
        """The person's answer; None if the client has to call again with it."""

    def tell(self, words: str) -> None:
        """Tell the client that its call is still running, and what it waits for."""

    def answered_in_explorer(self) -> None:
        """Note for the audit log that the answer came from an explorer and not from the client."""


def refusal_in(question: Question, reply: Reply) -> str:
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


def asked_of(question: Question, result: CheckResult, client: str, reason: str) -> Asked:
    """The question to a person about a change, with the facts of the check."""
    tool, account = question.tool, question.connection
    subject = f" {question.subject}" if question.subject else ""
    parts = [f"An agent ({client}) asks: {tool.summary.rstrip('.')}:{subject}"]
    parts.append(f"Account: {account.title}, {question.mode}")
    if reason:
        parts.append(f"The agent's reason (not verified): “{shortened(visible_line(reason), LONGEST)}”")
    parts.append("What Callboard found:")
    found = [f"  {line.text}" for line in lines(result, tool)]
    parts += found[:MOST_LINES] or ["  Nothing: the object could not be checked."]
    if len(found) > MOST_LINES:
        parts.append(f"  … and {len(found) - MOST_LINES} more lines")
    parts.append(f"The call: {tool.name}, {question.preview.method} {question.preview.url}")
    if question.preview.body is not None:
        parts.append(f"It sends: {question.preview.body}")
    message = "\n".join(shortened(visible_line(line), LONGEST) for line in parts)
    return Asked(message, _form(question), *_fingerprints(question, result, client))


def _form(question: Question) -> dict[str, Any]:
    if question.typed:
        what = f"Type {' or '.join(question.names)} to allow it. Anything else refuses it."
        field: dict[str, Any] = {"type": "string", "title": "The id of the object to delete", "description": what}
        return {"type": "object", "properties": {TYPED: field}, "required": [TYPED]}
    field = {"type": "boolean", "title": "Allow once", "description": "Allow this one change.", "default": False}
    return {"type": "object", "properties": {ALLOW: field}, "required": [ALLOW]}


def _fingerprints(question: Question, result: CheckResult, client: str) -> tuple[str, str]:
    """Of the call, and of the call with everything that was found."""
    values = sorted((name, repr(value)) for name, value in question.arguments.values.items())
    call = (client, question.tool.name, question.connection.name, question.mode, question.decision.kind, values)
    found = (result.body, result.checks, result.companions, result.differences, result.problems)
    return _fingerprint(call), _fingerprint((call, found))


def _fingerprint(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "backslashreplace")).hexdigest()
