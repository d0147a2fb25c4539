"""``callboard call``: run one tool and print its result."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from registry.accounts.connection import Connection
from registry.accounts.consent import Consent, Decision
from registry.accounts.problems import ConnectionSettingsError
from registry.calling.arguments import Arguments, check
from registry.calling.json_layout import pretty
from registry.calling.json_text import InvalidJson, decode
from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts, SeveralRefused
from registry.calling.times import is_spoken, reading
from registry.catalog.loader import services
from registry.catalog.model import Tool
from registry.doors.cli_change import change
from registry.doors.cli_elicit import AtTerminal
from registry.doors.cli_fetch_all import fetch_all
from registry.doors.cli_options import argument_message, from_json, from_words
from registry.doors.cli_save import FileOutlet, Outlet, outlet_of
from registry.doors.cli_saved import saved_arguments
from registry.doors.cli_tools import tool_named
from registry.doors.common_options import ACCOUNT, Commands, add_account, add_limits, add_tool, count, limits_of
from registry.doors.ending import DeadlinePassed, Ending, print_deadline
from registry.doors.output import ExitCode, code_of, complain, fail, print_failure, print_waiting, remark, say, say_json
from registry.engine import Engine, Settings, Unattended, open_engine
from registry.results.formats import ExportOptions
from registry.text.safe_text import visible_json


def add(commands: Commands) -> None:
    """The command and its options."""
    call = commands.add_parser(
        "call",
        help="run a tool",
        description="Run a tool. Pass each parameter as --parameter-name VALUE; repeat the option for a list. "
        "Pass an object as JSON, as a file with JSON (--parameter-name=@FILE), or property by property "
        "(--parameter-name.property VALUE).",
        usage="callboard call TOOL [--parameter-name VALUE ...] [--args JSON] [--all] [--dry-run] [--yes] [--account NAME]",
        allow_abbrev=False,
    )
    add_tool(call)
    call.add_argument("--dry-run", action="store_true", help="print the request and send nothing")
    call.add_argument("--yes", action="store_true", help="confirm a write or delete")
    call.add_argument("--confirm", metavar="ID", help="confirm a delete in live data: the id of the object to delete")
    call.add_argument("--allow-writes", action="store_true", help="allow this call to change live data")
    call.add_argument("--read-only", action="store_true", help="block every write and delete; overrides all other options")
    add_account(call, f"{ACCOUNT}; repeat it to read from several at once", several=True)
    call.add_argument("--output", metavar="FOLDER", default=".", help="folder for downloaded files")
    call.add_argument(
        "--save",
        metavar="FILE",
        help="save the result to FILE, the extension sets the format; or to "
        "FOLDER/, duckdb:FILE#TABLE, postgresql://…#TABLE or s3://BUCKET/PREFIX/",
    )
    call.add_argument(
        "--format", choices=("json", "ndjson", "csv", "parquet"), help="output format; for a list, one record per item"
    )
    call.add_argument("--replace", action="store_true", help="with --save: overwrite an existing file")
    call.add_argument(
        "--raw", action="store_true", help="print the response body unchanged: no formatting, no redaction of client secrets"
    )
    call.add_argument("--show-secrets", action="store_true", help="do not redact client secrets in the result")
    call.add_argument("--all", action="store_true", help="fetch all pages and print one item per line as they arrive (NDJSON)")
    call.add_argument("--most", metavar="N", type=count, help="with --all: stop at N items")
    call.add_argument("--json", action="store_true", help="with --all: print one JSON list at the end")
    add_limits(call)
    call.add_argument(
        "--no-journal", action="store_true", help="do not record this call in the history (also: CALLBOARD_NO_JOURNAL=1)"
    )


def call_several(
    engine: Engine,
    tool: Tool,
    arguments: Arguments,
    connections: Sequence[Connection],
    ending: Ending,
    options: argparse.Namespace,
    outlet: Outlet | None,
) -> int:
    """Run a tool on several accounts at once and print all items, each with its account; returns the exit code.

    If an account fails, the others are printed, and the exit code says that the result is incomplete.
    """
    if tool.effect == "read" and (options.all or options.dry_run or options.raw):
        fail("--all, --dry-run and --raw take one --account")

    async def read() -> SeveralAccounts:
        async with engine:
            return await engine.run_several(tool, arguments.values, connections, presenter=Unattended())

    try:
        result = ending.run(read())
    except SeveralRefused as error:
        fail(str(error))
    for part in result.parts:
        if part.failure is not None:
            whole = ExitCode.INCOMPLETE if result.failure is None else code_of(result.failure)
            account = f"account {part.connection}"
            print_failure(part.failure, account, status=part.status, request_id=part.request_id, code=whole)
    for name in result.partial:
        remark(f"{name}: this is the first page; for all of it, name this account alone with --all")
    if result.failure is not None:
        return code_of(result.failure)
    shown = (
        outlet
        if outlet is not None
        else FileOutlet(ExportOptions("json", masked=not options.show_secrets), None, replace=False)
    )
    listing = result.listing
    assert listing is not None
    with ending.limited() if options.save is None else nullcontext():
        code = shown.write(listing.items)
    return ExitCode.INCOMPLETE if result.failed and code == ExitCode.OK else code


def run(options: argparse.Namespace) -> int:
    """Run a tool; `options.rest` has its arguments, as typed on the command line."""
    tool = tool_named(options.tool)
    saved = saved_arguments(tool, options.arguments)
    raw = saved.arguments | from_json(options.args) | from_words(tool, options.rest)
    now = time.time()
    arguments = check(tool, raw, now)
    if arguments.errors:
        for error in arguments.errors:
            complain(argument_message(tool, error), field=error.path, see=f"callboard show {tool.name}", code=ExitCode.USAGE)
        return ExitCode.USAGE
    limits, ending = limits_of(options)
    _tell_times(tool, raw, now)
    settings = Settings(
        read_only=options.read_only,
        downloads=Path(options.output),
        journal=not options.no_journal,
        tell=remark,
        limits=limits,
    )
    engine = open_engine(settings)
    try:
        several = [_connection(engine, name, tool) for name in options.connection or [None]]
        connection = several[0]
        endpoints = [one.endpoint(tool.toolkit) for one in several]
    except ConnectionSettingsError as error:
        fail(str(error))
    if len(several) > 1:
        try:
            with outlet_of(options, tool) as outlet:
                return call_several(engine, tool, arguments, several, ending, options, outlet)
        except DeadlinePassed as error:
            return print_deadline(error)
    if options.dry_run:
        return _show_request(engine, tool, arguments, connection)
    if needs := endpoints[0].needs:
        fail(f"no account for {endpoints[0].service.title}: set {needs} in the environment")
    if options.allow_writes:
        engine.policy.open_writing(connection, tool.toolkit)
    consent = _consent(tool, arguments, confirmed=options.yes, typed=options.confirm)
    decision = engine.policy.decide(tool, connection)
    if not decision.allows(consent):
        fail(_refusal(tool, arguments, decision, read_only=engine.policy.read_only))
    if saved.shared and tool.effect == "delete" and consent < Consent.TYPED:
        # Somebody else wrote this call and may change it, so --yes alone must not delete: it was given without seeing the id.
        way_out = f"Add --confirm {_subject(tool, arguments)} to confirm"
        fail(f"Not sent. This deletes data, and it is shared from {saved.shared}. {way_out}")
    if (options.most is not None or options.json) and not options.all:
        fail("--most and --json need --all")
    if options.json and (options.save or options.format):
        fail("--json cannot be combined with --save or --format; remove it")
    with outlet_of(options, tool) as outlet:
        return _made(engine, tool, arguments, connection, consent, ending, options, outlet)


def _made(
    engine: Engine,
    tool: Tool,
    arguments: Arguments,
    connection: Connection,
    consent: Consent,
    ending: Ending,
    options: argparse.Namespace,
    outlet: Outlet | None,
) -> int:
    if options.all:
        masked = not (options.raw or options.show_secrets)
        values = arguments.values
        return fetch_all(
            engine, tool, values, connection, ending, most=options.most, as_json=options.json, outlet=outlet, masked=masked
        )
    try:
        if tool.effect != "read":
            with change(engine, tool, arguments.values, connection, consent, print_waiting, ending) as result:
                return ExitCode.SERVICE if result is None else _write_result(result, options, outlet)
        return _write_result(ending.run(_read(engine, tool, arguments, connection)), options, outlet, ending)
    except DeadlinePassed as error:
        return print_deadline(error)


def _write_result(result: Result, options: argparse.Namespace, outlet: Outlet | None, ending: Ending | None = None) -> int:
    """Save or print a result. `ending`: its deadline ends the printing; None for a change, whose result must not be lost."""
    with ending.limited() if ending is not None and result.ok and options.save is None else nullcontext():
        if outlet is not None and result.ok and result.body:
            if (code := outlet.write_files(result.files)) is not None:
                return code
            return outlet.write(result.body, (*result.notes, *result.unusual), result.items_at)
        return _print(result, raw=options.raw, show_secrets=options.show_secrets)


async def _read(engine: Engine, tool: Tool, arguments: Arguments, connection: Connection) -> Result:
    async with engine:
        return await engine.run(tool, arguments.values, connection, presenter=AtTerminal(print_waiting))


def _consent(tool: Tool, arguments: Arguments, *, confirmed: bool, typed: str | None) -> Consent:
    """How far the command line agrees to a change. `typed` must be the id of the object to change."""
    if typed is None:
        return Consent.CONFIRMED if confirmed else Consent.NONE
    if typed != _subject(tool, arguments):
        fail(f"--confirm does not match: expected {_subject(tool, arguments)}, got {typed}. Nothing was sent")
    return Consent.TYPED


def _refusal(tool: Tool, arguments: Arguments, decision: Decision, *, read_only: bool) -> str:
    """Why a change is not sent, and the option that allows it."""
    ways = {
        "confirm": "Add --yes to confirm",
        "type": f"Add --confirm {_subject(tool, arguments)} to confirm",
        "switch": "Add --allow-writes to allow it for this call",
        "refuse": "Remove --read-only or unset CALLBOARD_READ_ONLY" if read_only else decision.way_out.rstrip("."),
    }
    reason = " ".join(filter(None, (decision.reason, tool.rule)))
    return f"Not sent. {reason} {ways[decision.kind]}, or --dry-run to preview the request"


def _subject(tool: Tool, arguments: Arguments) -> str:
    return str(arguments.values[tool.subject.name]) if tool.subject is not None else tool.name


def _tell_times(tool: Tool, raw: Mapping[str, object], now: float) -> None:
    """Print the values of relative times and of times without a zone."""
    for parameter in tool.parameters:
        text = raw.get(parameter.name)
        if parameter.role == "timestamp" and isinstance(text, str) and is_spoken(parameter, text, now):
            remark(f"{parameter.name} {reading(parameter, text, now)}")


def _print(result: Result, *, raw: bool, show_secrets: bool) -> int:
    for note in result.notes:
        remark(f"note: {note}")
    if result.failure is not None:
        print_failure(result.failure, status=result.status, request_id=result.request_id)
        return code_of(result.failure)
    for one in result.unusual:
        remark(f"note: {one}")
    if raw:
        say_json(decode(result.body), end="")
    elif result.body:
        try:
            text = pretty(decode(result.body), masked=not show_secrets)
        except InvalidJson as error:
            complain(f"the response is not JSON and was not printed: {error}")
            return ExitCode.SERVICE
        say_json(text)
    return ExitCode.OK


def _show_request(engine: Engine, tool: Tool, arguments: Arguments, connection: Connection) -> int:
    shown = engine.preview(tool, arguments, connection)
    lines = [f"{shown.method} {shown.url}", *(f"{name}: {value}" for name, value in shown.headers.items())]
    if shown.body is not None:
        lines += ["", visible_json(shown.body)]
    say("\n".join(lines))
    if tool.composed is not None:
        remark("First request only; more requests may follow, depending on the response.")
    return ExitCode.OK


def _connection(engine: Engine, name: str | None, tool: Tool) -> Connection:
    """The connection with a name; without a name, the one that the tool usually uses."""
    service = next((one for one in services().values() if one.name == name), None)
    if service is not None and name not in engine.connections and not engine.problem:
        raise ConnectionSettingsError(f"account {name!r} is not set up: set {service.needs} in the environment")
    return engine.named(name, tool.toolkit)
