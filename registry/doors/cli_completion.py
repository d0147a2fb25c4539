"""``callboard completion SHELL``: completion for a shell, made from the parser; names are asked of the program as one types."""

import argparse

import shtab

from registry.catalog.loader import load
from registry.doors.cli_parser import Commands, add_command, parser
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
        top = parser()
        _mark(top, "")
        say(shtab.complete(top, options.shell))
    else:
        # Shells split at spaces: a name with one is typed, in quotes.
        say("\n".join(name for name in _names(options.names) if " " not in name))
    return ExitCode.OK


def _names(kind: str) -> list[str]:
    if kind == "tools":
        return sorted(load().tools)
    if kind == "accounts":
        return list(open_engine().connections)
    return [one.reference for one in usual_store(load()).all().calls]


def _mark(command: argparse.ArgumentParser, name: str) -> None:
    """Say for each argument of a command and its actions how it is completed."""
    for action in command._actions:  # there is no public list of them; shtab reads the same one
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                _mark(inner, f"{name} {word}".strip())
        elif action.metavar in ("FILE", "FOLDER"):
            action.complete = shtab.FILE if action.metavar == "FILE" else shtab.DIRECTORY  # type: ignore[attr-defined]
        elif kind := _kind(action, name):
            action.complete = shtab.cmd(f"callboard completion --names {kind}")  # type: ignore[attr-defined]


def _kind(action: argparse.Action, command: str) -> str:
    if action.metavar == "TOOL":
        return "tools"
    if action.dest in ("connection", "connections"):
        return "accounts"
    return "saved" if action.metavar == "NAME" and (command in _SAVED or "--saved" in action.option_strings) else ""
