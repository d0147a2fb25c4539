"""``callboard run``: a saved call, once or for each row of a CSV file, with one results table."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from registry.accounts.connection import Connection
from registry.accounts.consent import Consent
from registry.catalog.loader import load
from registry.doors.cli_change import checked
from registry.doors.cli_save import file_outlet
from registry.doors.cli_saved import refuse, saved_named
from registry.doors.common_options import (
    ACCOUNT,
    Commands,
    add_account,
    add_consent,
    add_limits,
    add_saving,
    count,
    flag,
    limits_of,
    option,
    pairs,
    refusal,
)
from registry.doors.ending import DeadlinePassed, print_deadline
from registry.doors.output import ExitCode, complain, counted, fail, print_waiting, remark, say, say_json, say_values
from registry.engine import Engine, Question, Settings, Unattended, open_engine
from registry.json_text.layout import as_text, lay_out
from registry.saved.csv_rows import MOST_BYTES, csv_rows
from registry.saved.from_form import input_of
from registry.saved.results import as_json, as_lines, as_record, half_done, summary
from registry.saved.running import RowRun, SavedRun
from registry.saved.saved_call import SavedCall, SavedCallError
from registry.saved.store import usual_store

_LONGEST_SECRET = 65_536


def add(commands: Commands) -> None:
    """The command and its options."""
    run = commands.add_parser(
        "run",
        help="run a saved call",
        description="Run a saved call once, or once for each row of a CSV file. Changes are checked before they are made.",
        epilog="Exit codes: 0 all rows done, 4 some rows done, 1 no row done, 2 the saved call or an input is wrong.",
    )
    option(run, "name", "NAME", "name of the saved call, or its file")
    given = "value of an input; repeat for others"
    run.add_argument("--with", metavar="INPUT=VALUE", action="append", default=[], dest="given", help=given)
    option(run, "--csv", "FILE", "run once for each row of FILE; its first line names the inputs")
    column = "with --csv: the column of an input, if named so"
    run.add_argument("--column", metavar="INPUT=COLUMN", action="append", default=[], help=column)
    option(run, "--from-row", "N", "with --csv: start at row N", type=count, default=1)
    flag(run, "--keep-going", "go on with the next row after a change was not made")
    add_consent(run)
    add_account(run, ACCOUNT)
    flag(run, "--json", "print one JSON object per row, as rows end")
    add_saving(run, "save the results table to FILE; the extension sets the format")
    add_limits(run)


def run(options: argparse.Namespace) -> int:
    """Run a saved call and print the outcome of each row; returns the exit code."""
    limits, ending = limits_of(options)
    outlet = file_outlet(options) if options.save is not None or options.format is not None else None
    if options.json and outlet is not None:
        fail("--json cannot be combined with --save or --format; remove it")
    engine = open_engine(Settings(read_only=options.read_only, journal=not options.no_journal, tell=remark, limits=limits))
    consent = Consent.CONFIRMED if options.yes or options.confirm else Consent.NONE
    try:
        call, given = _given(options, saved_named(usual_store(load()), options.name))
        rows = _rows(options, call, given)
        run = SavedRun(
            engine,
            call,
            rows[options.from_row - 1 :],
            _accounts(engine, options.connection),
            consent=consent,
            presenter=_Presenter(options.confirm),
            on_surprise="go on" if options.keep_going else "stop",
            first=options.from_row,
            observer=_ProgressPrinter(call, len(rows), as_json=options.json),
        )
    except SavedCallError as error:
        refuse(error)
    if options.dry_run:
        return _tell_steps(run)
    if options.allow_writes:
        for one in run.ahead:
            engine.policy.open_writing(one.connection, one.tool.toolkit)
    _refuse_ahead(run, consent, typed=bool(options.confirm), read_only=engine.policy.read_only)

    async def work() -> None:
        async with engine:
            with ending.settling(run.stop.set):
                await run.run()

    try:
        ending.run(work())
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
    given: dict[str, object] = dict(pairs(options.given, "--with"))
    tool = load().tools[call.steps[0].tool]
    own = {one.name: one for one in call.inputs}
    direct = [name for name in given if name not in own and len(call.steps) == 1 and tool.parameter(name) is not None]
    for name in given:
        if name not in own and name not in direct:
            fail(f"--with {name}: “{call.name}” has no such input; its inputs: {', '.join(own) or 'none'}", field="--with")
        if name in own and own[name].secret:
            given[name] = _secret(str(given[name]))
    for parameter in (one for one in tool.parameters if one.name in direct):
        new = input_of(parameter, call.inputs)
        given[new.name] = given.pop(parameter.name)
        call = replace(call, inputs=(*call.inputs, new)).with_argument(parameter.name, "{" + new.name + "}")
    return call, given


def _rows(options: argparse.Namespace, call: SavedCall, given: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    if options.csv is None:
        if options.column or options.from_row != 1:
            fail("--column and --from-row need --csv")
        return [given]

    try:
        with Path(os.path.expanduser(options.csv)).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        fail(f"--csv {options.csv}: {(error.strerror or str(error)).lower()}", field="--csv")
    rows, unused = csv_rows(content, call, pairs(options.column, "--column"), given)
    if unused:
        remark(f"note: columns that no input uses: {', '.join(unused)}")
    if options.from_row > len(rows):
        fail(f"--from-row {options.from_row}: the CSV file has {len(rows)} rows", field="--from-row")
    return rows


def _secret(text: str) -> str:
    """A secret input: the text as typed, or the first line of a file (``@FILE``), so that process lists do not show it."""
    if not text.startswith("@"):
        return text
    try:
        with Path(os.path.expanduser(text[1:])).open(encoding="utf-8") as file:
            return file.readline(_LONGEST_SECRET).rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        fail(f"--with: {text[1:]}: {(why or str(error)).lower()}", field="--with")


def _accounts(engine: Engine, name: str | None) -> Callable[[str], Connection]:
    """The account for a toolkit: the named one if it serves the toolkit, otherwise the usual one."""
    named = engine.connection(name) if name is not None else None

    def connection(toolkit: str) -> Connection:
        return named if named is not None and toolkit in named.endpoints else engine.named(None, toolkit)

    return connection


def _tell_steps(run: SavedRun) -> int:
    for number, (step, tool) in enumerate(zip(run.call.steps, run.tools, strict=True), 1):
        effect = {"write": "  changes data", "delete": "  deletes data"}.get(tool.effect, "")
        say(f"{number}. {step.id}: {tool.name}{effect}")
        for name, value in step.arguments.items():
            say(f"     {name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
    remark(f"{counted(len(run.rows), 'row')}; inputs are valid. Nothing was sent.")
    return ExitCode.OK


def _refuse_ahead(run: SavedRun, consent: Consent, *, typed: bool, read_only: bool) -> None:
    """End before anything is sent if a step would be refused later."""
    for one in run.ahead:
        if not one.decision.allows(Consent.TYPED if typed else consent):
            words = refusal(one.tool, one.decision, "ID", read_only=read_only)
            fail(f"Not run. Step {one.step.id} ({one.tool.name}): {words}, or --dry-run to see the steps")


def _tell(run: SavedRun, options: argparse.Namespace) -> int:
    """Print the results table; returns the exit code."""
    rows, call = run.rows, run.call
    if not options.json and options.save is None and options.format is None:
        if len(rows) > 1:
            say("\n".join(as_lines(call, rows)))
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


class _ProgressPrinter:
    """Prints the progress of a run: one line per step of a single run, or per row of several; with `as_json` prints rows."""

    def __init__(self, call: SavedCall, rows: int, *, as_json: bool) -> None:
        self._call, self._rows, self._json = call, rows, as_json
        self._reported = 0

    def __call__(self, row: RowRun) -> None:
        if self._rows == 1 and len(row.steps) > self._reported:
            self._reported += 1
            step = row.steps[-1]
            words = f": {step.words}" if step.words else f" ({step.seconds:.1f} s)"
            remark(f"step {len(row.steps)} of {len(self._call.steps)}, {step.id}: {step.state}{words}")
        if row.state in ("waiting", "running"):
            return
        if self._json:
            say_values(as_json(self._call, row), line=True)
        elif self._rows > 1:
            remark(f"row {row.number} of {self._rows}: {row.state}{f', {row.words}' if row.words else ''}")


class _Presenter(Unattended):
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
