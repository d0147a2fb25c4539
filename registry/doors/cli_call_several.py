"""``callboard call … --account A --account B``: one tool that reads on several accounts at once, with an account column."""

from __future__ import annotations

import argparse
import asyncio
import json
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
        items += [json.dumps({COLUMN: name, **_object(one)}, ensure_ascii=False).encode() for one in _items(result)]
        if result.page is not None and result.page.has_more:
            remark(f"{name}: this is the first page; for all of it, name this account alone with --all")
    if len(failures) == len(results):
        return code_of(failures[0])
    shown = (
        outlet if outlet is not None else Outlet(ExportOptions("json", masked=not options.show_secrets), None, replace=False)
    )
    code = shown.let_out(items)
    return ExitCode.INCOMPLETE if failures and code == ExitCode.OK else code


def _items(result: Result) -> list[object]:
    """The items of a list; an object alone."""
    from registry.calling.error_bodies import values_at

    body = result.json
    if result.items_at is None:
        return [body]
    found = list(values_at(body, result.items_at)) if result.items_at else [body]
    return found[0] if found and isinstance(found[0], list) else []


def _object(item: object) -> dict[str, object]:
    """An item as an object; its own property of the column's name gives way to another name."""
    if not isinstance(item, dict):
        return {"value": item}
    return {(f"{COLUMN}_" if name == COLUMN else name): value for name, value in item.items()}
