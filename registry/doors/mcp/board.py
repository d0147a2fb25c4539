"""The on-call dashboard as values for a model: the verdict, open incidents with their ids, and the lines that people see."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from registry.connections.profiles import Connection
    from registry.engine import Engine


async def board_values(engine: Engine, connection: Connection) -> dict[str, object]:
    """Read the dashboard once. Sends only reads, which are not kept in the history."""
    from registry.doors.cli_oncall import board_lines
    from registry.oncall.as_json import as_json
    from registry.oncall.board import board
    from registry.oncall.clock_skew import SkewedClock
    from registry.oncall.clocks import ONCE
    from registry.oncall.refresh import Refresher

    clock, until = SkewedClock(time.time), asyncio.get_running_loop().time() + ONCE
    refresher = Refresher(engine.refreshing(lambda: connection), clock, until=until)
    await refresher.refresh()
    if clock.correct(refresher.gap):
        refresher = Refresher(engine.refreshing(lambda: connection), clock, until=until)
        await refresher.refresh()
    made = board(refresher.facts, clock())
    incidents = [
        {"id": row.incident.id, "number": row.incident.number, "title": row.incident.title, "mine": bool(row.mine)}
        for row in made.rows
    ]
    content = as_json(made, refresher.interval)
    lines = [line for line in board_lines(made, refresher.interval) if line]
    return {"verdict": content["verdict"], "incidents": incidents, "in_words": lines}
