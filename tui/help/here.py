"""Finds the help text for the focused widget."""

from __future__ import annotations

import re

from textual.widget import Widget
from textual.widgets import Button

from tui.help.about import About
from tui.help.parameters import about_field
from tui.help.words import ABOUT
from tui.keyboard.commands import COMMANDS
from tui.state.settings import Settings

_IDS = {command.id for command in COMMANDS}


def about(widget: Widget | None, settings: Settings) -> About | None:
    """The help text of a widget, or of its nearest ancestor that has one; None if there is none."""
    otherwise = None
    for node in widget.ancestors_with_self if widget is not None else ():
        parameter = getattr(node, "parameter", None)
        if parameter is not None:
            found = about_field(parameter)
            # Text from the catalogue is shown unchanged; it may contain braces of its own.
            return found._replace(keys=_with_keys(found.keys, settings))
        for kind in type(node).__mro__:
            if (said := ABOUT.get(kind.__name__)) is None:
                continue
            if isinstance(node, Button):
                otherwise = said  # the help of the dialog says more about its buttons
                continue
            return _resolved(said, settings)
    return _resolved(otherwise, settings) if otherwise is not None else None


def _resolved(one: About, settings: Settings) -> About:
    return About(one.title, with_keys(one.text, settings), _with_keys(one.keys, settings), _with_keys(one.words, settings))


def _with_keys(lines: tuple[tuple[str, str], ...], settings: Settings) -> tuple[tuple[str, str], ...]:
    return tuple((with_keys(sign, settings), with_keys(meaning, settings)) for sign, meaning in lines)


def with_keys(text: str, settings: Settings) -> str:
    """A text with the ids of commands in braces replaced by their keys."""
    return re.sub(r"\{(\w+)\}", lambda found: settings.key(found[1]) if found[1] in _IDS else found[0], text)
