"""Asks a person before a change: the user of the agent's client, and the user of a running explorer."""

from __future__ import annotations

from registry.accounts.consent import Consent
from registry.calling.sending import Observer
from registry.changes.check_result import CheckResult
from registry.doors.mcp.asking import Asked, Asker, Reply, asked_of, refusal_in
from registry.doors.mcp.in_explorer import InExplorer, posted
from registry.engine import Engine, Question, Unattended


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
