"""The commands of the command line, each in a module that has its options (`add`) and carries it out (`run`).

Only the module of the command is imported.

The parser of a command is made from its help text in ``commands.txt``. A section of that file is a command, an action of one,
or a group of options that several have: its name and what it does in the first line, then a description, options, an epilog.
``@NAME`` stands for the options of a group. Options are written as help shows them: ``--json  help`` has no value;
``--most N  help`` has one, of the type that its name says (`_TYPES`); ``--with X...`` may be repeated, ``--tls [FILE]`` can do
without its value, ``--format {json,csv}`` chooses, and ``tool TOOL`` is an argument. Of those that begin with ``|`` at most one
may be given; help that begins with ``with --OTHER:`` is that of an option which needs another one. A line that is indented
continues the one before.
"""

import argparse
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, NoReturn, TypeAlias

from registry import __version__
from registry.calling.invalid_value import nearest
from registry.doors.common_options import count, port, seconds, size
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
    "config": "cli_explore",
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

TAKE_PARAMETERS = ("call", "sync")
"""Commands with the parameters of their tool as options."""


def module_of(command: str) -> ModuleType:
    """The module of a command."""
    return import_module(f"registry.doors.{COMMANDS[command]}")


@cache
def parser(command: str | None = None) -> argparse.ArgumentParser:
    """The options and commands with theirs; of one command alone if that is known."""
    top, commands = _top()
    for one in COMMANDS if command is None else (command,):
        if one not in commands.choices:  # some modules have two commands
            module_of(one).add(commands)
    return top


@cache
def outline() -> argparse.ArgumentParser:
    """The options, and what each command does without its own options: for the help, and to find out which command it is."""
    top, commands = _top()
    for one in COMMANDS:
        commands.add_parser(one, help=_summary(one), add_help=False)
    return top


def _top() -> tuple[argparse.ArgumentParser, "Commands"]:
    top = _Parser(prog="callboard")
    top.add_argument("--version", action="version", version=f"callboard {__version__}")
    add_options(top, "callboard", {"--read-only": {"dest": "nothing_changes"}})
    return top, top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)


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

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The options; one whose help begins with ``with --OTHER:`` is refused without the other."""
        found, rest = super().parse_known_args(args, namespace)
        options = {name: one for one in self._actions for name in one.option_strings}  # there is no public list of them
        given = [name for name, one in options.items() if getattr(found, one.dest, one.default) != one.default]
        for name in given:
            other = _WITH.match(options[name].help or "")
            if other is not None and other[1] not in given:
                self.error(f"{name} needs {other[1]}")
        return found, rest

    def error(self, message: str) -> NoReturn:
        fail(message, way_out=f"see {self.prog} --help")


_WITH = re.compile(r"with (--[a-z-]+):")

Commands: TypeAlias = "argparse._SubParsersAction[Any]"
"""Where a command adds itself."""

How = Mapping[str, Mapping[str, Any]]
"""What argparse should know besides the help text, by the name of an option or ``ACTION OPTION``."""

_NO_MORE: How = MappingProxyType({})
_TYPES: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("N", "TOKENS", "MINUTES"), count),
    "PORT": port,
    "SECONDS": seconds,
    "SIZE": size,
}


@cache
def _sections() -> dict[str, str]:
    """What a command does, and the rest of its text, by name."""
    text = Path(__file__).with_name("commands.txt").read_text("utf-8")
    heads = [one.partition("\n") for one in re.split(r"(?m)^# ", text)[1:]]
    return {head.partition(":")[0]: f"{head.partition(':')[2].strip()}\n{rest.strip()}" for head, _, rest in heads}


def _summary(section: str) -> str:
    """What a command or an action does."""
    return _sections()[section].partition("\n")[0]


def add_command(
    commands: Commands, name: str, how: How = _NO_MORE, *, needs_action: bool = False, **more: Any
) -> dict[str, argparse.ArgumentParser]:
    """Add a command with its actions; returns their parsers by name."""
    made = {name: commands.add_parser(name, help=_summary(name), **more)}
    own = add_options(made[name], name, how)
    found = [one for one in _sections() if one.startswith(f"{name} ")]
    if found:
        metavar = "ACTION" if needs_action else "[ACTION]"
        actions = made[name].add_subparsers(dest="action", metavar=metavar, required=needs_action)
        for one in found:
            action = one.removeprefix(f"{name} ")
            made[action] = actions.add_parser(action, help=_summary(one))
            add_options(made[action], one, how, own)
    return made


def add_options(command: argparse.ArgumentParser, section: str, how: How = _NO_MORE, above: Collection[str] = ()) -> set[str]:
    """Add the options of a section, its description and epilog; returns the names of the options.

    Those that the command `above` has too count if they are given before the action: the action's own default is left out.
    """
    words, _, text = _sections()[section].partition("\n")
    text = re.sub(r"(?m)^@(\S+)$", lambda group: _sections()[group[1]].strip(), text)
    prose: list[str] = []
    names: set[str] = set()
    either = command.add_mutually_exclusive_group(**how.get("|", {})) if re.search(r"(?m)^\| ", text) else None
    for paragraph in text.split("\n\n"):
        if "  " not in paragraph:
            prose.append(" ".join(paragraph.split()))
            continue
        for line in paragraph.strip().replace("\n ", " ").splitlines():
            spec, _, about = line.removeprefix("| ").partition("  ")
            name, _, value = spec.partition(" ")
            names.add(name)
            known = _said_by(name, value) | {"help": " ".join(about.split())}
            known |= how.get(f"{section.rpartition(' ')[2]} {name}") or how.get(name) or {}
            if name in above:
                known["default"] = argparse.SUPPRESS
            (either if either is not None and line.startswith("| ") else command).add_argument(name, **known)
    described = [*filter(None, prose), None, None]
    command.description = described[0] or f"{words[:1].upper()}{words[1:]}."
    command.epilog = described[1]
    return names


def _said_by(name: str, value: str) -> dict[str, Any]:
    """What argparse should know of an option, by how its value is written."""
    if not value:
        return {"action": "store_true"}
    bare = value.removesuffix("...").strip("[]")
    several, optional = value.endswith("..."), value.startswith("[")
    found: dict[str, Any] = {"metavar": bare, "type": _TYPES.get(bare, str)}
    if bare.startswith("{"):
        found = {"choices": tuple(bare.strip("{}").split(","))}
    if name == "--account":
        found["dest"] = "connection"
    if several and name.startswith("--"):
        return found | {"action": "append", "default": []}
    nargs = {(True, True): "*", (True, False): "+", (False, True): "?"}.get((several, optional))
    return found if nargs is None else found | {"nargs": nargs}
