"""Shows the accounts in use in the explorer: where calls go, what is live, and which tools lack a permission."""

from __future__ import annotations

import asyncio

from textual.screen import Screen

from registry.accounts.connection import SANDBOX
from tui.explorer.toolkit_tree import ToolkitTree
from tui.explorer.top_bar import TopBar
from tui.session import Session
from tui.state.settings import key_of


def show_accounts(screen: Screen[None], session: Session) -> None:
    """Show the accounts in use, after another one was chosen or more became known about one."""
    screen.query_one(TopBar).show_targets(session)
    tree = screen.query_one(ToolkitTree)
    tree.show_needs({toolkit: session.needs(toolkit) for toolkit in session.catalog.toolkits})
    tree.show_lacking(session.lacking)


async def tell_live(screen: Screen[None], session: Session) -> None:
    """Say, once for each account, that it counts as live, how to use it, and that it is read-only at first."""
    memory = session.engine.account_memory
    found = [one for one in session.connections.values() if one.name != SANDBOX and not memory.of(one.name).live_shown]
    live = [one for one in found if any(endpoint.mode == "live" for endpoint in one.endpoints.values())]
    if not live:
        return
    names = ", ".join(one.name for one in live)
    keys = {id_: key_of(screen.app, id_) for id_ in ("connections", "writing")}
    words = (
        f"LIVE: {names}. What is not known to be test data counts as live; choose with {keys['connections']}. "
        f"Live is read-only until {keys['writing']} allows changes."
    )
    screen.notify(words, title="Accounts", timeout=12, markup=False)
    await asyncio.to_thread(memory.note_live_shown, [one.name for one in live])
