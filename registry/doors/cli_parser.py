"""The commands, each in a module that has its `OPTIONS` and carries it out (`run`); and options that several have.

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
import math
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn, TypeAlias, TypeVar

from msgspec.structs import replace

from registry import __version__
from registry.accounts.connection import Connection
from registry.calling.receiving import ResponseLimits
from registry.calling.times import nearest
from registry.catalog.loader import load
from registry.doors.ending import Ending
from registry.doors.output import fail
from registry.engine.reading import ReadingEngine
from registry.sandbox.clock import DEFAULT_SCENARIO, SCENARIOS
from registry.sandbox.faults.specification import WrongFault, parse
from registry.text.shown import shortened, whole


def application_of(known: argparse.Namespace) -> Callable[..., Any]:
    """A function that creates the sandbox for the options; it takes a kept world or creates its own."""
    for text in known.fault:
        try:
            parse(text)
        except WrongFault as error:
            fail(f"--fault: {error}")
    if known.scenario is not None and known.scenario not in SCENARIOS:
        fail(f"--scenario: unknown scenario {known.scenario!r}; available: {', '.join(SCENARIOS)}")

    def made(kept: Any = None) -> Any:
        from registry.sandbox.server import application  # only when it is asked for something: it is half of the program

        return application(
            kept=kept,
            faults=known.fault,
            scenario=known.scenario or DEFAULT_SCENARIO,
            limits=not known.no_limits,
            strict_keys=getattr(known, "strict_keys", False),  # an option of sandboxes that are served
            rough=known.world == "rough",
        )

    return made


Number = TypeVar("Number", int, float)


def option_of(parameter: str) -> str:
    """The option of a parameter: ``--customer-id``."""
    return f"--{parameter.replace('_', '-')}"


def bounded(words: str, read: Callable[[str], Number | None], least: float, most: float = math.inf) -> Callable[[str], Number]:
    """A reader of numbers between two bounds, for argparse; its error says that it must be what the words say."""

    def number(text: str) -> Number:
        found = read(text)
        if found is None or not least <= found <= most:  # NaN fails this, too
            raise argparse.ArgumentTypeError(f"must be {words}; got {shortened(text, 40)!r}")
        return found

    return number


def fraction(text: str) -> float | None:
    """The number in a text; None for any other text."""
    try:
        return float(text)
    except ValueError:
        return None


number = bounded("a whole number", whole, -math.inf)
count = bounded("a whole number from 1", whole, 1)
port = bounded("a number from 0 to 65535", whole, 0, 65_535)  # 0 picks a free one
_LONGEST = 86_400.0
seconds = bounded(f"a number of seconds above 0, at most {_LONGEST:g}", fraction, math.nextafter(0, 1), _LONGEST)


def file_bytes(path: str, most: int, option: str) -> bytes:
    """At most so many bytes of a file, and one more if it is longer; ends the command if it cannot be read."""
    try:
        with Path(os.path.expanduser(path)).open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        fail(f"{option}: {path}: {(error.strerror or str(error)).lower()}", field=option)


def text_in_file(path: str, most: int, option: str) -> str:
    """The text of a file of at most so many bytes; ends the command if it cannot be read."""
    content = file_bytes(path, most, option)
    if len(content) > most:
        fail(f"{option}: {path} has more than {most // 1024} KiB", field=option)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        fail(f"{option}: {path} is not UTF-8", field=option)


def pairs(words: Sequence[str], option: str) -> dict[str, str]:
    """The values of a repeated option ``NAME=VALUE``, by name."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            fail(f"{option} {word}: write it as NAME=VALUE", field=option)
        if name in found:
            fail(f"{option} {name} was given more than once", field=option)
        found[name] = value
    return found


SEVERAL_ACCOUNTS = {"action": "append"}
"""How an ``--account NAME`` that may be repeated is added: a list or None in `connection`."""


def account_for(engine: ReadingEngine, *names: str | None) -> Callable[[str], Connection]:
    """The account for a toolkit's calls: the first of the named ones that serves the toolkit, otherwise the usual one."""
    named = [engine.connection(name) for name in names if name is not None]

    def connection(toolkit: str) -> Connection:
        return next((one for one in named if toolkit in one.endpoints), None) or engine.named(None, toolkit)

    return connection


def account_variables() -> dict[str, set[str]]:
    """The environment variables that hold credentials, by the account's name or its service's."""
    found = {one.name: set(one.variables) for one in load().toolkits.values()}
    for one in ReadingEngine().account_book.read().found.values():
        found[one.name] = {one.secret.at} if one.secret.kind == "env" else set()
    return found


_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]*)")
_USUAL = ResponseLimits()


