"""``callboard playbooks``: recorded chains of calls; list, show, record, delete, export and import them."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import NoReturn, TypeVar

from registry.catalog.loader import load
from registry.doors.account_option import ACCOUNT, add_account
from registry.doors.cli_limits import add_limits
from registry.doors.cli_save import refuse_file
from registry.doors.output import ExitCode, complain, fail, remark, say, say_json
from registry.doors.whole_numbers import count
from registry.engine import open_engine
from registry.files.reasons import is_local
from registry.journal.errors import JournalError
from registry.journal.search_query import parse_search
from registry.playbooks.file import checked_name
from registry.playbooks.playbook import Playbook, PlaybookError
from registry.playbooks.recording import calls_of, recorded
from registry.playbooks.store import NameTaken, PlaybookStore, usual_store
from registry.results.export.formats import NotExported
from registry.text.digits import whole

Parser = TypeVar("Parser", bound=argparse.ArgumentParser)

# Every command adds the options; what stores playbooks is imported only by those that use it.


def add_playbooks(commands: argparse._SubParsersAction[Parser]) -> None:
    """Both commands, ``run`` and ``playbooks``, and their options."""
    _add_run(commands)
    command = commands.add_parser(
        "playbooks",
        help="list, show, record, delete, export, share and import playbooks",
        description="List playbooks: chains of calls whose values flow from one to the next. Run one with callboard run NAME.",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object per line")
    actions = command.add_subparsers(dest="action", metavar="[ACTION]")
    listing = actions.add_parser("list", help="all playbooks")
    # The command's own option still counts if it is given before the action.
    listing.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object per line")
    show = actions.add_parser("show", help="print a playbook's file")
    show.add_argument("playbook", metavar="PLAYBOOK", help="name of the playbook, or its file")
    record = actions.add_parser("record", help="make a playbook of the last calls of the history")
    record.add_argument("name", metavar="NAME", help="name for the playbook")
    which = record.add_mutually_exclusive_group()
    which.add_argument("--last", metavar="N", type=count, help="record the last N calls (default 5)")
    which.add_argument("--calls", metavar="NUMBERS", help="record these calls: 12,13,15, as callboard history prints them")
    record.add_argument("--about", metavar="TEXT", default="", help="what it is for")
    record.add_argument("--replace", action="store_true", help="overwrite a playbook of the same name")
    delete = actions.add_parser("delete", help="delete a playbook")
    delete.add_argument("playbook", metavar="NAME", help="name of the playbook")
    leaving = actions.add_parser("export", help="write a playbook to a file")
    leaving.add_argument("playbook", metavar="NAME", help="name of the playbook")
    leaving.add_argument("file", metavar="FILE", help="output file")
    leaving.add_argument("--replace", action="store_true", help="overwrite an existing file")
    giving = actions.add_parser("share", help="put a playbook into a shared folder")
    giving.add_argument("playbook", metavar="NAME", help="name of the playbook")
    giving.add_argument("--to", metavar="FOLDER", required=True, help="name of a shared folder, or the path of a folder")
    giving.add_argument("--replace", action="store_true", help="overwrite a shared playbook of the same name")
    coming = actions.add_parser("import", help="keep a playbook from a file")
    coming.add_argument("file", metavar="FILE", help="playbook file")
    coming.add_argument("--name", metavar="NAME", help="keep it under this name instead of the one in the file")
    coming.add_argument("--replace", action="store_true", help="overwrite a playbook of the same name")


def _add_run(commands: argparse._SubParsersAction[Parser]) -> None:
    run = commands.add_parser(
        "run",
        help="run a playbook: a recorded chain of calls",
        description="Run a playbook once, or once for each row of a CSV file. Changes are checked before they are made.",
        epilog="Exit codes: 0 all rows done, 4 some rows done, 1 no row done, 2 the playbook or an input is wrong.",
    )
    run.add_argument("playbook", metavar="PLAYBOOK", help="name of the playbook, or its file")
    run.add_argument(
        "--with", metavar="INPUT=VALUE", action="append", default=[], dest="given", help="value of an input; repeat for others"
    )
    run.add_argument("--csv", metavar="FILE", help="run once for each row of FILE; its first line names the inputs")
    run.add_argument(
        "--column", metavar="INPUT=COLUMN", action="append", default=[], help="with --csv: the column of an input, if named so"
    )
    run.add_argument("--from-row", metavar="N", type=count, default=1, help="with --csv: start at row N")
    run.add_argument("--keep-going", action="store_true", help="go on with the next row after a change was not made")
    run.add_argument("--dry-run", action="store_true", help="print the steps and send nothing")
    run.add_argument("--yes", action="store_true", help="confirm writes and deletes")
    run.add_argument(
        "--confirm", metavar="ID", action="append", default=[], help="confirm a delete in live data: the object's id; repeat"
    )
    run.add_argument("--allow-writes", action="store_true", help="allow this run to change live data")
    run.add_argument("--read-only", action="store_true", help="block every write and delete; overrides all other options")
    add_account(run, ACCOUNT)
    run.add_argument("--json", action="store_true", help="print one JSON object per row, as rows end")
    run.add_argument("--save", metavar="FILE", help="save the results table to FILE; the extension sets the format")
    run.add_argument("--format", choices=("json", "ndjson", "csv", "parquet"), help="format of the results table")
    run.add_argument("--replace", action="store_true", help="with --save: overwrite an existing file")
    add_limits(run)
    run.add_argument("--no-journal", action="store_true", help="do not record these calls in the history")
    run.set_defaults(raw=False, show_secrets=False)


def kept() -> PlaybookStore:
    """The saved playbooks, and those of the shared folders."""
    return usual_store(load())


def playbook_named(store: PlaybookStore, wanted: str) -> Playbook:
    """A playbook by its name, or from the file at that path.

    Raises:
        PlaybookError: there is neither, or the file is invalid.
    """
    try:
        return store.find(wanted)
    except PlaybookError:
        if os.sep in wanted or wanted.endswith(".json") or Path(wanted).is_file():
            return store.shared(wanted)
        raise


def refuse(error: PlaybookError) -> NoReturn:
    """Print every problem of a playbook and end."""
    for problem in error.problems[:20]:
        is_input = problem.message == "is required" and "." not in problem.place and " " not in problem.place
        way_out = f"add --with {problem.place}=VALUE" if is_input else None
        complain(str(problem), field=problem.place, way_out=way_out, code=ExitCode.USAGE)
    if error.problems:
        more = len(error.problems) - 20
        if more > 0:
            remark(f"{more} more problems")
        raise SystemExit(ExitCode.USAGE)
    fail(str(error), ExitCode.LOCAL if is_local(error) else ExitCode.USAGE)


def manage(options: argparse.Namespace) -> int:
    """List, show, record, delete, export or import; returns the exit code."""
    store = kept()
    try:
        match options.action:
            case "show":
                from registry.playbooks.file import file_text

                say_json(file_text(playbook_named(store, options.playbook)).rstrip("\n"))
            case "record":
                return _record(store, options)
            case "delete":
                store.delete(options.playbook)
                remark(f"Deleted playbook “{options.playbook.strip()}”.")
            case "export":
                file = store.share(store.find(options.playbook), options.file, replaces=options.replace)
                remark(f"saved {file}")
            case "share":
                from registry.doors.cli_presets import put_into

                one = store.find(options.playbook)
                return put_into(options.to, "playbooks", "", one.name, store.content(one), replaces=options.replace)
            case "import":
                return _import(store, options)
            case _:
                return _list(store, as_json=options.json)
    except NameTaken as error:
        fail(f"{error.cause} Choose another name, or add --replace.")
    except PlaybookError as error:
        refuse(error)
    except NotExported as error:
        refuse_file(error)
    return ExitCode.OK


def _list(store: PlaybookStore, *, as_json: bool) -> int:
    found = store.all()
    for notice in found.notices:
        complain(notice)
    for one in found.playbooks:
        inputs = [given.name for given in one.inputs]
        if as_json:
            steps = [{"id": step.id, "tool": step.tool} for step in one.steps]
            members = {"name": one.name, "about": one.about, "inputs": inputs, "steps": steps}
            say_json(json.dumps(members | ({"shared": one.shared} if one.shared else {})))
        else:
            takes = f"  takes {', '.join(inputs)}" if inputs else ""
            steps_ = f"{len(one.steps)} {'step' if len(one.steps) == 1 else 'steps'}"
            whose = f"from {one.shared}" if one.shared else ""
            say("  ".join(part for part in (one.name, whose, steps_ + takes, one.about) if part))
    if not found.playbooks and found.is_readable:
        remark("No playbooks yet. Make some calls, then record them: callboard playbooks record NAME --last 3")
    return ExitCode.OK if found.is_readable else ExitCode.LOCAL


def _record(store: PlaybookStore, options: argparse.Namespace) -> int:
    engine = open_engine()
    try:
        if options.calls is not None:
            entries = []
            for word in options.calls.split(","):
                call = whole(word.strip())
                entry = engine.history.entry(call) if call is not None else None
                if entry is None:
                    fail(f"--calls: {word.strip()!r} is not the number of a call; callboard history prints the numbers")
                entries.append(entry)
        else:
            entries = engine.history.search(parse_search("", time.time()), options.last or 5)
        calls, left_out = calls_of(entries, engine.history, engine.catalog.tools)
    except JournalError as error:
        fail(str(error))
    found = recorded(options.name, calls, options.about)
    file = store.save(found.playbook, replaces=options.replace)
    for note in (*left_out, *found.notes):
        remark(f"note: {note}")
    for number, step in enumerate(found.playbook.steps, 1):
        remark(f"{number}. {step.id}: {step.tool} {json.dumps(dict(step.arguments), ensure_ascii=False)}")
    needs = " ".join(f"--with {one.name}={one.example or 'VALUE'}" for one in found.playbook.inputs if one.default is None)
    remark(f"Saved playbook “{found.playbook.name}”. Edit it: {file}")
    remark(f"Run it: callboard run {shlex.quote(found.playbook.name)} {needs}".rstrip())
    return ExitCode.OK


def _import(store: PlaybookStore, options: argparse.Namespace) -> int:
    one = store.shared(options.file)
    if options.name is not None:
        one = replace(one, name=checked_name(options.name))
    store.save(one, replaces=options.replace)
    remark(f"Saved playbook “{one.name}”. Run it: callboard run {shlex.quote(one.name)}")
    return ExitCode.OK
