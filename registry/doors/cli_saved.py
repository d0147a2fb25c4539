"""Saved calls: ``callboard saved`` lists, shows, records and keeps them, ``callboard run`` runs one, ``--saved`` fills a call.

A run is once, or once for each row of a CSV file, with one table of results.
"""

import argparse
import json
import os
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from msgspec.structs import replace

from registry.accounts.policy import Consent
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.doors.cli_change import checked, refusal
from registry.doors.cli_parser import Options, account_for, file_bytes, limits_of, pairs, text_in_file
from registry.doors.cli_save import file_outlet, refuse_file
from registry.doors.ending import DeadlinePassed, print_deadline
from registry.doors.output import (
    ExitCode,
    aligned,
    complain,
    fail,
    print_notes,
    print_waiting,
    remark,
    say,
    say_json,
    say_values,
)
from registry.engine import Presenter, Question, Settings, open_engine
from registry.files.folders import is_local
from registry.journal.entries import parse_search
from registry.json_text import as_text, lay_out
from registry.results.formats import NotExported
from registry.saved.making import MOST_CSV_BYTES, calls_of, csv_rows, form_of, input_of, recorded
from registry.saved.running import RowRun, SavedRun, as_record, as_table, half_done, summary
from registry.saved.running import as_json as row_values
from registry.saved.saved_call import SavedCall, SavedCallError, checked_name
from registry.saved.store import NameTaken, SavedStore, file_text, usual_store
from registry.text.shown import counted, whole

_LONGEST_SECRET = 65_536


OPTIONS: Options = {
    "run": {"--with": {"dest": "given"}, "--from-row": {"default": 1}},
    "saved": {"--about": {"default": ""}},
}


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
    """Run a saved call, or list, show, record, delete, export or import them; returns the exit code."""
    try:
        return _run(options) if options.command == "run" else _manage(options)
    except NameTaken as error:
        fail(f"{error.cause} Choose another name, or add --replace.")
    except SavedCallError as error:
        refuse(error)
    except NotExported as error:
        refuse_file(error)


def _manage(options: argparse.Namespace) -> int:
    store = usual_store(load())
    match options.action:
        case "show":
            return say_json(file_text(saved_named(store, options.name)).rstrip("\n"))
        case "record":
            return _record(store, options)
        case "delete":
            one = store.find(options.name)
            store.delete(one)
            return remark(f"Deleted “{one.name}”.")
        case "export":
            return remark(f"saved {store.export(store.find(options.name), options.file, replaces=options.replace)}")
        case "import":
            one = store.read(options.file)
            if options.name is not None:
                one = replace(one, name=checked_name(options.name))
            store.save(one, replaces=options.replace)
            return remark(f"Saved “{one.name}”. Run it: callboard run {shlex.quote(one.name)}")
    return _list(store, as_json=options.json)


def _list(store: SavedStore, *, as_json: bool) -> int:
    found = store.all()
    for notice in found.notices:
        complain(notice)
    for one in found.calls:
        if as_json:
            values = {
                "name": one.name,
                "about": one.about,
                "inputs": [given.name for given in one.inputs],
                "steps": [{"id": step.id, "tool": step.tool} for step in one.steps],
            }
            say_values(values | ({"shared": one.shared} if one.shared else {}), line=True)
        else:
            say("  ".join(part for part in (one.name, one.summary, one.about) if part))
    if not found.calls and found.is_readable:
        remark("No saved calls yet. Press Ctrl+S in the explorer, or record calls: callboard saved record NAME --last 3")
    return ExitCode.OK if found.is_readable else ExitCode.LOCAL


def _record(store: SavedStore, options: argparse.Namespace) -> int:
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
    made, notes = recorded(options.name, calls, options.about)
    store.save(made, replaces=options.replace)
    print_notes((*left_out, *notes))
    for number, step in enumerate(made.steps, 1):
        remark(f"{number}. {step.id}: {step.tool} {json.dumps(step.arguments, ensure_ascii=False)}")
    needs = " ".join(f"--with {one.name}={one.example or 'VALUE'}" for one in made.inputs if one.default is None)
    return remark(f"Saved “{made.name}”. Run it: callboard run {shlex.quote(made.name)} {needs}".rstrip())


# Running