def size(text: str) -> int:
    """A size in bytes, for argparse."""
    found = _SIZE.fullmatch(text.strip())
    unit = _UNITS.get(found.group(2).upper()) if found is not None else None
    found_size = int(float(found.group(1)) * unit) if found is not None and unit is not None and len(text) < 30 else 0
    if not 1 <= found_size <= 2**40:
        raise argparse.ArgumentTypeError(f"must be a size such as 500000, 20 MB or 1 GB; got {text!r}")
    return found_size


def limits_of(options: argparse.Namespace) -> tuple[ResponseLimits, Ending]:
    """The limits from the options, and the `Ending` for the deadline."""
    limits = _USUAL
    if options.timeout is not None:
        silence: float = options.timeout
        limits = replace(limits, silence=silence, connecting=min(silence, limits.connecting), whole=max(silence, limits.whole))
    if options.max_size is not None:
        limits = replace(limits, size=options.max_size)
    return limits, Ending(options.deadline)


COMMANDS: Mapping[str, str] = {
    "explore": "registry.doors.cli_explore",
    "demo": "registry.doors.cli_explore",
    "oncall": "registry.doors.cli_oncall",
    "find": "registry.doors.cli_tools",
    "tools": "registry.doors.cli_tools",
    "show": "registry.doors.cli_tools",
    "call": "registry.doors.cli_call",
    "page": "registry.doors.cli_page",
    "sync": "registry.doors.cli_sync",
    "run": "registry.doors.cli_saved",
    "saved": "registry.doors.cli_saved",
    "history": "registry.doors.cli_journal",
    "sql": "registry.doors.cli_sql",
    "keys": "registry.doors.cli_explore",
    "config": "registry.doors.cli_explore",
    "mcp": "registry.doors.cli_mcp",
    "serve": "registry.doors.cli_serve",
    "audit": "registry.doors.cli_journal",
    "toolkit": "registry.doors.cli_toolkit",
    "doctor": "registry.doors.cli_doctor",
    "completion": "registry.doors.cli_completion",
    "account": "registry.doors.cli_account",
    "sandbox": "registry.doors.cli_sandbox",
}
"""Command → its module, in the order of the help text."""

TAKE_PARAMETERS = ("call", "sync")
"""Commands with the parameters of their tool as options."""


@cache
def parser(command: str | None = None, *, outline: bool = False) -> argparse.ArgumentParser:
    """The options and commands with theirs; of one command alone if that is known.

    The `outline` has only what each command does: for the help, and to find out which command it is.
    """
    top = _Parser(prog="callboard")
    top.add_argument("--version", action="version", version=f"callboard {__version__}")
    add_options(top, "callboard", {"--read-only": {"dest": "nothing_changes"}})
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for one in COMMANDS if command is None else (command,):
        if outline:
            commands.add_parser(one, help=_sections()[one][0], add_help=False)
            continue
        for name, how in import_module(COMMANDS[one]).OPTIONS.items():
            if name not in commands.choices:  # some modules have two commands
                _add_command(commands, name, how)
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
"""Where commands are added."""

How = Mapping[str, Mapping[str, Any]]
"""What argparse should know besides the help text, by the name of an option, ``ACTION OPTION``, or an action.

The empty name is that of the command itself, and ``ACTION`` that of all its actions.
"""

Options = Mapping[str, How]
"""How each command of a module is added: its `OPTIONS`."""

_NO_MORE: How = MappingProxyType({})
_TYPES: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("N", "TOKENS", "MINUTES"), count),
    "PORT": port,
    "SECONDS": seconds,
    "SIZE": size,
}


@cache
def _sections() -> dict[str, tuple[str, str]]:
    """What a command, or an action of one, does, and the rest of its text, by name."""
    text = Path(__file__).with_name("commands.txt").read_text("utf-8")
    heads = [one.partition("\n") for one in re.split(r"(?m)^# ", text)[1:]]
    return {head.partition(":")[0]: (head.partition(":")[2].strip(), rest.strip()) for head, _, rest in heads}


def _add_command(commands: Commands, name: str, how: How) -> None:
    """Add a command with its actions."""
    command = commands.add_parser(name, help=_sections()[name][0], **how.get("", {}))
    own = add_options(command, name, how)
    found = [one for one in _sections() if one.startswith(f"{name} ")]
    if found:
        actions = command.add_subparsers(dest="action", **{"metavar": "[ACTION]", **how.get("ACTION", {})})
        for one in found:
            action = one.removeprefix(f"{name} ")
            add_options(actions.add_parser(action, help=_sections()[one][0], **how.get(action, {})), one, how, own)


def add_options(command: argparse.ArgumentParser, section: str, how: How = _NO_MORE, above: Collection[str] = ()) -> set[str]:
    """Add the options of a section, its description and epilog; returns the names of the options.

    Those that the command `above` has too count if they are given before the action: the action's own default is left out.
    """
    words, text = _sections()[section]
    text = re.sub(r"(?m)^@(\S+)$", lambda group: _sections()[group[1]][1], text)
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
    command.epilog = command.epilog or described[1]
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
