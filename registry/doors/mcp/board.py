"""The on-call dashboard as values for a model: the verdict, open incidents with their ids, and the lines that people see."""

from __future__ import annotations

import asyncio

from registry.accounts.connection import Connection
from registry.doors.cli_oncall import board_lines
from registry.doors.oncall_account import account_of
from registry.engine import Engine
from registry.oncall.as_json import as_json
from registry.oncall.clocks import LEAST_EVERY, ONCE


async def board_values(engine: Engine, connection: Connection) -> dict[str, object]:
    """Read the dashboard once. Sends only reads, which are not kept in the history."""
    account = account_of(engine, connection.name, LEAST_EVERY, until=asyncio.get_running_loop().time() + ONCE)
    await account.refresh()
    view = account.view()
    made = view.board
    incidents = [
        {"id": row.incident.id, "number": row.incident.number, "title": row.incident.title, "mine": bool(row.mine)}
        for row in made.rows
    ]
    content = as_json(made, view.interval)
    lines = [line for line in board_lines(made, view.interval) if line]
    return {"verdict": content["verdict"], "incidents": incidents, "in_words": lines}
