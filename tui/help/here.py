"""The help texts: of places, from ``words.toml``, of form fields, from the catalogue; and every command with its keys."""

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

from textual.widget import Widget
from textual.widgets import Button

from registry.catalog.model import Parameter
from tui.keyboard.commands import COMMANDS, EVERY, SCOPES, Scope, is_offered, written
from tui.state.settings import Settings, current

_KEYS, _ID, _WIDTH = 11, 15, 80


def cheat_sheet(settings: Settings) -> str:
    """The sheet, 80 columns wide. Before each help text is the command's id, by which its keys can be changed."""
    lines = ["Callboard: keys"]
    for scope, title in SCOPES.items():
        lines += ["", title, ""]
        for command in COMMANDS:
            if command.scope == scope:
                keys = "  ".join(written(settings.keys_of(command)))
                lines += wrap(
                    command.help,
                    _WIDTH,
                    # Keys set by the user may be wider than their column; then the id and the help follow them directly.
                    initial_indent=f"  {keys:<{_KEYS - 1}} {command.id:<{_ID - 1}} ",
                    subsequent_indent=" " * (2 + _KEYS + _ID),
                )
    return "\n".join(lines)


def print_cheat_sheet() -> int:
    """Print the sheet with the user's own keys; problems in the settings go to standard error."""
    settings = current()
    for problem in settings.problems:
        sys.stderr.write(f"callboard: {problem}\n")
    sys.stdout.write(cheat_sheet(settings) + "\n")
    return 0


_IDS = {command.id for command in EVERY}

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
    here = ((sign, meaning) for sign, meaning in lines if is_offered(sign.strip("{}")))
    return tuple((with_keys(sign, settings), with_keys(meaning, settings)) for sign, meaning in here)


def with_keys(text: str, settings: Settings) -> str:
    """A text with the ids of commands in braces replaced by their keys."""
    return re.sub(r"\{(\w+)\}", lambda found: settings.key(found[1]) if found[1] in _IDS else found[0], text)


def _said_of(kind: str, name: str) -> str:
    """What is said of a property of parameters; empty if there is nothing to say."""
    return str(help_words()["parameters"][kind].get(name, ""))


def facts_of(parameter: Parameter) -> tuple[tuple[str, str], ...]:
    """What is known about a parameter, in short lines with a name each; where it is sent, the request below the form shows."""
    facts = (
        ("type", _takes(parameter)),
        ("id of", ", ".join(parameter.refers_to)),
        ("not set", _unset(parameter)),
        ("empty", _said_of("empty", parameter.when_empty)),
        ("null", "is sent; that is different from not set" if parameter.nullable else ""),
        ("role", _said_of("roles", parameter.role)),
        ("examples", ", ".join(parameter.suggestions or ())),
    )
    return tuple((name, words) for name, words in facts if words)


def _takes(parameter: Parameter) -> str:
    if parameter.enum:
        return "one of: " + ", ".join(parameter.enum)
    words = _said_of("formats", parameter.format or "") or _said_of("types", parameter.type)
    if parameter.type == "array" and parameter.items is not None:
        kind = _said_of("items", parameter.items.type)
        words = f"{kind}, separated by commas" if kind else "a JSON list"
    if parameter.properties:
        words += f" with {', '.join(one.name for one in parameter.properties)}"
    if parameter.branches:
        words = f"one of: {', '.join(one.name for one in parameter.branches)}"
    if parameter.pattern:
        words += f" that matches {parameter.pattern}"
    if parameter.minimum is not None and parameter.maximum is not None:
        return f"{words} from {parameter.minimum:,} to {parameter.maximum:,}"
    if parameter.minimum is not None:
        return f"{words}, {parameter.minimum:,} or more"
    return f"{words}, {parameter.maximum:,} or less" if parameter.maximum is not None else words


def _unset(parameter: Parameter) -> str:
    if parameter.required:
        return "required: the call cannot run without it"
    for value in (parameter.default, parameter.wire_default):
        if value is not None:
            return f"{str(value).lower() if isinstance(value, bool) else value} is sent"
    return "nothing is sent"


def keys_of(parameter: Parameter) -> tuple[tuple[str, str], ...]:
    """The keys of a parameter's field that are not commands."""
    if parameter.type == "boolean" or parameter.enum:
        return (("← →", "choose, or type the first letter of a value"), ("Del", "not set"))
    keys = [("Enter", "run the tool"), ("→", "at the end of the line: accept the grey suggestion")]
    if parameter.refers_to:
        keys.append(("↓ ↑", "browse ids from earlier results; Enter inserts one"))
    if parameter.when_empty != "refuse" or parameter.nullable:
        states = [*(["empty"] if parameter.when_empty != "refuse" else []), *(["null"] if parameter.nullable else [])]
        keys.append(("{empty}", f"switch between {', '.join(states)} and not set"))
    return tuple(keys)
