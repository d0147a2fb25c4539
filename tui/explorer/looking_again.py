"""Looks again: makes the call of the result on screen once more, and says what has changed since."""

from __future__ import annotations

import asyncio

from registry.calling.several_accounts import SeveralAccounts
from registry.results.comparison import Change, changes
from registry.text.safe_text import shortened, visible_line
from tui.explorer.explorer import Explorer
from tui.state.settings import key_of

_LONGEST = 24


async def look_again(context: Explorer) -> None:
    """Repeat the read of the result on screen, show the new result in its place, and what differs in the key bar."""
    result, visit, tool = context.result.result, context.trail.here, context.tool
    connection = context.session.connections.get(result.connection) if result is not None else None
    if result is None or visit is None or tool is None or connection is None or not result.tool == visit.tool == tool.name:
        context.say("Nothing to look at again. Run the tool first.")
    elif tool.effect != "read":
        context.say(f"{tool.name} changes data; only what reads is repeated.")
    elif isinstance(result, SeveralAccounts) or context.result.window is not None:
        context.say("Only one page of one account can be looked at again.")
    elif not context.result.has_class("-running"):
        context.say("Looking again…", "$text-accent")
        # Relative times are computed again.
        new = await context.session.call(tool, dict(visit.asked), connection=connection)
        if context.result.result is not result:
            return
        if new.failure is not None:
            context.say(visible_line(f"✗ {new.failure.title}: {new.failure.cause}"), "$text-error")
            return
        found = await asyncio.to_thread(changes, result.body, new.body)
        context.present(new, stays=True)
        if not found.total:
            context.say("✓ Nothing has changed.", "$text-success")
            return
        told = [_words(one) for one in found.first[:3]]
        more = f" · {key_of(context.app, 'compare')} compares" if found.total > 1 else ""
        count = f"{found.total} {'change' if found.total == 1 else 'changes'}"
        context.say(visible_line(f"{count}: {' · '.join(told)}{more}"), "$text-warning")


def _words(one: Change) -> str:
    values = " → ".join(shortened(value, _LONGEST) for value in (one.before, one.after) if value)
    return f"{one.kind} {one.path or 'the result'} {values}".rstrip()
