"""Showing, refreshing and removing a toolkit that the user added, from its place in the tree.

The explorer is updated: the form of a changed tool keeps the values that still fit; a removed tool
disappears from the form and from the trail.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from registry.openapi.store import Kept, all_kept
from registry.text.safe_text import visible_line
from tui.dialogs.choose import Choice, ChooseDialog
from tui.dialogs.own_toolkit import Done, own_toolkit
from tui.explorer.explorer import Explorer
from tui.explorer.toolkit_tree import ToolkitTree
from tui.session import Session
from tui.state.settings import key_of


async def manage(screen: Explorer, tree: ToolkitTree) -> None:
    """Show the toolkit at the cursor, or ask for one; then refresh or remove it as the user chooses."""
    if (kept := await _chosen(screen, tree)) is None:
        return
    toolkit = kept.source.toolkit
    if running := [one.tool.name for one in screen.changing if one.tool.toolkit == toolkit]:
        screen.say(f"{running[0]} is still running. Press {key_of(screen.app, 'cancel')} to cancel it.")
        return
    tool = screen.form.tool
    form = tool.name if tool is not None and tool.toolkit == toolkit else ""
    done = await own_toolkit(screen.app, kept, lambda: _headers(screen.session, kept), form)
    if done is not None:
        await _follow(screen, done)
        tree.focus()


async def _chosen(screen: Explorer, tree: ToolkitTree) -> Kept | None:
    known = await asyncio.to_thread(all_kept)
    here = next((one for one in known if one.source.toolkit == tree.toolkit), None)
    if here is not None or len(known) == 1:
        return here or known[0]
    if not known:
        screen.say(f"No toolkit was added yet. Press {key_of(screen.app, 'add_toolkit')} to add one.")
        return None
    choices = [Choice(one.source.title, f"{one.source.toolkit} · {one.source.tools:,} tools") for one in known]
    return await screen.app.push_screen_wait(ChooseDialog("Which toolkit?", choices, known, "Show"))


def _headers(session: Session, kept: Kept) -> Mapping[str, str] | None:
    """The headers for requests to an MCP server, from the account in use; None for other toolkits."""
    if kept.source.mcp is None or not kept.source.mcp.url:
        return None
    toolkit = kept.source.toolkit
    return session.connection(toolkit).endpoint(toolkit).headers()


async def _follow(screen: Explorer, done: Done) -> None:
    """Let the explorer show the tools as they are now, and say what happened."""
    tool, here = screen.form.tool, screen.trail.here
    if tool is not None and here is not None and here.tool == tool.name:
        here.raw = screen.form.raw
    before = set(screen.session.catalog.tools)
    await screen.take_toolkits()
    await screen.retake(before - screen.session.catalog.tools.keys())
    if screen.trail.here is None:
        screen.result.show_nothing()
    words = f"{'Removed' if done.change is None else 'Refreshed'} {done.kept.source.title}."
    screen.app.notify(visible_line(words), title="Toolkits", timeout=12, markup=False)