def _run(options: argparse.Namespace) -> int:
    """Run a saved call and print the outcome of each row; returns the exit code."""
    limits, ending = limits_of(options)
    outlet = file_outlet(options) if options.save is not None or options.format is not None else None
    if options.json and outlet is not None:
        fail("--json cannot be combined with --save or --format; remove it")
    engine = open_engine(Settings(read_only=options.read_only, journal=not options.no_journal, tell=remark, limits=limits))
    consent = Consent.CONFIRMED if options.yes or options.confirm else Consent.NONE
    call, given = _given(options, saved_named(usual_store(load()), options.name))
    rows = _rows(options, call, given)
    run = SavedRun(
        engine,
        call,
        rows[options.from_row - 1 :],
        account_for(engine, options.connection),
        consent=consent,
        presenter=_Presenter(options.confirm),
        on_surprise="go on" if options.keep_going else "stop",
        first=options.from_row,
        observer=_progress(call, len(rows), as_json=options.json),
    )
    if options.dry_run:
        for number, (step, tool) in enumerate(zip(run.call.steps, run.tools, strict=True), 1):
            effect = {"write": "  changes data", "delete": "  deletes data"}.get(tool.effect, "")
            say(f"{number}. {step.id}: {tool.name}{effect}")
            for name, value in step.arguments.items():
                say(f"     {name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
        return remark(f"{counted(len(run.rows), 'row')}; inputs are valid. Nothing was sent.")
    if options.allow_writes:
        for one in run.ahead:
            engine.policy.open_writing(one.connection, one.tool.toolkit)
    for one in run.ahead:  # nothing is sent if a step would be refused later
        if not one.decision.allows(Consent.TYPED if options.confirm else consent):
            words = refusal(one.tool, one.decision, "ID", read_only=engine.policy.read_only)
            fail(f"Not run. Step {one.step.id} ({one.tool.name}): {words}, or --dry-run to see the steps")

    async def work() -> None:
        with ending.settling(run.stop.set):
            await run.run()

    try:
        ending.run(work(), engine)
    except DeadlinePassed as error:
        print_deadline(error)
    finally:
        code = _tell(run, options)
    if outlet is not None:
        written = outlet.write([json.dumps(as_record(call, row)).encode() for row in run.rows])
        code = code if written == ExitCode.OK else written
    ending.raise_if_ended()
    return code


def _given(options: argparse.Namespace, call: SavedCall) -> tuple[SavedCall, dict[str, object]]:
    """The saved call, and the values of ``--with``; of a single step these may be any argument of its tool."""
    typed = pairs(options.given, "--with")
    given: dict[str, object] = dict(typed)
    tool = load().tools[call.steps[0].tool]
    own = {one.name: one for one in call.inputs}
    direct = [name for name in given if name not in own and len(call.steps) == 1 and tool.parameter(name) is not None]
    for name, text in typed.items():
        if name not in own and name not in direct:
            fail(f"--with {name}: “{call.name}” has no such input; its inputs: {', '.join(own) or 'none'}", field="--with")
        # A secret may be in the first line of a file, so that process lists do not show it.
        if name in own and own[name].secret and text.startswith("@"):
            given[name] = next(iter(text_in_file(text[1:], _LONGEST_SECRET, "--with").splitlines()), "")
    for parameter in (one for one in tool.parameters if one.name in direct):
        new = input_of(parameter, call.inputs)
        given[new.name] = given.pop(parameter.name)
        step = replace(call.steps[0], arguments={**call.steps[0].arguments, parameter.name: "{" + new.name + "}"})
        call = replace(call, inputs=(*call.inputs, new), steps=(step,))
    return call, given


def _rows(options: argparse.Namespace, call: SavedCall, given: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    if options.csv is None:
        return [given]
    content = file_bytes(options.csv, MOST_CSV_BYTES, "--csv")
    rows, unused = csv_rows(content, call, pairs(options.column, "--column"), given)
    if unused:
        remark(f"note: columns that no input uses: {', '.join(unused)}")
    if options.from_row > len(rows):
        fail(f"--from-row {options.from_row}: the CSV file has {len(rows)} rows", field="--from-row")
    return rows


def _tell(run: SavedRun, options: argparse.Namespace) -> int:
    """Print the results table; returns the exit code."""
    rows, call = run.rows, run.call
    if not options.json and options.save is None and options.format is None:
        if len(rows) > 1:
            say("\n".join(aligned(as_table(call, rows))))
        elif rows[0].outputs:
            say("\n".join(f"{name}: {text}" for name, text in rows[0].outputs.items()))
        elif rows[0].body:
            say_json(as_text(lay_out(rows[0].body)))
    remark(summary(rows))
    for row in rows:
        if words := half_done(call, row):
            remark(words)
    if options.csv is not None and (left := next((row for row in rows if row.state != "done"), None)) is not None:
        # A row that made a change, or may have, must not run again.
        skips = bool(left.changes) or left.state == "unknown"
        if left.number + skips < rows[0].number + len(rows):
            remark(f"To go on from there, add: --from-row {left.number + skips}")
    done = sum(row.state == "done" for row in rows)
    return ExitCode.OK if done == len(rows) else ExitCode.INCOMPLETE if done else ExitCode.SERVICE


def _progress(call: SavedCall, rows: int, *, as_json: bool) -> Callable[[RowRun], None]:
    """Prints the progress of a run: a line for each step of a single run, or for each row; or the rows as JSON."""
    reported = 0

    def tell(row: RowRun) -> None:
        nonlocal reported
        if rows == 1 and len(row.steps) > reported:
            reported += 1
            step = row.steps[-1]
            words = f": {step.words}" if step.words else f" ({step.seconds:.1f} s)"
            remark(f"step {len(row.steps)} of {len(call.steps)}, {step.id}: {step.state}{words}")
        if row.state in ("waiting", "running"):
            return
        if as_json:
            say_values(row_values(call, row), line=True)
        elif rows > 1:
            remark(f"row {row.number} of {rows}: {row.state}{f', {row.words}' if row.words else ''}")

    return tell


class _Presenter(Presenter):
    """Prints the check of each change, and consents as the options say."""

    def __init__(self, confirmed: Sequence[str]) -> None:
        super().__init__(print_waiting)
        self._confirmed = frozenset(confirmed)

    async def consent(self, question: Question) -> Consent | None:
        if not await checked(question):
            return None
        if question.typed and self._confirmed.isdisjoint(question.names):
            complain(f"not sent: add --confirm {next(iter(question.names), 'ID')} to confirm", title="Nothing was sent")
            return None
        return Consent.TYPED if question.typed else question.given
