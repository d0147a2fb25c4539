"""Engines for tests: on a network or a sandbox of the test's own, and without a history unless one is given."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from registry.calling.access import PlannedChange
from registry.calling.arguments import check
from registry.calling.client import ToolClient
from registry.calling.network import Network
from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.connections.consent import Consent
from registry.connections.profiles import Connection
from registry.engine import Engine, Settings, open_engine
from registry.journal.audit import Audit
from registry.journal.history import History


def opened(
    network: Network | None = None,
    *,
    folder: Path | None = None,
    audit: Audit | None = None,
    history: History | None = None,
    **settings: Any,
) -> Engine:
    """An engine; whoever opens it closes it.

    Args:
        network: what requests go through; a sandbox when not given. One that has a `sleep` waits in its way.
        folder: where files are saved.
        audit: the audit log; one in the home of the tests when not given.
        history: the history; none when not given.
        settings: further fields of `Settings`. `sleep` is how to wait.
    """
    sleep = settings.pop("sleep", getattr(network, "sleep", asyncio.sleep))
    engine = open_engine(
        Settings(**{"environment": {}, "downloads": folder or Path(), "journal": history is not None, **settings}),
        network=network,
        sleep=sleep,
    )
    if audit is not None:
        engine.audit = audit
    if history is not None:
        engine.history = history
    return engine


async def unchecked(
    engine: Engine,
    tool: Tool,
    raw: Mapping[str, object],
    connection: Connection,
    consent: Consent = Consent.TYPED,
    before: bytes | None = None,
) -> Result:
    """Send a change that nobody has looked at, by a client that takes anything for a proof: to see what comes after sending.

    No client of the engine is like that.
    """
    arguments = check(tool, raw)
    assert not arguments.errors, arguments.errors
    client = ToolClient(
        Path(),
        engine._network,
        engine.policy,
        sleep=engine._sleep,
        recorder=engine.audit,
        journal=engine.history if engine.keeps_history else None,
        traces=engine.traces,
        redeem=lambda proof, client: PlannedChange(tool, arguments, connection),
    )
    return await client.change(None, consent, before=before)


async def made(engine: Engine, tool: Tool, raw: Mapping[str, object], connection: Connection) -> Result:
    """A call as a client makes it; a change without a look, which would read first."""
    if tool.effect == "read":
        return await engine.run(tool, raw, connection)
    return await unchecked(engine, tool, raw, connection)


def open_writing(engine: Engine, *connections: Connection) -> None:
    """Switch on changes to live data everywhere."""
    for connection in connections:
        for toolkit in connection.endpoints:
            engine.policy.open_writing(connection, toolkit)
