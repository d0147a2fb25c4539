"""What several commands have: a tool by its name, accounts, consent to changes, where results are saved, limits, numbers."""

import argparse
import math
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from registry.accounts.connection import Connection
from registry.accounts.policy import Decision
from registry.calling.receiving import ResponseLimits
from registry.catalog.loader import UnknownTool, load, services
from registry.catalog.model import Tool
from registry.doors.ending import Ending
from registry.doors.output import fail
from registry.engine.reading import ReadingEngine
from registry.text.readings import whole
from registry.text.safe_text import shortened

Number = TypeVar("Number", int, float)


def tool_named(name: str) -> Tool:
    """The tool with a name; otherwise ends the program with the nearest names."""
    try:
        return load().tool(name)
    except UnknownTool as error:
        fail(str(error), way_out="run callboard tools to list all tools")


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


def refusal(tool: Tool, decision: Decision, subject: str, *, read_only: bool) -> str:
    """Why a change is not sent, and the option that allows it; `subject` is the id of what it changes."""
    ways = {
        "confirm": "Add --yes to confirm",
        "type": f"Add --confirm {subject} to confirm",
        "switch": "Add --allow-writes to allow it, this time",
        "refuse": "Remove --read-only or unset CALLBOARD_READ_ONLY" if read_only else decision.way_out.rstrip("."),
    }
    return " ".join(filter(None, (decision.reason, tool.rule, ways[decision.kind])))


def account_variables() -> dict[str, set[str]]:
    """The environment variables that hold credentials, by the account's name or its service's."""
    found = {one.name: set(one.variables) for one in services().values()}
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
