"""``callboard call TOOL --all``, and with several accounts: fetches whole lists and prints their items as they are received.

Standard error says how much of the list was printed, and the exit code whether it is incomplete.
"""

import argparse
import asyncio
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from registry.accounts.connection import Connection
from registry.calling.arguments import ArgumentError
from registry.calling.sensitive import mask
from registry.calling.several_accounts import SeveralAccounts
from registry.catalog.model import Tool
from registry.doors.cli_options import GivenCall, refuse_arguments
from registry.doors.cli_save import outlet_of
from registry.doors.ending import Ending
from registry.doors.output import (
    ExitCode,
    Outlet,
    code_of,
    complain,
    fail,
    flush,
    print_failure,
    remark,
    say,
    say_json,
)
from registry.engine import Presenter, Settings, open_engine
from registry.json_text.reading import NotJson, as_text, in_one_line
from registry.results.list_fetch import ListFetch
from registry.results.spool import Spool
from registry.text.readings import counted


def fetch_all(
    settings: Settings,
    tool: Tool,
    raw: Mapping[str, object],
    connection: Connection,
    ending: Ending,
    options: argparse.Namespace,
    outlet: Outlet | None,
) -> int:
    """Fetch all items of a list; a cursor or an offset among the arguments is where to start.

    Prints the items, or writes them to the outlet at the end. Returns the exit code: complete, incomplete, or the failure if
    there are no items.
    """
    if not tool.is_list:
        fail(f"{tool.name} does not return a list; remove --all")
    at_once, masked, printed = not options.json and outlet is None, not (options.raw or options.show_secrets), 0

    def observe(fetch: ListFetch) -> None:
        """Called for each page received, and when the client starts to wait."""
        nonlocal printed
        print_list_waiting(fetch)
        if at_once and len(spool) > printed:
            new = spool[printed:]
            printed += len(new)
            for line in _lines(new, masked=masked):
                say_json(line)
            flush()

    async def run() -> ListFetch:
        async with open_engine(settings) as engine:
            fetch = engine.fetch_all(tool, raw, connection, spool, most=options.most, observer=observe)
            try:
                running = asyncio.create_task(fetch.run())
                with ending.settling(running.cancel), suppress(asyncio.CancelledError):
                    await running
            finally:
                _sum_up(fetch, raw)
        return fetch

    with Spool() as spool:
        try:
            gathered = ending.run(run())
        except ArgumentError as error:
            refuse_arguments(tool, error.errors)
        ending.raise_if_ended()
        if options.json:
            _say_list(_lines(spool, masked=masked))
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


def _sum_up(gathered: ListFetch, raw: Mapping[str, object]) -> None:
    remark(f"{gathered.words} ({counted(gathered.pages, 'page')}, {gathered.elapsed:.1f} s)")
    if gathered.resume is not None and gathered.count:
        further = {name: value for name, value in gathered.resume.items() if value is not None and raw.get(name) != value}
        words = " ".join(f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in further.items())
        if words:
            remark(f"→ to continue from here, add: {words}")


def _say_list(lines: Iterable[str]) -> None:
    """Print all items as one JSON list, one item per line."""
    before = "["
    for line in lines:
        say(before)
        say_json(line, end="")
        before = ","
    say("[]" if before == "[" else "\n]")


def _lines(items: Iterable[bytes], *, masked: bool) -> Iterator[str]:
    for item in items:
        try:
            yield as_text(in_one_line(mask(item)[0] if masked else item))
        except NotJson as error:
            complain(f"skipped an item that is not standard JSON: {error}")


def call_several(
    settings: Settings, given: GivenCall, connections: Sequence[Connection], ending: Ending, options: argparse.Namespace
) -> int:
    """Run a tool on several accounts at once and print all items, each with its account; returns the exit code.

    If an account fails, the others are printed, and the exit code says that the result is incomplete.
    """
    if given.tool.effect == "read" and (options.all or options.dry_run or options.raw):
        fail("--all, --dry-run and --raw take one --account")

    async def read() -> SeveralAccounts:
        async with open_engine(settings) as engine:
            return await engine.run_several(given.tool, given.arguments.values, connections, presenter=Presenter())

    with outlet_of(options, given.tool) as outlet:
        result = ending.run(read())
        listing = result.listing if result.failure is None else None
        code = outlet.write(listing.items) if listing is not None else ExitCode.OK
    for part in result.failed:
        whole = ExitCode.INCOMPLETE if result.failure is None else code_of(result.failure)
        assert part.failure is not None
        account = f"account {part.connection}"
        print_failure(part.failure, account, status=part.status, request_id=part.request_id, code=whole)
    for name in result.partial:
        remark(f"{name}: this is the first page; for all of it, name this account alone with --all")
    if result.failure is not None:
        return code_of(result.failure)
    return ExitCode.INCOMPLETE if result.failed and code == ExitCode.OK else code
