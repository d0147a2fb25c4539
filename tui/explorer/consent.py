"""Asks the user to confirm a change, with a check of the object first."""

from __future__ import annotations

from registry.catalog.model import Tool
from registry.engine import Consent, NotAllowed, Question
from tui.dialogs.confirm_delete import ConfirmDelete
from tui.explorer.confirmed_change import ConfirmedChange
from tui.explorer.explorer import Explorer


async def consent_to(context: Explorer, tool: Tool, raw: dict[str, object]) -> ConfirmedChange | None:
    """A change that the user has confirmed after a check; None when it was cancelled or refused by the policy."""

    async def ask(question: Question) -> Consent | None:
        return await context.app.push_screen_wait(ConfirmDelete(question))

    change = ConfirmedChange(context.session, tool, raw, context.session.connection(tool.toolkit), ask)
    try:
        return change if await change.agreed() else None
    except NotAllowed as refusal:
        words = f"{refusal.decision.reason} {refusal.decision.way_out}"
        context.app.notify(words, title=tool.name, severity="warning", markup=False)
        return None
