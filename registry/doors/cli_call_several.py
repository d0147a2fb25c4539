"""``callboard call … --account A --account B``: one tool that reads on several accounts at once, with an account column."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from registry.doors.output import ExitCode, code_of, fail, remark, tell_failure
from registry.engine import Unattended

if TYPE_CHECKING:
    from registry.calling.arguments import Arguments
    from registry.calling.result import Result
    from registry.catalog.model import Tool
    from registry.connections.profiles import Connection
    from registry.doors.cli_save import Outlet
    from registry.doors.ending import Ending
    from registry.engine import Engine

COLUMN = "account"
"""What is put in front of each item: the name of the account that it is from."""


def call_several(
    engine: Engine,
    tool: Tool,
    arguments: Arguments,
    connections: Sequence[Connection],
    ending: Ending,
    options: argparse.Namespace,
    outlet: Outlet | None,
) -> int:
    """Run a tool on several accounts at once and print the items of all, each with its account; the exit code.

    An object counts as one item, so that the same object of two accounts stands in two rows. Where an account fails, the others
    are printed, and the exit code says that the result is incomplete.
    """
    from registry.doors.cli_save import Outlet
    from registry.export.formats import ExportOptions

    if tool.effect != "read":
        fail(f"{tool.name} changes data. Name one --account; only reading works on several")
    if options.all or options.dry_run or options.raw:
        fail("--all, --dry-run and --raw take one --account")
    names = [one.name for one in connections]
    if len(set(names)) < len(names):
        fail("--account names an account twice")

    async def read() -> list[Result]:
        async with engine:
            runs = (engine.run(tool, arguments.values, one, presenter=Unattended()) for one in connections)
            return list(await asyncio.gather(*runs))

    results = ending.run(read())
    items: list[bytes] = []
    failures = []
    for name, result in zip(names, results, strict=True):
        if result.failure is not None:
            failures.append(result.failure)
            tell_failure(result.failure, f"account {name}", status=result.status, request_id=result.request_id)
            continue
        items += [_with_account(name, one) for one in _items(result)]
        if result.page is not None and result.page.has_more:
            remark(f"{name}: this is the first page; for all of it, name this account alone with --all")
    if len(failures) == len(results):
        return code_of(failures[0])
    shown = (
        outlet if outlet is not None else Outlet(ExportOptions("json", masked=not options.show_secrets), None, replace=False)
    )
    code = shown.let_out(items)
    return ExitCode.INCOMPLETE if failures and code == ExitCode.OK else code


def _items(result: Result) -> Sequence[bytes]:
    """The items of a list, each as the text that came; an object alone."""
    from registry.calling.items import listing_in

    if result.items_at is None:
        return [result.body]
    listing = listing_in(result.body, result.items_at)
    return listing.items if listing is not None else []


def _with_account(name: str, item: bytes) -> bytes:
    """An item with its account in front, its values as they came; a property of the column's name gets another one."""
    import msgspec

    try:
        own = msgspec.json.decode(item, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        own = {"value": msgspec.Raw(item)}
    renamed = {(f"{COLUMN}_" if key == COLUMN else key): value for key, value in own.items()}
    return msgspec.json.encode({COLUMN: name, **renamed})
