"""Fetching a whole list in the explorer: asking how much, going on with what ended early, turning the windows of what came."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tui.explorer.fetched import Fetch

if TYPE_CHECKING:
    from registry.catalog.model import Tool
    from tui.dialogs.fetch_all import Cap
    from tui.explorer.ground import Ground
    from tui.explorer.pager import Way


async def fetch_all(ground: Ground) -> None:
    """Ask how many items at the most, and fetch the list of the open tool; go on with a set that is on screen and not whole."""
    from registry.gathering.gathering import can_gather, without_position
    from registry.gathering.spool import Spool

    tool = ground.tool
    if tool is None or not can_gather(tool):
        ground.say(f"{tool.name} does not list: there is nothing more to fetch." if tool else "No tool is open.")
        return
    if ground.result.has_class("-running"):
        ground.say("It is running already. Esc stops it.")
        return
    raw = without_position(tool, ground.form.raw)
    if errors := ground.session.check(tool, raw).errors:
        ground.say(str(errors[0]))
        return
    window = ground.result.window
    connection = ground.session.connection(tool.toolkit)
    asked = (raw, connection.name)
    if window is not None and (window.fetch.raw, window.connection) == asked and not window.fetch.so_far.complete:
        await _go_on(ground, tool, window.fetch)
        return
    cap = await _cap(ground, tool, 0)
    if cap is None:
        return
    try:
        spool = await asyncio.to_thread(Spool)
    except OSError as error:
        ground.say(f"What is fetched cannot be kept: {error.strerror}.", "$text-error")
        return
    gathering = ground.session.engine.gathering(tool, raw, connection, spool, most=cap.most)
    ground.launch(tool, raw, Fetch(gathering, raw))


async def turn_window(ground: Ground, way: Way) -> None:
    """Show the window behind or before the one on screen."""
    window = ground.result.window
    starts = window.starts_around(way) if window is not None else None
    if window is None or starts is None:
        ground.say("This is the end of what was fetched." if way == "next" else "This is the beginning of what was fetched.")
        return
    turned = await asyncio.to_thread(window.fetch.window, starts)
    ground.session.results.add(turned)
    ground.present(turned)


async def _go_on(ground: Ground, tool: Tool, fetch: Fetch) -> None:
    if fetch.so_far.capped:
        cap = await _cap(ground, tool, fetch.so_far.count)
        if cap is None:
            return
        fetch.gathering.most = cap.most
    ground.launch(tool, dict(fetch.raw), fetch)


async def _cap(ground: Ground, tool: Tool, there: int) -> Cap | None:
    from tui.dialogs.fetch_all import FetchAll

    cap = await ground.app.push_screen_wait(FetchAll(tool.name, ground.session.cap, there))
    if cap is not None and not there:
        ground.session.cap = cap.most
    return cap
