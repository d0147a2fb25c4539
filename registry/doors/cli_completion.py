"""``callboard completion SHELL``: completion for a shell, made from the parser; names are asked of the program as one types."""

import argparse

import shtab

from registry.catalog.loader import load
from registry.doors.cli_parser import TAKE_PARAMETERS, Commands, add_command, parser
from registry.doors.output import ExitCode, say
from registry.engine import open_engine
from registry.saved.store import usual_store

_SHELLS = ("bash", "zsh", "fish")
_SAVED = ("run", "saved show", "saved delete", "saved export")
"""Commands whose NAME is that of a saved call."""


def add(commands: Commands) -> None:
    """The command and its options."""
    add_command(commands, "completion", {"|": {"required": True}, "shell": {"choices": _SHELLS}})


def run(options: argparse.Namespace) -> int:
    """Print the completion, or names for it, one per line; returns the exit code."""
    if options.names is None:
        top = parser.__wrapped__()  # one of its own: it gets arguments that commands do not have
        _mark(top, "")
        # An argument that may be repeated is for zsh `*:`; what shtab 1.13 writes is complete after the first.
        say(shtab.complete(top, options.shell).replace('"(*)::', '"*:'))
    else:
        # Shells split at spaces: the name of an account with one is typed, in quotes.
        say("\n".join(name for name in _names(options.names) if " " not in name))
    return ExitCode.OK


def _names(kind: str) -> list[str]:
    if kind == "tools":
        return sorted(load().tools)
    if kind == "accounts":
        return list(open_engine().connections)
    if kind == "ids":
        return open_engine().history.ids()
    return [one.word for one in usual_store(load()).all().calls]


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
            action.complete = _asked(kind)  # type: ignore[attr-defined]


def _asked(kind: str) -> dict[str, str | dict[str, str]]:
    """How each shell asks for names. `shtab.cmd` would have zsh ask for the names of every argument at each Tab."""
    name, command = f"_callboard_{kind}", f"callboard completion --names {kind}"
    bash, zsh = f'{name}() {{ compgen -W "$({command})" -- "$1"; }}', f'{name}() {{ compadd -- ${{(f)"$({command})"}} }}'
    return {"bash": name, "zsh": name, "fish": f"({command})", "preamble": {"bash": bash, "zsh": zsh}}


def _kind(action: argparse.Action, command: str) -> str:
    if action.metavar == "TOOL":
        return "tools"
    if action.dest in ("connection", "connections"):
        return "accounts"
    if action.metavar == "ID" and not command.startswith("account"):
        return "ids"
    return "saved" if action.metavar == "NAME" and (command in _SAVED or "--saved" in action.option_strings) else ""
