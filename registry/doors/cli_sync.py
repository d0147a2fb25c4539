"""Whole lists: printed as their items arrive (``call TOOL --all``), or kept up to date elsewhere (``callboard sync``).

Standard error says how much of the list was printed, and the exit code whether it is incomplete.
"""

import argparse
import asyncio
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path

from registry.accounts.connection import Connection
from registry.calling.arguments import ArgumentError
from registry.calling.listing import listing_of
from registry.calling.receiving import mask
from registry.calling.times import InvalidValue, interval_seconds
from registry.catalog.model import Tool
from registry.doors.cli_options import given_call, refuse_arguments
from registry.doors.cli_parser import Options, option_of
from registry.doors.cli_save import outlet_of, refuse_sink
from registry.doors.ending import Ending
from registry.doors.output import (
    ExitCode,
    code_of,
    complain,
    fail,
    flush,
    print_failure,
    print_notes,
    remark,
    say,
    say_json,
    say_values,
)
from registry.engine import Presenter, Settings, open_engine
from registry.engines.address import address_of
from registry.engines.problems import NotStored
from registry.engines.saving import sink_of
from registry.engines.sync import RunResult, Sync, SyncSource
from registry.json_text import NotJson, as_text, in_one_line
from registry.results.list_fetch import ListFetch, without_position
from registry.results.spool import Spool
from registry.text.shown import counted


def fetch_all(
    settings: Settings,
    tool: Tool,
    raw: Mapping[str, object],
    connection: Connection,
    ending: Ending,
    options: argparse.Namespace,
) -> int:
    """Fetch all items of a list; a cursor or an offset among the arguments is where to start.

    Prints the items, or saves them at the end, if the options say so. Returns the exit code: complete, incomplete, or the
    failure if there are no items.
    """
    if not tool.is_list:
        fail(f"{tool.name} does not return a list; remove --all")
    saves, printed = options.save is not None or options.format is not None, 0
    masked = not (options.raw or options.show_secrets)

    def observe(fetch: ListFetch) -> None:
        """Called for each page received, and when the client starts to wait."""
        nonlocal printed
        print_list_waiting(fetch)
        if not (options.json or saves) and len(spool) > printed:
            new = spool[printed:]
            printed += len(new)
            for line in _lines(new, masked=masked):
                say_json(line)
            flush()

    async def run() -> ListFetch:
        fetch = engine.fetch_all(tool, raw, connection, spool, most=options.most, observer=observe)
        try:
            running = asyncio.create_task(fetch.run())
            with ending.settling(running.cancel), suppress(asyncio.CancelledError):
                await running
        finally:
            remark(f"{fetch.words} ({counted(fetch.pages, 'page')}, {fetch.elapsed:.1f} s)")
            if fetch.resume is not None and fetch.count:
                further = {name: value for name, value in fetch.resume.items() if value is not None and raw.get(name) != value}
                words = " ".join(f"{option_of(name)} {shlex.quote(str(value))}" for name, value in further.items())
                if words:
                    remark(f"→ to continue from here, add: {words}")
        return fetch

    engine, saving = open_engine(settings), outlet_of(options, tool) if saves else nullcontext()
    with saving as outlet, Spool() as spool:
        try:
            gathered = ending.run(run(), engine)
        except ArgumentError as error:
            refuse_arguments(tool, error.errors)
        ending.raise_if_ended()
        if options.json:  # one list, with a line for each item
            before = "["
            for line in _lines(spool, masked=masked):
                say(before)
                say_json(line, end="")
                before = ","
            say("[]" if before == "[" else "\n]")
        # A list that is surely empty replaces the file of an earlier run, too.
        if outlet is not None and (len(spool) or gathered.complete) and (code := outlet.write(spool)) != ExitCode.OK:
            return code
    if (failure := gathered.failure) is not None:
        return print_failure(failure, code=ExitCode.INCOMPLETE if gathered.count else None)
    if ending.came and not gathered.count:
        raise ending.passed
    return ExitCode.OK if gathered.complete else ExitCode.INCOMPLETE


def print_list_waiting(fetch: ListFetch) -> None:
    """Print that a list waits for its next attempt, and why."""
    if fetch.waiting is not None:
        remark(f"{fetch.reason}; retrying in {fetch.waiting:.1f} s")


def _lines(items: Iterable[bytes], *, masked: bool) -> Iterator[str]:
    for item in items:
        try:
            yield as_text(in_one_line(mask(item)[0] if masked else item))
        except NotJson as error:
            complain(f"skipped an item that is not standard JSON: {error}")


