"""Commands by the words that are typed for them, and carried out where they work.

The ask line and the palette both list commands; what a command needs is looked up on the screen at that moment.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tui.keyboard.commands import COMMANDS, SCOPES, Command

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.screen import Screen
    from textual.widget import Widget

_WORDS = re.compile(r"\w+")
_SHORTEST, _MOST = 3, 5


def commands_named(text: str, screen: Screen[Any]) -> list[Command]:
    """The commands that work on a screen and in whose titles words begin as those typed do; the shortest title first."""
    typed = _WORDS.findall(text.lower())
    if len("".join(typed)) < _SHORTEST:
        return []
    found = []
    for command in COMMANDS:
        words = _WORDS.findall(command.title.lower())
        fits = command.scope != "lists" and all(any(word.startswith(one) for word in words) for one in typed)
        if fits and doer_of(command, screen) is not None:
            found.append(command)
    return sorted(found, key=lambda command: len(command.title))[:_MOST]


def is_named(command: Command, text: str) -> bool:
    """Whether a text is the whole title of a command."""
    return command.title.lower() == text.strip().lower()


async def carry_out(command: Command, screen: Screen[Any]) -> None:
    """Run a command where it works, and go there when the keyboard is elsewhere; say where it works when that is not here."""
    pane, doer = _pane(command, screen), doer_of(command, screen)
    if doer is None:
        screen.app.notify(f"{command.title} works only in: {SCOPES[command.scope]}.", markup=False)
        return
    if pane is not None and pane is not screen and not pane.has_focus_within:
        await screen.app.run_action(f"pane('{command.scope}')", screen)
    await screen.app.run_action(command.action, doer)


def doer_of(command: Command, screen: Screen[Any]) -> DOMNode | None:
    """Who carries a command out: what has the keyboard, if it can, else the first in its pane that can."""
    pane = _pane(command, screen)
    if pane is None:
        return None
    whose, _, action = command.action.partition("(")[0].rpartition(".")
    name = f"action_{action}"
    if whose:
        holder: DOMNode = screen.app if whose == "app" else screen
        return holder if hasattr(holder, name) else None
    chain = screen.focused.ancestors_with_self if screen.focused is not None else []
    inside = [one for one in chain if pane in one.ancestors_with_self]
    return next((one for one in [*inside, *pane.walk_children(with_self=True)] if hasattr(one, name)), None)


def _pane(command: Command, screen: Screen[Any]) -> Widget | None:
    """Where a command works on a screen; None where it does not."""
    if command.scope == "everywhere" or (command.scope == "compare" and not screen.query(".pane")):
        return screen
    return next(iter(screen.query(f"#{command.scope}")), None)
