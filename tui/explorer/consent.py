"""Asks the user to confirm a change, with a check of the object first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.explorer.confirmed_change import ConfirmedChange

if TYPE_CHECKING:
    from registry.catalog.model import Tool
    from tui.dialogs.confirm_delete import Confirmation, ConfirmDelete
    from tui.explorer.context import ExplorerContext


async def consent_to(context: ExplorerContext, tool: Tool, raw: dict[str, object]) -> ConfirmedChange | None:
    """A change that the user agrees to, asked with a look at what it is about; None when it is not to be made."""
    from registry.deleting.look import look
    from tui.dialogs.confirm_delete import ConfirmDelete, Question

    session = context.session
    connection = session.connection(tool.toolkit)
    decision = session.policy.decide(tool, connection)
    if decision.kind in ("switch", "refuse"):
        context.app.notify(f"{decision.reason} {decision.way_out}", title=tool.name, severity="warning", markup=False)
        return None
    arguments = session.check(tool, raw)
    ids = [str(arguments.values[one.name]) for one in tool.parameters if one.place == "path" and one.name in arguments.values]
    question = Question(
        tool,
        ", ".join(ids),
        session.preview(tool, arguments),
        connection.title,
        connection.endpoint(tool.toolkit).mode,
        typed=decision.kind == "type",
    )
    reads = session.reads(tool, connection)
    dialog = ConfirmDelete(question, lambda observer: look(reads, tool, arguments.values, observer))
    agreed = await _asked(context, dialog)
    if agreed is None:
        return None
    return ConfirmedChange(session, tool, raw, connection, agreed.consent, agreed.look)


async def _asked(context: ExplorerContext, dialog: ConfirmDelete) -> Confirmation | None:
    return await context.app.push_screen_wait(dialog)
