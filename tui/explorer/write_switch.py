"""Switches changes to live data on and off."""

from __future__ import annotations

from registry.accounts.consent import WINDOW
from tui.dialogs.questions import AllowWriting
from tui.explorer.explorer import Explorer


async def switch_writing(context: Explorer) -> None:
    """Allow changes to live data for the toolkit whose form is open, or end that."""
    tool = context.tool
    if tool is None:
        context.say("Open a tool of the toolkit first.")
        return
    policy, connection = context.session.engine.policy, context.session.connection(tool.toolkit)
    endpoint = connection.endpoint(tool.toolkit)
    if policy.read_only or endpoint.mode != "live":
        context.say(
            "Callboard is running read-only."
            if policy.read_only
            else f"{connection.title} has no live data: changes are always allowed."
        )
    elif policy.writing_left(connection, tool.toolkit) is not None:
        policy.close_writing(connection, tool.toolkit)
        context.say(f"{connection.title} is read-only again.", "$text-success")
    elif await context.app.push_screen_wait(AllowWriting(connection.title, endpoint.base_url, round(WINDOW / 60))):
        policy.open_writing(connection, tool.toolkit)
