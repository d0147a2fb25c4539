"""``callboard sync TOOL --to ADDRESS``: keeps a copy of a list up to date in a database or files, once or repeatedly."""

import argparse
import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from registry.calling.arguments import ArgumentError
from registry.calling.invalid_value import InvalidValue
from registry.calling.times import interval_seconds
from registry.doors.cli_fetch_all import print_list_waiting
from registry.doors.cli_options import given_call
from registry.doors.cli_parser import Commands, How, add_command
from registry.doors.cli_save import refuse_sink
from registry.doors.common_options import option_of
from registry.doors.ending import Ending
from registry.doors.output import ExitCode, complain, fail, print_failure, print_notes, remark, say_values
from registry.engine import Settings, open_engine
from registry.engines.address import address_of
from registry.engines.problems import NotStored
from registry.engines.saving import sink_of
from registry.engines.sync import RunResult, Sync, SyncSource
from registry.results.list_fetch import ListFetch, without_position
from registry.results.spool import Spool
from registry.text.readings import counted

_LONGEST = 7 * 86_400


_USAGE = "callboard sync TOOL [--parameter-name VALUE ...] --to ADDRESS [--every INTERVAL] [--full] [--account NAME]"


def add(commands: Commands) -> None:
    """The command's options."""
    how: How = {"--saved": {"dest": "arguments"}, "--to": {"required": True}, "--every": {"type": _interval}}
    add_command(commands, "sync", how, usage=_USAGE, allow_abbrev=False)


def run(options: argparse.Namespace) -> int:
    """Sync a tool's list; `options.rest` has its arguments, as typed on the command line. Returns the exit code."""
    given = given_call(options)
    tool, raw = given.tool, given.raw
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
            way_out = "use FOLDER/, duckdb:FILE#TABLE, postgresql://…#TABLE or s3://…/"
            fail(f"--to: a plain file cannot be kept up to date; {way_out}")
        source = SyncSource(tool, connection.name, raw, fetch)

        def made() -> Sync:
            return Sync(sink_of(address), source, masked=not options.show_secrets)

        first = made()
    except NotStored as error:
        refuse_sink(error, "--to: ")
    ending = Ending()

    async def work() -> int:
        async with engine:
            going = asyncio.create_task(_rounds(first, made, options))
            with ending.settling(going.cancel), suppress(asyncio.CancelledError):  # the current step is written first
                return await going
        return ExitCode.INCOMPLETE

    with first:  # closed even if nothing runs it
        code = ending.run(work())
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
    end = "" if run.complete else "; the next run goes on from here"
    rows = f"{run.inserted:,} new and {run.updated:,} updated in {run.target}{end}"
    remark(f"{run.outcome.partition(':')[0]}: {counted(run.items, 'item')}, {rows}")


def _interval(text: str) -> float:
    try:
        return interval_seconds(text, 1, _LONGEST)
    except InvalidValue as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from None
