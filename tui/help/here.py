"""The help texts: of widgets and places, from ``words.toml``, and of form fields, from the catalogue."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from textual.widget import Widget
from textual.widgets import Button

from tui.help.parameters import facts_of, keys_of
from tui.keyboard.commands import COMMANDS, Scope
from tui.state.settings import Settings

_IDS = {command.id for command in COMMANDS}

Lines = tuple[tuple[str, str], ...]


class About(NamedTuple):
    """The help text of one widget: its name, what it does, keys that are not commands, and what its signs and words mean."""

    title: str
    text: str = ""
    keys: Lines = ()
    words: Lines = ()


@cache
def help_words() -> Mapping[str, Any]:
    """The content of ``words.toml``."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def about(widget: Widget | None, settings: Settings) -> About | None:
    """The help text of a widget, or of its nearest ancestor that has one; None if there is none."""
    widgets, otherwise = help_words()["widgets"], None
    for node in widget.ancestors_with_self if widget is not None else ():
        if (parameter := getattr(node, "parameter", None)) is not None:
            # Text from the catalogue is shown unchanged; it may contain braces of its own.
            keys = _with_keys(keys_of(parameter), settings)
            return About(f"The field {parameter.name}", parameter.help, keys, facts_of(parameter))
        said = next((kind.__name__ for kind in type(node).__mro__ if kind.__name__ in widgets), None)
        if said is not None and not isinstance(node, Button):  # the help of a dialog says more about its buttons
            return _about(said, settings)
        otherwise = otherwise or said
    return _about(otherwise, settings) if otherwise is not None else None


def about_place(place: Scope, settings: Settings) -> str:
    """What a place is for; empty if there is nothing to say."""
    return with_keys(help_words()["places"].get(place, ""), settings)


def _about(name: str, settings: Settings) -> About:
    said = help_words()["widgets"][name]
    groups = (help_words()["groups"][group].items() for group in said.get("also", ()))
    words = [*said.get("words", {}).items(), *(line for group in groups for line in group)]
    text = with_keys(said.get("text", ""), settings)
    return About(said["title"], text, _with_keys(said.get("keys", {}).items(), settings), _with_keys(words, settings))


def _with_keys(lines: Iterable[tuple[str, str]], settings: Settings) -> Lines:
    return tuple((with_keys(sign, settings), with_keys(meaning, settings)) for sign, meaning in lines)


def with_keys(text: str, settings: Settings) -> str:
    """A text with the ids of commands in braces replaced by their keys."""
    return re.sub(r"\{(\w+)\}", lambda found: settings.key(found[1]) if found[1] in _IDS else found[0], text)
