"""``callboard call TOOL --all``: fetch a whole list and print its items as they are received.

Standard error says how much of the list was printed, and the exit code whether it is incomplete.
"""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress

from registry.accounts.connection import Connection
from registry.calling.arguments import ArgumentError
from registry.calling.json_text import InvalidJson, decode, one_line
from registry.catalog.model import Tool
from registry.doors.cli_options import argument_message
from registry.doors.cli_save import Outlet
from registry.doors.ending import Ending, print_deadline
from registry.doors.output import ExitCode, code_of, complain, fail, flush, print_failure, remark, say, say_json
from registry.engine import Engine
from registry.results.fetched_list import FetchedList
from registry.results.list_fetch import ListFetch, can_fetch_all
from registry.results.spool import Spool


def fetch_all(
    engine: Engine,
    tool: Tool,
    raw: Mapping[str, object],
    connection: Connection,
    ending: Ending,
    *,
    most: int | None,
    as_json: bool,
    outlet: Outlet | None,
    masked: bool,
) -> int:
    """Fetch all items of a list.

    Args:
        engine: runs the tool; closed at the end.
        tool: the tool to call.
        raw: its arguments; a cursor or an offset among them is where to start.
        connection: the account, with its credentials.
        ending: runs it, and stops it on a signal or at the deadline.
        most: the user's limit on items.
        as_json: print one JSON list at the end instead of one item per line as they are received.
        outlet: where to save the items at the end, and in which format; None to print them.
        masked: redact secrets.

    Returns:
        The exit code: complete, incomplete, or the failure if there are no items.
    """
    if not can_fetch_all(tool):
        fail(f"{tool.name} does not return a list; remove --all")
    try:
        with Spool() as spool:
            printer = _Printer(spool, at_once=not as_json and outlet is None, masked=masked)
            gathered = ending.run(_run(engine, tool, raw, connection, spool, most, printer, ending))
            ending.raise_if_ended()
            if as_json:
                printer.whole()
            if outlet is not None and len(spool) and (code := outlet.write(spool)) != ExitCode.OK:
                return code
    except ArgumentError as error:
        for one in error.errors:
            complain(argument_message(tool, one), field=one.path)
        return ExitCode.USAGE
    failure = gathered.failure
    if failure is not None:
        code = ExitCode.INCOMPLETE if gathered.count else code_of(failure)
        print_failure(failure, code=code)
        if not gathered.count:
            return code
    if ending.came and not gathered.count:
        return print_deadline(ending.passed)
    return ExitCode.OK if gathered.complete else ExitCode.INCOMPLETE


async def _run(
    engine: Engine,
    tool: Tool,
    raw: Mapping[str, object],
    connection: Connection,
    spool: Spool,
    most: int | None,
    printer: _Printer,
    ending: Ending,
) -> FetchedList:
    fetch = engine.fetch_all(tool, raw, connection, spool, most=most, observer=printer.observe)
    async with engine:
        try:
            running = asyncio.create_task(fetch.run())
            with ending.settling(running.cancel), suppress(asyncio.CancelledError):
                await running
        finally:
            _sum_up(fetch.so_far, raw)
    return fetch.so_far


def _sum_up(gathered: FetchedList, raw: Mapping[str, object]) -> None:
    pages = "1 page" if gathered.pages == 1 else f"{gathered.pages:,} pages"
    remark(f"{gathered.words} ({pages}, {gathered.elapsed:.1f} s)")
    if gathered.resume is not None and gathered.count:
        further = {name: value for name, value in gathered.resume.items() if value is not None and raw.get(name) != value}
        words = " ".join(f"--{name.replace('_', '-')} {shlex.quote(str(value))}" for name, value in further.items())
        if words:
            remark(f"→ to continue from here, add: {words}")


class _Printer:
    """Prints the items, and why the client waits."""

    def __init__(self, spool: Spool, *, at_once: bool, masked: bool) -> None:
        self._spool = spool
        self._at_once = at_once
        self._masked = masked
        self._printed = 0

    def observe(self, fetch: ListFetch) -> None:
        """Called for each page received, and when the client starts to wait."""
        if fetch.waiting is not None:
            remark(f"{fetch.reason}; retrying in {fetch.waiting:.1f} s")
        if self._at_once and len(self._spool) > self._printed:
            new = self._spool[self._printed :]
            self._printed += len(new)
            for line in self._lines(new):
                say_json(line)
            flush()

    def whole(self) -> None:
        """Print all items as one JSON list, one item per line."""
        before = "["
        for line in self._lines(self._spool):
            say(before)
            say_json(line, end="")
            before = ","
        say(before + "]" if before == "[" else "\n]")

    def _lines(self, items: Iterable[bytes]) -> Iterable[str]:
        for item in items:
            try:
                yield one_line(decode(item), masked=self._masked)
            except InvalidJson as error:
                complain(f"skipped an item that is not standard JSON: {error}")
