"""``callboard call TOOL --account A --account B``: one list of several accounts' items."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from registry.accounts.connection import Connection
from registry.calling.several_accounts import SeveralAccounts
from registry.doors.cli_options import GivenCall
from registry.doors.cli_save import outlet_of
from registry.doors.ending import Ending
from registry.doors.output import ExitCode, code_of, fail, print_failure, remark
from registry.engine import ConnectionSettingsError, Presenter, Settings, open_engine


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
        try:
            result = ending.run(read())
        except ConnectionSettingsError as error:
            fail(str(error))
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
