"""``callboard call``: run one tool and print its result."""

import argparse
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from registry.accounts.connection import Connection
from registry.calling.arguments import Arguments
from registry.calling.receiving import mask
from registry.calling.result import Result
from registry.calling.sending import composition
from registry.calling.times import reading
from registry.catalog.model import Tool
from registry.doors.cli_options import given_call
from registry.doors.cli_parser import SEVERAL_ACCOUNTS, Options, limits_of
from registry.doors.output import (
    ExitCode,
    complain,
    fail,
    print_failure,
    print_notes,
    print_waiting,
    remark,
    say,
    say_json,
)
from registry.engine.reading import ReadingEngine, Settings
from registry.json_text import NotJson, as_text, lay_out
from registry.results.coverage import narrowed
from registry.text.shown import counted, visible_json

_USAGE = "callboard call TOOL [--parameter-name VALUE ...] [--args JSON] [--all] [--dry-run] [--yes] [--account NAME]"


OPTIONS: Options = {
    "call": {
        "": {"usage": _USAGE, "allow_abbrev": False},
        "--saved": {"dest": "arguments"},
        "--account": SEVERAL_ACCOUNTS,
        "--output": {"default": "."},
    }
}


def run(options: argparse.Namespace) -> int:
    """Run a tool; `options.rest` has its arguments, as typed on the command line."""
    now = time.time()
    tool, raw, arguments, shared = given_call(options, now)
    limits, ending = limits_of(options)
    _tell_times(tool, raw, arguments.values, now)
    downloads, journal = Path(options.output), not options.no_journal
    settings = Settings(read_only=options.read_only, downloads=downloads, journal=journal, tell=remark, limits=limits)
    engine, names = ReadingEngine(settings), options.connection or [None]
    connection, *others = (engine.named(one, tool.toolkit) for one in names)
    if others:
        from registry.doors.cli_sync import call_several

        return call_several(settings, tool, arguments.values, [connection, *others], ending, options)
    endpoint = connection.endpoint_for(tool)
    if options.dry_run:
        return _show_request(engine, tool, arguments, connection)
    if needs := endpoint.needs:
        fail(f"no account for {endpoint.service.title}: set {needs} in the environment")
    subject = str(arguments.values[tool.subject.name]) if tool.subject is not None else tool.name
    if wrong := next((one for one in options.confirm if one != subject), None):
        fail(f"--confirm does not match: expected {subject}, got {wrong}. Nothing was sent")
    if tool.effect != "read":
        from registry.doors.cli_change import change, consented

        changing, consent = consented(settings, tool, subject, connection, options, shared)
    if options.json and (options.save or options.format):
        fail("--json cannot be combined with --save or --format; remove it")
    if options.all:
        from registry.doors.cli_sync import fetch_all

        return fetch_all(settings, tool, arguments.values, connection, ending, options)
    with ExitStack() as held:
        save: Callable[[Result], int] | None = None
        if options.save is not None or options.format is not None:
            from registry.doors.cli_save import outlet_of

            save = held.enter_context(outlet_of(options, tool)).write_result
        if tool.effect != "read":
            with change(changing, tool, arguments.values, connection, consent, ending) as changed:
                return ExitCode.SERVICE if changed is None else _write_result(tool, changed, options, save)
        if endpoint.service.mcp is not None:  # its server may ask the user something
            from registry.doors.cli_change import asking

            result = asking(settings, tool, arguments.values, connection, ending)
        else:
            work = engine.read(tool, arguments.values, connection, observer=print_waiting)
            result = ending.run(work, engine)
        return _write_result(tool, result, options, save)


def _write_result(tool: Tool, result: Result, options: argparse.Namespace, save: Callable[[Result], int] | None) -> int:
    """Print a result, or `save` one that has a body; returns the exit code."""
    page = result.page
    if page is not None and result.ok and (page.has_more or page.next is not None):
        count = f"{page.items:,} of {page.total:,} items" if page.total is not None else counted(page.items, "item")
        remark(f"{count}, more follow: add --all for the whole list")
    if save is not None and result.ok and result.body:
        return save(result)
    print_notes(result.notes)
    if result.failure is not None:
        return print_failure(result.failure, status=result.status, request_id=result.request_id)
    if tool.accepts and result.text is not None:  # where JSON alone is accepted, a string sent as ``text/html`` is JSON
        say(result.text.removesuffix("\n"))
    elif options.raw:
        say_json(as_text(result.body), end="")
    elif result.body:
        try:
            text = as_text(lay_out(result.body if options.show_secrets else mask(result.body)[0]))
        except NotJson as error:
            return complain(f"the response is not JSON and was not printed: {error}")
        say_json(text)
    return ExitCode.OK


def _tell_times(tool: Tool, raw: Mapping[str, object], values: Mapping[str, object], now: float) -> None:
    """Print the values of relative times and of times without a zone, and the times that were added."""
    for parameter in (one for one in tool.parameters if one.role == "timestamp"):
        text = raw.get(parameter.name)
        if text is None and parameter.name in values:
            remark(f"{parameter.name} = {values[parameter.name]}, added: without it the service would cover less")
        if isinstance(text, str) and (words := reading(parameter, text, now, if_spoken=True)):
            remark(f"{parameter.name} {words}")
    if (left_out := narrowed(tool, values)) is not None:
        way = f"; set {' or '.join(left_out.unless)} for others" if left_out.unless else ""
        remark(f"{tool.own_name} lists only those {left_out.says}{way}")


def _show_request(engine: ReadingEngine, tool: Tool, arguments: Arguments, connection: Connection) -> int:
    shown = engine.preview(tool, arguments, connection)
    headers = (f"{name}: {value}" for name, value in shown.headers.items())
    body = () if shown.body is None else ("", visible_json(shown.body))
    say("\n".join((f"{shown.method} {shown.url}", *headers, *body)))
    if composition(tool, arguments) is not None:
        remark("First request only; more requests may follow, depending on the response.")
    return ExitCode.OK
