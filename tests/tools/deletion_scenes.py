"""The pictures of asking before a change: four kinds of objects, in the sandbox and in the colours of live data."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from registry.catalog.loader import load
from registry.connections.profiles import Connection
from tests.test_every_tool import examples
from tests.tui.app import Desk
from tui.dialogs.confirm_delete import ConfirmDelete
from tui.explorer.top_bar import TopBar

Scene = Callable[[Desk], Awaitable[None]]
TOOLS = {
    "deletion": "DeletePaymentsCustomer",
    "deletion-invoice": "DeleteInvoiceDraft",
    "deletion-value-list": "DeletePaymentsValueList",
    "deletion-user": "RemoveCrmUser",
    "change-user": "UpdateCrmUserInfo",
}
_CHANGED = {"UpdateCrmUserInfo": {"first_name": "Maya", "user_role_id": "172841", "additional_teams_ids": ["20806855"]}}


def _asking(name: str) -> Scene:
    async def scene(one: Desk) -> None:
        await one.open(name)
        one.screen.form.fill(examples(load().tools[name]) | _CHANGED.get(name, {}))
        await one.pilot.pause()
        await one.press("f5")
        await one.until(lambda: isinstance(one.app.screen, ConfirmDelete) and one.app.screen._look.complete)
        await one.pilot.pause()

    return scene


def _live(scene: Scene) -> Scene:
    """The same on connections that count as live, while changes are switched on; they reach the sandbox all the same."""

    async def changed(one: Desk) -> None:
        session = one.app.session
        plain = session.connection("PaymentsApi")
        session.engine.policy._clock = lambda: 0.0
        for toolkit, name, title in (("PaymentsApi", "payments", "Payments account"), ("CrmUsersApi", "crm", "CRM account")):
            endpoint = replace(plain.endpoints[toolkit], mode="live")
            connection = Connection(name, title, {toolkit: endpoint})
            session.engine._found = {**session.connections, name: connection}, ""
            session.chosen[toolkit] = name
            session.engine.policy.open_writing(connection, toolkit)
        one.screen.query_one(TopBar).show_targets(session)
        await scene(one)

    return changed


DELETIONS: dict[str, Scene] = {
    name + suffix: scene
    for name, tool in TOOLS.items()
    for suffix, scene in (("", _asking(tool)), ("-live", _live(_asking(tool))))
}
"""Scenes by the name of their pictures."""
