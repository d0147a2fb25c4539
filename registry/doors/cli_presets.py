"""``callboard presets`` (also ``arguments``): arguments saved under a name; and ``callboard call … --preset NAME``."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from registry.calling.exact_json import dumps
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.doors.cli_save import refuse_file
from registry.doors.cli_tools import tool_named
from registry.doors.output import ExitCode, complain, fail, remark, say, say_json
from registry.files.reasons import is_local
from registry.presets.preset import MOST_BYTES, Preset, PresetError, checked_name, file_text, read_file
from registry.presets.sharing import write_shared
from registry.presets.store import NONE_SAVED, NameTaken, PresetStore, shared_file, usual_store
from registry.results.export.formats import NotExported
from registry.sharing.folders import Kind, shared_folders
from registry.sharing.writing import NotShared, place_for, put
from registry.text.safe_text import exact_json

Parser = TypeVar("Parser", bound=argparse.ArgumentParser)

# Every command adds the options; what stores presets is imported only by those that use it.


def add_arguments(commands: argparse._SubParsersAction[Parser]) -> None:
    """The command, its actions and their options."""
    command = commands.add_parser(
        "presets",
        help="list, show, delete, export, share and import presets",
        description="List presets: tool, name, time saved, values. Use one with callboard call --preset NAME.",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object per line")
    actions = command.add_subparsers(dest="action", metavar="[ACTION]")
    listing = actions.add_parser("list", help="presets of one tool (default: all)")
    listing.add_argument("tool", metavar="TOOL", nargs="?", help="name of the tool")
    # The command's own option still counts if it is given before the action.
    listing.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object per line")
    for action, words in (("show", "print a preset as JSON"), ("delete", "delete a preset")):
        one = actions.add_parser(action, help=words)
        one.add_argument("tool", metavar="TOOL", help="name of the tool")
        one.add_argument("name", metavar="NAME", help="name of the preset")
    leaving = actions.add_parser("export", help="export a preset to a file")
    leaving.add_argument("tool", metavar="TOOL", help="name of the tool")
    leaving.add_argument("name", metavar="NAME", help="name of the preset")
    leaving.add_argument("file", metavar="FILE", nargs="?", help="output file (default: standard output)")
    leaving.add_argument("--replace", action="store_true", help="overwrite an existing file")
    giving = actions.add_parser("share", help="put a preset into a shared folder")
    giving.add_argument("tool", metavar="TOOL", help="name of the tool")
    giving.add_argument("name", metavar="NAME", help="name of the preset")
    giving.add_argument("--to", metavar="FOLDER", required=True, help="name of a shared folder, or the path of a folder")
    giving.add_argument("--replace", action="store_true", help="overwrite a shared preset of the same name")
    coming = actions.add_parser("import", help="import a preset from a file")
    coming.add_argument("file", metavar="FILE", help="preset file; - reads standard input")
    coming.add_argument("--name", metavar="NAME", help="save under this name instead of the one in the file")
    coming.add_argument("--replace", action="store_true", help="overwrite a preset of the same name")


def with_its_tool(argv: Sequence[str], place: int) -> Sequence[str]:
    """The words of a command that takes a tool; if they name no tool, the tool of ``--preset`` is inserted.

    Args:
        argv: the command line.
        place: the position of the command in it.

    Fails if there is no such preset, or several tools have one with that name.
    """
    words = list(argv[place + 1 :])
    wanted = _preset_among(words)
    if wanted is None or not words[0].startswith("-"):
        return argv

    catalog = load()
    if any(catalog.find(word) or catalog.named(word) for word in words if not word.startswith("-")):
        return argv
    return [*argv[: place + 1], _tool_of(wanted, catalog.tools, argv[place]), *words]


def _preset_among(words: Sequence[str]) -> str | None:
    for word, following in zip(words, [*words[1:], None], strict=False):
        option, equals, value = word.partition("=")
        if option == "--preset":
            return value if equals else following
    return None


def _tool_of(wanted: str, tools: Mapping[str, Tool], command: str) -> str:
    sets = usual_store().at_once()
    found = [name for name in sets.tools() if name in tools and sets.of(tools[name]).named(wanted) is not None]
    if len(found) > 1:
        known = ", ".join(found)
        way_out = f"name the tool: callboard {command} {found[0]} --preset {shlex.quote(wanted)}"
        fail(f"--preset: {len(found)} tools have a preset {wanted!r}: {known}", way_out=way_out)
    if found:
        return found[0]
    path = Path(wanted)
    if os.sep not in wanted and not path.is_file():
        fail(f"--preset: no preset or file {wanted!r}", way_out="callboard presets lists them")
    try:
        return shared_file(path, tools).tool
    except PresetError as error:
        fail(f"--preset {wanted}: {error}")


class Saved(NamedTuple):
    """The arguments of a preset, and its shared folder; empty for the user's own."""

    arguments: dict[str, object]
    shared: str = ""