def call_several(
    settings: Settings,
    tool: Tool,
    values: Mapping[str, object],
    connections: Sequence[Connection],
    ending: Ending,
    options: argparse.Namespace,
) -> int:
    """Run a tool on several accounts at once and print all items, each with its account; returns the exit code.

    If an account fails, the others are printed, and the exit code says that the result is incomplete.
    """
    if tool.effect == "read" and (options.all or options.dry_run or options.raw):
        fail("--all, --dry-run and --raw take one --account")
    engine = open_engine(settings)
    with outlet_of(options, tool) as outlet:
        work = engine.run_several(tool, values, connections, presenter=Presenter())
        result = ending.run(work, engine)
        listing = listing_of(result) if result.failure is None else None
        code = outlet.write(listing.items) if listing is not None else ExitCode.OK
    for part in result.failed:
        whole = ExitCode.INCOMPLETE if result.failure is None else code_of(result.failure)
        assert part.failure is not None
        print_failure(part.failure, f"account {part.connection}", status=part.status, request_id=part.request_id, code=whole)
    for name in result.partial:
        remark(f"{name}: this is the first page; for all of it, name this account alone with --all")
    if result.failure is not None:
        return code_of(result.failure)
    return ExitCode.INCOMPLETE if result.failed and code == ExitCode.OK else code


_LONGEST = 7 * 86_400


_USAGE = "callboard sync TOOL [--parameter-name VALUE ...] --to ADDRESS [--every INTERVAL] [--full] [--account NAME]"


def _interval(text: str) -> float:
    try:
        return interval_seconds(text, 1, _LONGEST)
    except InvalidValue as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from None


OPTIONS: Options = {
    "sync": {
        "": {"usage": _USAGE, "allow_abbrev": False},
        "--saved": {"dest": "arguments"},
        "--to": {"required": True},
        "--every": {"type": _interval},
    }
}


def run(options: argparse.Namespace) -> int:
    """Sync a tool's list; `options.rest` has its arguments, as typed on the command line. Returns the exit code."""
    tool, raw, *_ = given_call(options)
    if not tool.is_list:
        fail(f"{tool.name} does not return a list; only lists can be synced")
    if positions := raw.keys() - without_position(tool, raw).keys():
        fail(f"{option_of(min(positions))} says where in the list to start; a sync reads all of it; remove it")
    engine = open_engine(Settings(tell=remark, journal=False))
    connection = engine.named(options.connection, tool.toolkit)
    endpoint = connection.endpoint_for(tool)
    if endpoint.needs:
        fail(f"no account for {endpoint.service.title}: set {endpoint.needs} in the environment")

    def fetch(raw: Mapping[str, object], spool: Spool) -> ListFetch:
        return engine.fetch_all(tool, raw, connection, spool, observer=print_list_waiting)

    try:
        address = address_of(options.to, Path())
        if address is None:
            ways = "use FOLDER/, duckdb:FILE#TABLE, postgresql://…#TABLE or s3://…/"
            fail(f"--to: a plain file cannot be kept up to date; {ways}")
        source = SyncSource(tool, connection.name, raw, fetch)

        def made() -> Sync:
            return Sync(sink_of(address), source, masked=not options.show_secrets)

        first = made()
    except NotStored as error:
        refuse_sink(error, "--to: ")
    ending = Ending()

    async def work() -> int:
        going = asyncio.create_task(_rounds(first, made, options))
        with ending.settling(going.cancel), suppress(asyncio.CancelledError):  # the current step is written first
            return await going
        return ExitCode.INCOMPLETE

    with first:  # closed even if nothing runs it
        code = ending.run(work(), engine)
        ending.raise_if_ended()
        return code


async def _rounds(first: Sync, made: Callable[[], Sync], options: argparse.Namespace) -> int:
    """Run once, or repeatedly; between runs the target is closed, so that others can read it, and it may be unavailable."""
    full = options.full
    sync: Sync | None = first
    while True:
        try:
            sync = sync if sync is not None else await asyncio.to_thread(made)
            with sync:
                code = _code(await sync.run(full=full, report=remark))
            full = False
        except ArgumentError as error:  # a relative time has become invalid
            return complain(str(error), code=ExitCode.USAGE)
        except NotStored as error:
            code = complain(str(error), code=ExitCode.LOCAL)
        finally:
            if sync is not None and sync.last is not None:
                _tell(sync.last, as_json=options.json)
        if options.every is None:
            return code
        sync = None
        await _sleep(options.every)


async def _sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


def _code(result: RunResult) -> int:
    if result.failure is None:
        return ExitCode.OK
    return print_failure(result.failure, code=ExitCode.INCOMPLETE if result.items else None)


def _tell(run: RunResult, *, as_json: bool) -> None:
    print_notes(run.notes)
    if as_json:
        say_values(run.as_json, line=True)
    end = "" if run.outcome == "complete" else "; the next run goes on from here"
    rows = f"{run.inserted:,} new and {run.updated:,} updated in {run.target}{end}"
    remark(f"{run.outcome.partition(':')[0]}: {counted(run.items, 'item')}, {rows}")
