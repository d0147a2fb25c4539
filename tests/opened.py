"""Engines for tests, on the test's own network or sandbox. They have no history unless one is given."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from registry.accounts.connection import Connection
from registry.calling.arguments import check
from registry.calling.network import Network
from registry.calling.result import Result
from registry.catalog.model import Tool
from registry.changes.deletion import send
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
    """An engine. The caller closes it.

    Args:
        network: what requests go through; a sandbox when not given. If it has a `sleep`, the engine waits with that.
        folder: where files are saved; when not given, the downloads of the tests.
        audit: the audit log; when not given, one in the home of the tests.
        history: the history; none when not given.
        settings: further fields of `Settings`, and `sleep`, the function to wait with.
    """
    sleep = settings.pop("sleep", getattr(network, "sleep", asyncio.sleep))
    downloads = folder or Path(os.environ["XDG_DOWNLOAD_DIR"])
    usual: dict[str, Any] = {"environment": {}, "downloads": downloads, "journal": history is not None}
    engine = open_engine(Settings(**usual | settings), network=network, sleep=sleep)
    if audit is not None:
        engine.audit = audit
    if history is not None:
        engine.history = history
    return engine


async def unchecked(
    engine: Engine, tool: Tool, raw: Mapping[str, object], connection: Connection, before: bytes = b""
) -> Result:
    """Send a change that was not checked, to test what happens after sending."""
    arguments = check(tool, raw)
    assert not arguments.errors, arguments.errors
    _, result = await send(engine._client, (tool, arguments, connection), engine.audit, before, None)
    assert result is not None
    return result


async def made(engine: Engine, tool: Tool, raw: Mapping[str, object], connection: Connection) -> Result:
    """Run a tool as a client does. A change is sent without the check, which would read first."""
    if tool.effect == "read":
        return await engine.run(tool, raw, connection)
    return await unchecked(engine, tool, raw, connection)


def open_writing(engine: Engine, *connections: Connection) -> None:
    """Switch on changes to live data everywhere."""
    for connection in connections:
        for toolkit in connection.endpoints:
            engine.policy.open_writing(connection, toolkit)