def saved_arguments(tool: Tool, wanted: str | None) -> Saved:
    """The arguments of ``--preset``: a preset by its name, or the file at that path. Fails if there is neither."""
    if wanted is None:
        return Saved({})

    kept = usual_store().of(tool)
    one = kept.named(wanted)
    if one is None:
        path = Path(wanted)
        try:
            if os.sep in wanted or path.is_file():
                one = shared_file(path, {tool.name: tool})
        except PresetError as error:
            fail(f"--preset {wanted}: {error}")
    if one is None:
        for notice in kept.notices:
            remark(notice)
        there = ", ".join(repr(known.reference) for known in kept.presets)
        fail(f"--preset: no preset or file {wanted!r} for {tool.name}. " + (f"Presets: {there}" if there else NONE_SAVED))
    return Saved(dict(one.raw), one.shared)


def manage(options: argparse.Namespace) -> int:
    """List, show, delete, import or export; returns the exit code."""
    sets = usual_store()
    try:
        match options.action:
            case "show" | "export":
                return _show(sets, options)
            case "delete":
                return _delete(sets, options)
            case "share":
                return _share(sets, options)
            case "import":
                return _import(sets, options)
            case _:
                return _list(sets.at_once(), getattr(options, "tool", None), as_json=options.json)
    except NameTaken as error:
        fail(f"{error.cause} Choose another name with --name, or add --replace.")
    except PresetError as error:
        fail(str(error), ExitCode.LOCAL if is_local(error) else ExitCode.USAGE)
    except NotExported as error:
        refuse_file(error)


def _list(sets: PresetStore, name: str | None, *, as_json: bool) -> int:
    known = {tool_named(name).name} if name is not None else set(sets.tools())
    tools = load().tools
    found = 0
    for notice in sets.notices():
        complain(notice)
    if unreadable := sets.unreadable():
        complain(unreadable, code=ExitCode.LOCAL)
    for stray in sorted(known - set(tools)):
        complain(f"presets exist for {stray}, which is not a tool in this version")
    for tool in (tools[one] for one in sorted(known) if one in tools):
        kept = sets.of(tool)
        for notice in kept.notices:
            complain(notice)
        for one in kept.presets:
            if as_json:
                say_json(_json_line(one))
            else:
                say(_line(one))
        found += len(kept.presets)
    if not found and not unreadable:
        remark("No presets yet. Press Ctrl+S in a form of the explorer to save one.")
    return ExitCode.LOCAL if unreadable else ExitCode.OK


def _show(sets: PresetStore, options: argparse.Namespace) -> int:
    tool = tool_named(options.tool)
    one = sets.find(tool, options.name)
    if getattr(options, "file", None) is None:
        say_json(file_text(tool, one).rstrip("\n"))
    else:
        remark(f"saved {write_shared(tool, one, options.file, Path(), replaces=options.replace)}")
    return ExitCode.OK


def _delete(sets: PresetStore, options: argparse.Namespace) -> int:
    tool = tool_named(options.tool)
    one = sets.find(tool, options.name)
    sets.delete(tool, one.reference)
    remark(f"Deleted preset “{one.name}” of {tool.name}.")
    return ExitCode.OK


def _share(sets: PresetStore, options: argparse.Namespace) -> int:
    tool = tool_named(options.tool)
    one = sets.find(tool, options.name)
    content = file_text(tool, one).encode()
    return put_into(options.to, "presets", tool.name, one.name, content, replaces=options.replace)


def _import(sets: PresetStore, options: argparse.Namespace) -> int:
    tools = load().tools
    if options.file == "-":
        one = read_file(sys.stdin.buffer.read(MOST_BYTES + 1), tools)
    else:
        one = shared_file(Path(options.file), tools)
    if options.name is not None:
        one = replace(one, name=checked_name(options.name))
    sets.save(tools[one.tool], replace(one, saved=one.saved or time.time()), replaces=options.replace)
    remark(f"Saved preset “{one.name}”. Use it: callboard call {one.tool} --preset {shlex.quote(one.name)}")
    return ExitCode.OK


def _line(one: Preset) -> str:
    whose = f"from {one.shared}  " if one.shared else ""
    return f"{one.tool}  {one.name}  {whose}{datetime.fromtimestamp(one.saved):%Y-%m-%d %H:%M}  {one.summary}"


def _json_line(one: Preset) -> str:
    saved = datetime.fromtimestamp(int(one.saved), UTC).isoformat().replace("+00:00", "Z")
    members: dict[str, object] = {"tool": one.tool, "name": one.name, "saved": saved, "arguments": dict(one.raw)}
    members |= {"shared": one.shared} if one.shared else {}
    return exact_json(dumps(members))


def put_into(to: str, kind: Kind, group: str, name: str, content: bytes, *, replaces: bool) -> int:
    """Put a preset's or a playbook's file into a shared folder, and print its path; returns the exit code."""
    try:
        file = put(place_for(to, shared_folders()), kind, group, name, content, replaces=replaces)
    except NotShared as error:
        fail(str(error), ExitCode.LOCAL if is_local(error) else ExitCode.USAGE)
    remark(f"Shared “{name}”: {file}")
    return ExitCode.OK
