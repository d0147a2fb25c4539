"""``callboard call … --account A --account B``: one tool that reads on several accounts at once, with an account column."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import nullcontext

from registry.accounts.connection import Connection
from registry.calling.arguments import Arguments
from registry.calling.several_accounts import SeveralAccounts, SeveralRefused
from registry.catalog.model import Tool
from registry.doors.cli_save import FileOutlet, Outlet
from registry.doors.ending import Ending
from registry.doors.output import ExitCode, code_of, fail, print_failure, remark
from registry.engine import Engine, Unattended
from registry.results.export.formats import ExportOptions


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
