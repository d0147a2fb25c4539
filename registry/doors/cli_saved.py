"""``callboard saved``: list, show, record, delete, export and import saved calls; and ``--saved NAME`` of other commands."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import time
from pathlib import Path
from typing import NoReturn

from msgspec.structs import replace

from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.doors.cli_save import refuse_file
from registry.doors.common_options import Commands, count, flag, option
from registry.doors.output import ExitCode, complain, fail, print_notes, remark, say, say_json, say_values
from registry.engine import open_engine
from registry.files.reasons import is_local
from registry.journal.search_query import parse_search
from registry.results.formats import NotExported
from registry.saved.file import checked_name, file_text
from registry.saved.from_form import form_of
from registry.saved.recording import calls_of, recorded
from registry.saved.saved_call import SavedCall, SavedCallError
from registry.saved.store import NameTaken, SavedStore, usual_store
from registry.text.readings import whole


def add(commands: Commands) -> None:
    """The command, its actions and their options."""
    command = commands.add_parser(
        "saved",
        help="list, show, record, delete, export and import saved calls",
        description="List saved calls: one call, or a chain of calls whose values flow from one to the next. "
        "Run one with callboard run NAME.",
    )
    flag(command, "--json", "print one JSON object per line")
    actions = command.add_subparsers(dest="action", metavar="[ACTION]")
    actions.add_parser("list", help="all saved calls")
    show = actions.add_parser("show", help="print the file of a saved call")
    option(show, "name", "NAME", "its name, or a file")
    record = actions.add_parser("record", help="save the last calls of the history as a chain")
    option(record, "name", "NAME", "name for the saved call")
    which = record.add_mutually_exclusive_group()
    option(which, "--last", "N", "record the last N calls (default 5)", type=count)
    option(which, "--calls", "NUMBERS", "record these calls: 12,13,15, as callboard history prints them")
    option(record, "--about", "TEXT", "what it is for", default="")
    delete = actions.add_parser("delete", help="delete a saved call")
    option(delete, "name", "NAME", "its name")
    leaving = actions.add_parser("export", help="write a saved call to a file, for instance in a shared folder")
    option(leaving, "name", "NAME", "its name")
    option(leaving, "file", "FILE", "output file")
    coming = actions.add_parser("import", help="keep a saved call from a file")
    option(coming, "file", "FILE", "its file")
    option(coming, "--name", "NAME", "keep it under this name instead of the one in the file")
    for one in (record, leaving, coming):
        flag(one, "--replace", "overwrite what has the name already")


def saved_named(store: SavedStore, wanted: str) -> SavedCall:
    """A saved call by its name, or from the file at that path; raises `SavedCallError` if there is neither."""
    try:
        return store.find(wanted)
    except SavedCallError:
        if os.sep in wanted or wanted.endswith(".json") or Path(wanted).is_file():
            return store.read(wanted)
        raise


def saved_arguments(tool: Tool, wanted: str) -> tuple[dict[str, object], str]:
    """The arguments of ``--saved``, a saved call of this tool, and its shared folder, empty for the user's own."""
    try:
        one = saved_named(usual_store(load()), wanted)
    except SavedCallError as error:
        fail(f"--saved: {error}")
    if [step.tool for step in one.steps] != [tool.name]:
        fail(f"--saved: “{one.name}” is not a call of {tool.name}", way_out=f"callboard run {shlex.quote(wanted)}")
    return dict(form_of(one, tool)), one.shared


def refuse(error: SavedCallError) -> NoReturn:
    """Print every problem of a saved call and end."""
    for problem in error.problems[:20]:
        is_input = problem.message == "is required" and "." not in problem.place and " " not in problem.place
        way_out = f"add --with {problem.place}=VALUE" if is_input else None
        complain(str(problem), field=problem.place, way_out=way_out, code=ExitCode.USAGE)
    if error.problems:
        raise SystemExit(ExitCode.USAGE)
    fail(str(error), ExitCode.LOCAL if is_local(error) else ExitCode.USAGE)


def run(options: argparse.Namespace) -> int:
    """List, show, record, delete, export or import; returns the exit code."""
    store = usual_store(load())
    try:
        match options.action:
            case "show":
                say_json(file_text(saved_named(store, options.name)).rstrip("\n"))
            case "record":
                _record(store, options)
            case "delete":
                one = store.find(options.name)
                store.delete(one)
                remark(f"Deleted “{one.name}”.")
            case "export":
                remark(f"saved {store.export(store.find(options.name), options.file, replaces=options.replace)}")
            case "import":
                one = store.read(options.file)
                if options.name is not None:
                    one = replace(one, name=checked_name(options.name))
                store.save(one, replaces=options.replace)
                remark(f"Saved “{one.name}”. Run it: callboard run {shlex.quote(one.name)}")
            case _:
                return _list(store, as_json=options.json)
    except NameTaken as error:
        fail(f"{error.cause} Choose another name, or add --replace.")
    except SavedCallError as error:
        refuse(error)
    except NotExported as error:
        refuse_file(error)
    return ExitCode.OK


def _list(store: SavedStore, *, as_json: bool) -> int:
    found = store.all()
    for notice in found.notices:
        complain(notice)
    for one in found.calls:
        if as_json:
            steps = [{"id": step.id, "tool": step.tool} for step in one.steps]
            members = {"name": one.name, "about": one.about, "inputs": [given.name for given in one.inputs], "steps": steps}
            say_values(members | ({"shared": one.shared} if one.shared else {}), line=True)
        else:
            say("  ".join(part for part in (one.name, one.summary, one.about) if part))
    if not found.calls and found.is_readable:
        remark("No saved calls yet. Press Ctrl+S in the explorer, or record calls: callboard saved record NAME --last 3")
    return ExitCode.OK if found.is_readable else ExitCode.LOCAL


def _record(store: SavedStore, options: argparse.Namespace) -> None:
    engine = open_engine()
    if options.calls is None:
        entries = list(engine.history.search(parse_search("", time.time()), options.last or 5))
    else:
        entries = []
        for word in options.calls.split(","):
            call = whole(word.strip())
            entry = engine.history.entry(call) if call is not None else None
            if entry is None:
                fail(f"--calls: {word.strip()!r} is not the number of a call; callboard history prints the numbers")
            entries.append(entry)
    calls, left_out = calls_of(entries, engine.history, engine.catalog.tools)
    found = recorded(options.name, calls, options.about)
    store.save(found.call, replaces=options.replace)
    print_notes((*left_out, *found.notes))
    for number, step in enumerate(found.call.steps, 1):
        remark(f"{number}. {step.id}: {step.tool} {json.dumps(step.arguments, ensure_ascii=False)}")
    needs = " ".join(f"--with {one.name}={one.example or 'VALUE'}" for one in found.call.inputs if one.default is None)
    remark(f"Saved “{found.call.name}”. Run it: callboard run {shlex.quote(found.call.name)} {needs}".rstrip())
