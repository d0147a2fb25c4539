"""Agreeing to changes: what the policy asks before a call, and the switch for changes to live data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from registry.catalog.model import Tool
    from registry.connections.policy import Consent
    from tui.explorer.ground import Ground


async def consent_to(ground: Ground, tool: Tool, raw: dict[str, object]) -> Consent | None:
    """How far the user agrees to a call, asked where the policy wants that; None when it is not to be made."""
    from registry.connections.policy import Consent
    from tui.dialogs.confirm_delete import ConfirmDelete

    session = ground.session
    connection = session.connection(tool.toolkit)
    decision = session.policy.decide(tool, connection)
    if decision.kind == "allow":
        return Consent.NONE
    if decision.kind in ("switch", "refuse"):
        ground.app.notify(f"{decision.reason} {decision.way_out}", title=tool.name, severity="warning", markup=False)
        return None
    preview = session.preview(tool, session.check(tool, raw))
    mode = connection.endpoint(tool.toolkit).mode
    agreed = await ground.app.push_screen_wait(ConfirmDelete(tool, raw, preview, connection.title, mode))
    return Consent.TYPED if agreed else None


async def switch_writing(ground: Ground) -> None:
    """Switch changes to live data on, for the toolkit whose form is open, or off."""
    from registry.connections.policy import WINDOW
    from tui.dialogs.allow_writing import AllowWriting

    tool = ground.tool
    if tool is None:
        ground.say("Open a tool of the toolkit first.")
        return
    policy, connection = ground.session.policy, ground.session.connection(tool.toolkit)
    endpoint = connection.endpoint(tool.toolkit)
    if policy.read_only or endpoint.mode != "live":
        ground.say("Callboard is read-only in this run." if policy.read_only else f"{connection.title} needs no such thing.")
    elif policy.writing_left(connection, tool.toolkit) is not None:
        policy.close_writing(connection, tool.toolkit)
        ground.say(f"{connection.title} is read-only again.", "$text-success")
    elif await ground.app.push_screen_wait(AllowWriting(connection.title, endpoint.base_url, round(WINDOW / 60))):
        policy.open_writing(connection, tool.toolkit)
