"""Agreeing to changes: asked with a look at what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.explorer.change import Change

if TYPE_CHECKING:
    from registry.catalog.model import Tool
    from registry.engine import Consent, Question
    from tui.explorer.ground import Ground


async def consent_to(ground: Ground, tool: Tool, raw: dict[str, object]) -> Change | None:
    """A change that the user agrees to, asked with a look at what it is about; None when it is not to be made."""
    from registry.engine import NotAllowed
    from tui.dialogs.confirm_delete import ConfirmDelete

    async def ask(question: Question) -> Consent | None:
        return await ground.app.push_screen_wait(ConfirmDelete(question))

    change = Change(ground.session, tool, raw, ground.session.connection(tool.toolkit), ask)
    try:
        return change if await change.agreed() else None
    except NotAllowed as refusal:
        words = f"{refusal.decision.reason} {refusal.decision.way_out}"
        ground.app.notify(words, title=tool.name, severity="warning", markup=False)
        return None
