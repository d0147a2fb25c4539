"""Approvals requested by other people: the list, the dialog, the answer."""

from __future__ import annotations

import asyncio
from typing import Any

from textual import work
from textual.app import App
from textual.screen import ModalScreen

from registry.team.approvals import ApprovalRefused, Asked
from registry.team.server import ServerUnavailable
from registry.text.safe_text import visible_line
from tui.dialogs.choose import Choice, ChooseDialog
from tui.session import Session


class TeamApprovals(App[None]):
    """The command, for an application that has a session."""

    session: Session

    @work(group="approvals", exclusive=True, exit_on_error=False)
    async def action_approvals(self) -> None:
        """Answer approval requests of other people."""
        await self.session.ready()
        if not isinstance(self.screen, ModalScreen):
            await answer_requests(self, self.session)


async def answer_requests(app: App[Any], session: Session) -> None:
    """Show the pending request, or a list of several; send the answer."""
    from tui.dialogs.approval import ApprovalDialog

    engine = session.engine
    try:
        approvals = await asyncio.to_thread(engine.approvals)
        waiting = await approvals.waiting()
    except ServerUnavailable as error:
        app.notify(f"{visible_line(str(error))}.", title="Team approvals", severity="warning", markup=False)
        return
    if not waiting:
        app.notify("Nothing waits for a second person.", title="Team approvals", markup=False)
        return
    asked = waiting[0]
    if len(waiting) > 1:
        rows = [Choice(_what(one), visible_line(f"{one.person} on {one.machine}")) for one in waiting]
        place: int | None = await app.push_screen_wait(ChooseDialog("What waits for a second person", rows, "look"))
        if place is None:
            return
        asked = waiting[place]
    approved: bool | None = await app.push_screen_wait(ApprovalDialog(asked, read_only=engine.policy.read_only))
    if approved is None:
        return
    try:
        await approvals.answer(asked.id, approved=approved)
    except (ApprovalRefused, ServerUnavailable) as error:
        app.notify(f"The answer does not count: {visible_line(str(error))}.", severity="warning", markup=False)
        return
    app.notify("Approved, once: it is sent now." if approved else "Refused. Nothing is sent.", markup=False)


def _what(one: Asked) -> str:
    return visible_line(f"{one.change.get('summary', '')}: {one.change.get('subject', '')}")
