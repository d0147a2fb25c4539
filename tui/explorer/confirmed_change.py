"""A change in the explorer: confirmed in a dialog, then a running call like any other, which can be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from registry.accounts.connection import Connection
from registry.calling.result import Failure, Result
from registry.calling.sending import Observer
from registry.catalog.model import Tool
from registry.engine import Answered, Consent, Elicitation, NotAllowed, Presenter, Question
from tui.session import Session

Ask = Callable[["Question"], Awaitable["Consent | None"]]
Elicit = Callable[["Elicitation"], Awaitable["Answered"]]


class ConfirmedChange(Presenter):
    """Can be run once: `agreed` asks the user, and `run` makes the call.

    Args:
        session: has the engine.
        tool: the tool that deletes or changes.
        raw: its arguments.
        connection: the account.
        ask: asks the user, for instance in a dialog.
    """

    def __init__(self, session: Session, tool: Tool, raw: dict[str, object], connection: Connection, ask: Ask) -> None:
        super().__init__()
        self._session = session
        self._connection = connection
        self._ask = ask
        self._question: Question | None = None
        self._agreed, self._launched, self._stop = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._tool, self._raw = tool, raw
        self._call: asyncio.Task[Result] | None = None

    async def agreed(self) -> bool:
        """Ask the user; returns whether the change was confirmed. It is not sent before `run`.

        Raises:
            NotAllowed: the policy refuses it; the user was not asked.
        """
        engine = self._session.engine
        self._call = asyncio.create_task(engine.run(self._tool, self._raw, self._connection, presenter=self, stop=self._stop))
        answered = asyncio.create_task(self._agreed.wait())
        try:
            await asyncio.wait({self._call, answered}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._call.cancel()
            raise
        finally:
            answered.cancel()
        if self._call.done():
            self._call.result()
        return self._agreed.is_set()

    async def consent(self, question: Question) -> Consent | None:
        """The user's consent; the change goes on once it is among the running calls."""
        self._question = question
        consent = await self._ask(question)
        if consent is not None:
            self._agreed.set()
            await self._launched.wait()
        return consent

    async def run(self, observer: Observer, elicit: Elicit | None = None) -> Result:
        """Make the change; the result has its outcome, even if the response was lost."""
        assert self._call is not None, "agreed() comes first"
        self._observer, self._elicited = observer, elicit
        self._launched.set()
        try:
            result = await self._call
        except NotAllowed as refusal:
            # Changes to live data were allowed for a time, which has run out while the dialog was open.
            decision = refusal.decision
            failure = Failure("refused", "Request not sent", decision.reason, decision.way_out)
            return Result(self._tool.name, self._connection.name, None, failure=failure)
        if self._tool.effect == "delete" and result.became in ("done", "gone") and self._question is not None:
            self._session.deleted_ids.note(self._connection.name, self._question.checking.result.own_id)
        return result

    @property
    def stopping(self) -> bool:
        """Whether the request was dropped and its outcome is being looked up."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Drop the request; its outcome is then looked up."""
        self._stop.set()
