"""The switch for changes to live data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.explorer.ground import Ground


async def switch_writing(ground: Ground) -> None:
    """Switch changes to live data on, for the toolkit whose form is open, or off."""
    from registry.connections.consent import WINDOW
    from tui.dialogs.allow_writing import AllowWriting

    tool = ground.tool
    if tool is None:
        ground.say("Open a tool of the toolkit first.")
        return
    policy, connection = ground.session.engine.policy, ground.session.connection(tool.toolkit)
    endpoint = connection.endpoint(tool.toolkit)
    if policy.read_only or endpoint.mode != "live":
        ground.say("Callboard is read-only in this run." if policy.read_only else f"{connection.title} needs no such thing.")
    elif policy.writing_left(connection, tool.toolkit) is not None:
        policy.close_writing(connection, tool.toolkit)
        ground.say(f"{connection.title} is read-only again.", "$text-success")
    elif await ground.app.push_screen_wait(AllowWriting(connection.title, endpoint.base_url, round(WINDOW / 60))):
        policy.open_writing(connection, tool.toolkit)
