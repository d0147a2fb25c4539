"""``callboard call``: run one tool and print its result."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from registry.accounts.connection import Connection
from registry.accounts.consent import Consent, Decision
from registry.accounts.problems import ConnectionSettingsError
from registry.calling.arguments import Arguments
from registry.calling.json_layout import pretty
from registry.calling.json_text import InvalidJson, decode
from registry.calling.result import Result
from registry.calling.several_accounts import SeveralAccounts, SeveralRefused
from registry.calling.times import is_spoken, reading
from registry.catalog.loader import services
from registry.catalog.model import Tool
from registry.doors.cli_change import AtTerminal, change
from registry.doors.cli_fetch_all import fetch_all
from registry.doors.cli_options import add_tool, given_call
from registry.doors.cli_save import FileOutlet, SinkOutlet, outlet_of
from registry.doors.common_options import ACCOUNT, Commands, add_account, add_limits, count, limits_of
from registry.doors.ending import Ending
from registry.doors.output import (
    ExitCode,
    code_of,
    complain,
    fail,
    print_failure,
    print_notes,
    print_waiting,
    remark,
    say,
    say_json,
)
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


class _Call(NamedTuple):
    """One run of the command. `connections` are the accounts, usually one."""

    engine: Engine
    tool: Tool
    arguments: Arguments
    connections: list[Connection]
    ending: Ending
    options: argparse.Namespace


def run(options: argparse.Namespace) -> int:
    """Run a tool; `options.rest` has its arguments, as typed on the command line."""
    now = time.time()
    given = given_call(options, now)
    tool, arguments = given.tool, given.arguments
    limits, ending = limits_of(options)
    _tell_times(tool, given.raw, now)
    settings = Settings(
        read_only=options.read_only,
        downloads=Path(options.output),
        journal=not options.no_journal,
        tell=remark,
        limits=limits,
    )
    engine = open_engine(settings)
    call = _Call(
        engine, tool, arguments, [_connection(engine, one, tool) for one in options.connection or [None]], ending, options
    )
    endpoints = [one.endpoint(tool.toolkit) for one in call.connections]
    if len(call.connections) > 1:
        with outlet_of(options, tool) as outlet:
            return _call_several(call, outlet)
    connection = call.connections[0]
    if options.dry_run:
        return _show_request(call)
    if needs := endpoints[0].needs:
        fail(f"no account for {endpoints[0].service.title}: set {needs} in the environment")
    if options.allow_writes:
        engine.policy.open_writing(connection, tool.toolkit)
    consent = _consent(tool, arguments, confirmed=options.yes, typed=options.confirm)
    decision = engine.policy.decide(tool, connection)
    if not decision.allows(consent):
        fail(_refusal(tool, arguments, decision, read_only=engine.policy.read_only))
    if given.shared and tool.effect == "delete" and consent < Consent.TYPED:
        # Somebody else wrote this call and may change it, so --yes alone must not delete: it was given without seeing the id.
        way_out = f"Add --confirm {_subject(tool, arguments)} to confirm"
        fail(f"Not sent. This deletes data, and it is shared from {given.shared}. {way_out}")
    if (options.most is not None or options.json) and not options.all:
        fail("--most and --json need --all")
    if options.json and (options.save or options.format):
        fail("--json cannot be combined with --save or --format; remove it")
    with outlet_of(options, tool) as outlet:
        if options.all:
            return fetch_all(engine, tool, arguments.values, connection, ending, options, outlet)
        if tool.effect != "read":
            with change(engine, tool, arguments.values, connection, consent, ending) as result:
                return ExitCode.SERVICE if result is None else _write_result(result, options, outlet)
        return _write_result(ending.run(_read(call)), options, outlet)


async def _read(call: _Call) -> Result:
    async with call.engine:
        presenter = AtTerminal(print_waiting)
        return await call.engine.run(call.tool, call.arguments.values, call.connections[0], presenter=presenter)


def _call_several(call: _Call, outlet: FileOutlet | SinkOutlet | None) -> int:
    """Run a tool on several accounts at once and print all items, each with its account; returns the exit code.

    If an account fails, the others are printed, and the exit code says that the result is incomplete.
    """
    options = call.options
    if call.tool.effect == "read" and (options.all or options.dry_run or options.raw):
        fail("--all, --dry-run and --raw take one --account")

    async def read() -> SeveralAccounts:
        async with call.engine:
            return await call.engine.run_several(call.tool, call.arguments.values, call.connections, presenter=Unattended())

    try:
        result = call.ending.run(read())
    except SeveralRefused as error:
        fail(str(error))
    for part in result.failed:
        whole = ExitCode.INCOMPLETE if result.failure is None else code_of(result.failure)
        assert part.failure is not None
        account = f"account {part.connection}"
        print_failure(part.failure, account, status=part.status, request_id=part.request_id, code=whole)
    for name in result.partial:
        remark(f"{name}: this is the first page; for all of it, name this account alone with --all")
    if result.failure is not None:
        return code_of(result.failure)
    shown = outlet or FileOutlet(ExportOptions("json", masked=not options.show_secrets), None, replace=False)
    listing = result.listing
    assert listing is not None
    code = shown.write(listing.items)
    return ExitCode.INCOMPLETE if result.failed and code == ExitCode.OK else code


def _write_result(result: Result, options: argparse.Namespace, outlet: FileOutlet | SinkOutlet | None) -> int:
    """Save or print a result."""
    if outlet is not None and result.ok and result.body:
        if isinstance(outlet, FileOutlet) and (code := outlet.write_files(result.files)) is not None:
            return code
        return outlet.write(result.body, (*result.notes, *result.unusual), result.items_at)
    return _print(result, raw=options.raw, show_secrets=options.show_secrets)


def _print(result: Result, *, raw: bool, show_secrets: bool) -> int:
    print_notes(result.notes)
    if result.failure is not None:
        print_failure(result.failure, status=result.status, request_id=result.request_id)
        return code_of(result.failure)
    print_notes(result.unusual)
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


def _show_request(call: _Call) -> int:
    shown = call.engine.preview(call.tool, call.arguments, call.connections[0])
    lines = [f"{shown.method} {shown.url}", *(f"{name}: {value}" for name, value in shown.headers.items())]
    if shown.body is not None:
        lines += ["", visible_json(shown.body)]
    say("\n".join(lines))
    if call.tool.composed is not None:
        remark("First request only; more requests may follow, depending on the response.")
    return ExitCode.OK


def _connection(engine: Engine, name: str | None, tool: Tool) -> Connection:
    """The connection with a name; without a name, the one that the tool usually uses."""
    service = next((one for one in services().values() if one.name == name), None)
    if service is not None and name not in engine.connections and not engine.problem:
        raise ConnectionSettingsError(f"account {name!r} is not set up: set {service.needs} in the environment")
    return engine.named(name, tool.toolkit)
