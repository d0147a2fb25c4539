"""Changes on the command line: what is about to change is printed, and an interrupt drops the request and finds out."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from registry.deleting.telling import lines
from registry.doors.output import complain, remark
from registry.engine import Unattended

if TYPE_CHECKING:
    from registry.calling.result import Result
    from registry.calling.sending import Observer
    from registry.catalog.model import Tool
    from registry.connections.consent import Consent
    from registry.connections.profiles import Connection
    from registry.engine import Engine, Question


async def change(
    engine: Engine,
    tool: Tool,
    values: Mapping[str, object],
    connection: Connection,
    consent: Consent,
    observer: Observer,
) -> Result | None:
    """Print what a change is about, and make it; None when it is visibly in vain, and nothing was sent.

    An interrupt while the request is under way drops it, and what became of it is found out; a second one ends that too.

    Args:
        engine: makes it.
        tool: what deletes or changes.
        values: its arguments, checked.
        connection: where.
        consent: how far the user has agreed.
        observer: is called with how far the call is.
    """
    printing = _Printing(observer)
    try:
        result = await engine.run(tool, values, connection, consent=consent, presenter=printing, stop=printing.stop)
    finally:
        # Only where the program runs in the main thread of a system that has such signals.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
    return None if printing.in_vain else result


class _Printing(Unattended):
    """Prints what the look saw, and answers with what the options of the command said.

    Attributes:
        in_vain: the look shows that the change would fail; this was printed.
        stop: set by an interrupt.
    """

    def __init__(self, observer: Observer) -> None:
        super().__init__(observer)
        self.in_vain = False
        self.stop = asyncio.Event()

    async def consent(self, question: Question) -> Consent | None:
        """What was given on the command line."""
        seen = await question.check()
        tool, connection = question.tool, question.connection
        subject = f" {seen.id}" if seen.id else ""
        remark(f"{tool.summary.rstrip('.')}:{subject} in {connection.title}, {question.mode}")
        for line in lines(seen, tool):
            remark(f"  {line.text}")
        if seen.verdict == "refuse":
            complain(f"nothing was sent: {seen.in_the_way}")
            self.in_vain = True
            return None
        with suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupted)
        return question.given

    def _interrupted(self) -> None:
        self.stop.set()
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        remark("Stopped. Looking what became of it; once more gives that up.")
