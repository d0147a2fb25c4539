"""``callboard find``: tools, ready calls and objects, found by words or a pasted text."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence

from registry.catalog.listing import EFFECT_SIGNS
from registry.catalog.loader import load
from registry.doors.common_options import Commands
from registry.doors.output import ExitCode, line_width, remark, say, say_json
from registry.finding.find import Finder, Item
from registry.saved.from_form import own_calls
from registry.saved.store import usual_store
from registry.text.safe_text import shortened, visible_line

_SHOWN = 12


def add(commands: Commands) -> None:
    """The command and its options."""
    find = commands.add_parser(
        "find",
        help="find tools, ready calls and objects by words or a pasted id",
        description="Find tools, calls that are ready to run, and objects: by words, an id, an email, an address, "
        "a curl command, an amount or a card's last four digits. The best comes first. Nothing is called.",
    )
    find.add_argument("words", nargs="+", metavar="WORDS", help="your question in plain words; no quotes needed")
    find.add_argument("--json", action="store_true", help="print the list as JSON: kind, tool, arguments, effect, title, why")


def run(options: argparse.Namespace) -> int:
    """Print what matches the words, best first; always prints something."""
    return print_found(options.words, as_json=options.json)


def print_found(words: Sequence[str], *, as_json: bool) -> int:
    """Print what matches the words, best first; always prints something."""
    catalog = load()
    own = own_calls(usual_store(catalog).all().calls, catalog.tools)
    found = Finder(catalog, own).find(" ".join(words))
    if as_json:
        say_json(json.dumps([as_member(one) for one in found], indent=2, ensure_ascii=False))
        return ExitCode.OK
    width = line_width()
    for one in found[:_SHOWN]:
        say("\n".join(_lines(one, width)))
    if len(found) > _SHOWN:
        remark(f"{len(found) - _SHOWN} more; --json prints all of them")
    return ExitCode.OK


def as_member(item: Item) -> dict[str, object]:
    """An item as JSON values."""
    return {
        "kind": item.kind,
        "tool": item.tool,
        "arguments": dict(item.arguments),
        "effect": item.effect,
        "title": item.title,
        "why": item.why,
    }


def _lines(item: Item, width: int) -> list[str]:
    call = " ".join(f"{_option(name)} {_value(value)}" for name, value in item.arguments.items())
    lines = [f"{EFFECT_SIGNS.get(item.effect, ' ')} {item.title}"]
    if item.tool:
        lines.append(f"    callboard call {item.tool} {call}".rstrip())
    if item.missing:  # a comment, so that the line can be copied
        lines[-1] += f"  # needs {', '.join(map(_option, item.missing))}"
    if item.why:
        lines.append(f"    {item.why}")
    return [shortened(visible_line(line), width) for line in lines if line.strip()]


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _value(value: object) -> str:
    return " ".join(shlex.quote(str(one)) for one in value) if isinstance(value, list) else shlex.quote(str(value))
