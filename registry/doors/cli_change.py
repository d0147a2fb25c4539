"""Changes on the command line: looked at before, made once, and found out about where the answer was lost."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from registry.deleting.deletion import carry_out
from registry.deleting.look import look
from registry.deleting.reads import Reads
from registry.deleting.telling import lines
from registry.doors.output import complain, remark

if TYPE_CHECKING:
    from registry.calling.client import ToolClient
    from registry.calling.result import Result
    from registry.calling.sending import Observer
    from registry.catalog.model import Tool
    from registry.connections.policy import Consent
    from registry.connections.profiles import Connection


async def change(
    client: ToolClient,
    tool: Tool,
    values: Mapping[str, object],
    connection: Connection,
    consent: Consent,
    observer: Observer,
) -> Result | None:
    """Tell what a change is about, and make it; None when it is visibly in vain, and nothing was sent.

    An interrupt while the request is under way drops it, and what became of it is found out; a second one ends that too.

    Args:
        client: runs the tools.
        tool: what deletes or changes.
        values: its arguments, checked.
        connection: where.
        consent: how far the user has agreed.
        observer: is told how the call gets on.
    """
    from registry.catalog.loader import load
    from registry.references.routes import Routes

    catalog = load()
    reads = Reads(client, catalog, Routes(catalog).of(tool), connection)
    seen = await look(reads, tool, values)
    subject = f" {seen.id}" if seen.id else ""
    remark(f"{tool.summary.rstrip('.')}:{subject} in {connection.title}, {connection.endpoint(tool.toolkit).mode}")
    for line in lines(seen, tool):
        remark(f"  {line.text}")
    if seen.verdict == "refuse":
        complain(f"nothing was sent: {seen.in_the_way}")
        return None
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def interrupted() -> None:
        stop.set()
        loop.remove_signal_handler(signal.SIGINT)
        remark("Stopped. Looking what became of it; once more gives that up.")

    # Only where the program runs in the main thread of a system that has such signals.
    with suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(signal.SIGINT, interrupted)
    try:
        outcome = await carry_out(reads, tool, values, consent, before=seen.body, observer=observer, stop=stop)
    finally:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)
    return outcome.told
