"""``callboard watch``: calls a read-only tool repeatedly, and prints what changes."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from datetime import UTC, datetime

from registry.accounts.problems import ConnectionSettingsError
from registry.calling.arguments import check
from registry.calling.exact_json import Exact, dumps
from registry.calling.json_text import decode, one_line
from registry.calling.result import Failure, Result
from registry.doors.cli_options import argument_message, from_json, from_words
from registry.doors.cli_saved import saved_arguments
from registry.doors.cli_tools import tool_named
from registry.doors.ending import run as ended_by_signals
from registry.doors.output import ExitCode, code_of, complain, fail, flush, print_failure, remark, say, say_json
from registry.engine import Settings, Unattended, open_engine
from registry.results.jmespath_query.query_error import QueryError
from registry.results.watching.watch import Version, Watch
from registry.text.safe_text import shortened, visible_line

_LONGEST = 60
_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}


def watch_tool(options: argparse.Namespace, words: list[str]) -> int:
    """Watch a tool's result.

    Args:
        options: the command's own options.
        words: the tool's arguments, as typed on the command line.
    """
    tool = tool_named(options.tool)
    if tool.effect != "read":
        fail(f"{tool.name} changes data; only read-only tools can be watched")
    raw = saved_arguments(tool, options.arguments).arguments | from_json(options.args) | from_words(tool, words)
    arguments = check(tool, raw)
    if arguments.errors:
        for error in arguments.errors:
            complain(argument_message(tool, error), field=error.path)
        return ExitCode.USAGE
    engine = open_engine(Settings(tell=remark, journal=False))
    try:
        connection = engine.named(options.connection, tool.toolkit)
        needs = connection.endpoint(tool.toolkit).needs
    except ConnectionSettingsError as error:
        fail(str(error))
    if needs:
        fail(f"no account for {connection.endpoint(tool.toolkit).service.title}: set {needs} in the environment")

    async def run() -> int:
        async with engine:

            async def call() -> Result:
                # Raw arguments, so that relative times are counted from each call.
                return await engine.run(tool, raw, connection, presenter=Unattended(lambda _: None))

            try:
                watch = Watch(call, time.time, asyncio.sleep, every=options.every, condition=options.ring or "")
            except QueryError as error:
                fail(f"--ring: {error}")
            return await follow(watch, rounds=options.rounds, as_json=options.json, bell=sys.stderr.isatty())

    return ended_by_signals(run())


async def follow(watch: Watch, *, rounds: int, as_json: bool, bell: bool) -> int:
    """Print each version when it is read; at the end, why the last call failed.

    Args:
        watch: reads the versions.
        rounds: the number of calls; 0 means until interrupted.
        as_json: print JSON objects, one per line.
        bell: ring the terminal bell when the condition becomes true.
    """
    failure: Failure | None = None
    while not rounds or watch.calls < rounds:
        version = await watch.next()
        if version is None:
            continue
        failure = version.failure
        if as_json:
            say_json(dumps(as_member(version)))
        else:
            say("\n".join(_lines(version)))
        flush()
        if version.rings and bell:
            sys.stderr.write("\a")
            sys.stderr.flush()
    if failure is None:
        return ExitCode.OK
    print_failure(failure)
    return code_of(failure)


def as_member(version: Version) -> dict[str, object]:
    """A version as JSON values for `dumps`; the first one includes the whole result as received."""
    failure = version.failure
    return {
        "version": version.number,
        "at": datetime.fromtimestamp(version.at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "rings": version.rings,
        "changes": [
            {"path": one.path, "kind": one.kind, "before": one.before or None, "after": one.after or None}
            for one in version.changes
        ],
        "count": version.count,
        "failure": {"title": failure.title, "cause": failure.cause} if failure is not None else None,
        "notice": version.notice or None,
        "result": Exact(one_line(decode(version.body))) if version.number == 1 and failure is None and version.body else None,
    }


def _lines(version: Version) -> list[str]:
    moment = f"{datetime.fromtimestamp(version.at):%H:%M:%S}"
    if version.failure is not None:
        return [visible_line(f"{moment}  version {version.number}: FAILED  {version.failure.title}: {version.failure.cause}")]
    differs = "first result" if version.number == 1 else f"{version.count} {'change' if version.count == 1 else 'changes'}"
    ringing = "  RINGS: the condition is true" if version.rings else ""
    lines = [f"{moment}  version {version.number}: {differs}{ringing}"]
    if version.notice:
        lines.append(f"  {version.notice}")
    for one in version.changes:
        values = " → ".join(shortened(value, _LONGEST) for value in (one.before, one.after) if value)
        lines.append(f"  {_SIGNS.get(one.kind, ' ')} {one.path or 'the result'}  {values}".rstrip())
    if version.count > len(version.changes):
        lines.append(f"  and {version.count - len(version.changes)} more")
    return [visible_line(line) for line in lines]
