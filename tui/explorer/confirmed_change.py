"""A change that the user confirmed: sent once, and its outcome read from the service where the response was lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from registry.calling.result import Result
    from registry.calling.sending import Observer
    from registry.catalog.model import Tool
    from registry.connections.policy import Consent
    from registry.connections.profiles import Connection
    from registry.deleting.look import Look
    from tui.session import Session


class ConfirmedChange:
    """Can be run once.

    Args:
        session: gives the engine.
        tool: what deletes or changes.
        raw: its arguments.
        connection: where it was agreed to.
        consent: how far.
        look: what was seen before.
    """

    def __init__(
        self, session: Session, tool: Tool, raw: dict[str, object], connection: Connection, consent: Consent, look: Look
    ) -> None:
        self._session = session
        self._tool = tool
        self._raw = raw
        self._connection = connection
        self._consent = consent
        self._look = look
        self._stop = asyncio.Event()

    async def run(self, observer: Observer) -> Result:
        """Make it; the result tells what became of it, also where the answer was lost."""
        from registry.calling.result import Failure, Result
        from registry.connections.policy import NotAllowed
        from registry.deleting.deletion import carry_out

        reads = self._session.reads(self._tool, self._connection)
        try:
            outcome = await carry_out(
                reads, self._tool, self._raw, self._consent, before=self._look.body, observer=observer, stop=self._stop
            )
        except NotAllowed as refusal:
            # Changes to live data were switched on for a time, which has run out while the dialog stood open.
            decision = refusal.decision
            failure = Failure("refused", "It was not sent", decision.reason, decision.way_out)
            return Result(self._tool.name, self._connection.name, None, failure=failure)
        if self._tool.effect == "delete" and outcome.became in ("done", "gone"):
            self._session.deleted_ids.note(self._connection.name, self._look.own_id)
        assert outcome.told is not None
        return outcome.told

    @property
    def stopping(self) -> bool:
        """Whether the request was dropped, and what became of it is being found out."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Drop the request; what became of it is found out."""
        self._stop.set()
