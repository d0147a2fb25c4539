"""``callboard completion SHELL``: completion for a shell, made from the parser; names are asked of the program as one types."""

import argparse
from collections.abc import Iterable

import shtab

from registry.catalog.loader import load
from registry.doors.cli_parser import TAKE_PARAMETERS, Options, parser
from registry.doors.output import ExitCode, say
from registry.engine import open_engine
from registry.saved.store import usual_store

_SAVED = ("run", "saved show", "saved delete", "saved export")
"""Commands whose NAME is that of a saved call."""


OPTIONS: Options = {"completion": {"|": {"required": True}, "shell": {"choices": ("bash", "zsh", "fish")}}}


def run(options: argparse.Namespace) -> int:
    """Print the completion, or names for it, one per line; returns the exit code."""
    if options.names is None:
        top = parser.__wrapped__()  # one of its own: it gets arguments that commands do not have
        _mark(top, "")
        # An argument that may be repeated is for zsh `*:`; what shtab 1.13 writes is complete after the first.
        say(shtab.complete(top, options.shell).replace('"(*)::', '"*:'))
    else:
        match options.names:
            case "tools":
                names: Iterable[str] = sorted(load().tools)
            case "accounts":
                names = open_engine().connections
            case "ids":
                names = open_engine().history.ids()
            case _:
                names = [one.word for one in usual_store(load()).all().calls]
        # Shells split at spaces: the name of an account with one is typed, in quotes.
        say("\n".join(name for name in names if " " not in name))
    return ExitCode.OK


def _mark(command: argparse.ArgumentParser, name: str) -> None:
    """Say for each argument of a command and its actions how it is completed."""
    if name in TAKE_PARAMETERS:  # their values may be ids
        command.add_argument("value", nargs="*", metavar="ID", help="an id that was seen")
    for action in command._actions:  # there is no public list of them; shtab reads the same one
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                _mark(inner, f"{name} {word}".strip())
        elif action.metavar in ("FILE", "FOLDER"):
            action.complete = shtab.FILE if action.metavar == "FILE" else shtab.DIRECTORY  # type: ignore[attr-defined]
        elif kind := _kind(action, name):
            # How each shell asks for names. `shtab.cmd` would have zsh ask for the names of every argument at each Tab.
            own, ask = f"_callboard_{kind}", f"callboard completion --names {kind}"
            bash, zsh = f'{own}() {{ compgen -W "$({ask})" -- "$1"; }}', f'{own}() {{ compadd -- ${{(f)"$({ask})"}} }}'
            how = {"bash": own, "zsh": own, "fish": f"({ask})", "preamble": {"bash": bash, "zsh": zsh}}
            action.complete = how  # type: ignore[attr-defined]


def _kind(action: argparse.Action, command: str) -> str:
    if action.metavar == "TOOL":
        return "tools"
    if action.dest in ("connection", "connections"):
        return "accounts"
    if action.metavar == "ID" and not command.startswith("account"):
        return "ids"
    return "saved" if action.metavar == "NAME" and (command in _SAVED or "--saved" in action.option_strings) else ""
