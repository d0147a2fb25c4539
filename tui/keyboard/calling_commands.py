"""Finds commands by typed words, and runs them where they work.

The ask line and the palette both list commands; the widget that runs a command is looked up on the present screen.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from tui.keyboard.commands import NAMED, Command

_WORDS = re.compile(r"\w+")
_SHORTEST, _MOST = 3, 5


def commands_named(text: str, screen: Screen[Any]) -> list[Command]:
    """The commands of a screen whose titles have words that begin with the typed ones, shortest title first.

    After ``>`` only commands are meant: all that match, then those whose help has the words.
    """
    typed, only = _WORDS.findall(text.lower()), text.startswith(">")
    if not only and len("".join(typed)) < _SHORTEST:
        return []
    named = [one for one in NAMED if _has_words(one.title, typed)]
    found = sorted(that_work(named, screen), key=lambda command: len(command.title) if typed else 0)
    if not only:
        return found[:_MOST]
    found += [one for one in themes_of(screen.app) if typed and _has_words(one.title, typed)]
    return [*found, *that_work((one for one in NAMED if one not in named and _has_words(one.help, typed)), screen)]


def _has_words(title: str, typed: Sequence[str]) -> bool:
    """Whether each typed word is the beginning of a word of a title."""
    words = _WORDS.findall(title.lower())
    return all(any(word.startswith(one) for word in words) for one in typed)


def themes_of(app: App[Any]) -> list[Command]:
    """Each theme as a command: > light theme."""
    return [
        Command("theme", f"app.use_theme('{name}')", "Use this theme.", "f7", f"Theme {name.replace('-', ' ')}")
        for name in sorted(app.available_themes)
    ]


async def carry_out(command: Command, screen: Screen[Any]) -> None:
    """Run a command of a screen where it works, and move the focus there."""
    panes: dict[str, Widget | None] = {}
    doer = doer_of(command, screen, panes)
    pane = panes[command.scope]
    if pane is not None and pane is not screen and not pane.has_focus_within:
        await screen.app.run_action(f"pane('{command.scope}')", screen)
    await screen.app.run_action(command.action, doer)


def that_work(commands: Iterable[Command], screen: Screen[Any]) -> list[Command]:
    """The commands that work on a screen."""
    panes: dict[str, Widget | None] = {}
    return [command for command in commands if doer_of(command, screen, panes) is not None]


def doer_of(command: Command, screen: Screen[Any], panes: dict[str, Widget | None]) -> DOMNode | None:
    """The node that runs a command: the focused widget or a parent if it can, else the first in its pane that can.

    `panes` are those found already, by their scopes: looking them up is slow.
    """
    if command.scope not in panes:
        panes[command.scope] = _pane(command.scope, screen)
    if (pane := panes[command.scope]) is None:
        return None
    whose, _, action = command.action.partition("(")[0].rpartition(".")
    name = f"action_{action}"
    if whose:
        holder: DOMNode = screen.app if whose == "app" else screen
        return holder if hasattr(holder, name) else None
    chain = screen.focused.ancestors_with_self if screen.focused is not None else []
    inside = [one for one in chain if pane in one.ancestors_with_self]
    return next((one for one in [*inside, *pane.walk_children(with_self=True)] if hasattr(one, name)), None)


def _pane(scope: str, screen: Screen[Any]) -> Widget | None:
    """The widget in which the commands of a scope work on a screen; None if they do not."""
    if scope == "everywhere" or (scope == "compare" and not screen.query(".pane")):
        return screen
    # An input line in a pane may have the id of another screen's pane; it is not a container.
    return next((one for one in screen.walk_children(Widget) if one.id == scope and one.is_container), None)
