"""The commands of the command line, each in a module that has its options (`add`) and carries it out (`run`).

If the first word is a command, only its module is imported.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from registry import __version__
from registry.calling.invalid_value import nearest
from registry.doors.help_texts import add_options
from registry.doors.output import fail

COMMANDS: Mapping[str, str] = {
    "explore": "cli_explore",
    "demo": "cli_explore",
    "oncall": "cli_oncall",
    "find": "cli_tools",
    "tools": "cli_tools",
    "show": "cli_tools",
    "call": "cli_call",
    "page": "cli_page",
    "sync": "cli_sync",
    "run": "cli_saved",
    "saved": "cli_saved",
    "history": "cli_journal",
    "sql": "cli_sql",
    "keys": "cli_explore",
    "mcp": "cli_mcp",
    "serve": "cli_serve",
    "audit": "cli_journal",
    "toolkit": "cli_toolkit",
    "doctor": "cli_doctor",
    "completion": "cli_completion",
    "account": "cli_account",
    "sandbox": "cli_sandbox",
}
"""Command → its module, in the order of the help text."""


def module_of(command: str) -> ModuleType:
    """The module of a command."""
    return import_module(f"registry.doors.{COMMANDS[command]}")


@cache
def parser(command: str | None = None) -> argparse.ArgumentParser:
    """The options and commands, to parse and for the help; of one command alone if it is the first word of the line."""
    top = _Parser(prog="callboard")
    top.add_argument("--version", action="version", version=f"callboard {__version__}")
    add_options(top, "callboard", {"--read-only": {"dest": "nothing_changes"}})
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for one in COMMANDS if command is None else (command,):
        if one not in commands.choices:  # some modules have two commands
            module_of(one).add(commands)
    return top


class _Parser(argparse.ArgumentParser):
    """Prints errors like the rest of the command line."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Suggest the command or value that was probably meant."""
        if action.choices is None or value in action.choices:
            return
        known, near = list(action.choices), nearest(str(value), list(action.choices))
        if isinstance(action, argparse._SubParsersAction):
            fail(f"unknown command {value!r}{near}", way_out=f"see {self.prog} --help")
        raise argparse.ArgumentError(action, f"must be one of {', '.join(known)}; got {value!r}{near}")

    def error(self, message: str) -> NoReturn:
        fail(message, way_out=f"see {self.prog} --help")
