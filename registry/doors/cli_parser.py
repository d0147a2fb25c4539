"""The options of each command of the command line.

If the first word is a command, only its options are built, and modules for other commands are not imported.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache
from typing import NoReturn

from registry import __version__
from registry.doors.account_option import ACCOUNT, add_account
from registry.doors.output import JSON_ERRORS, fail
from registry.doors.whole_numbers import count, number

COMMANDS = (
    "explore",
    "demo",
    "oncall",
    "find",
    "tools",
    "show",
    "call",
    "page",
    "sync",
    "run",
    "saved",
    "history",
    "sql",
    "keys",
    "mcp",
    "serve",
    "audit",
    "toolkit",
    "doctor",
    "account",
    "sandbox",
)
"""In the order of the help text."""

_TOOL = "name of the tool, as callboard tools prints it"
_ABOUT = "Explore and call REST APIs from the terminal. With no command, opens the explorer."


@cache
def parser(command: str | None = None) -> argparse.ArgumentParser:
    """The options and commands, to parse and for the help; cached, because parsing does not change them.

    Args:
        command: build only this one, the first word of the command line; None for all.
    """
    top = _Parser(prog="callboard", description=_ABOUT)
    top.add_argument("--version", action="version", version=f"callboard {__version__}")
    top.add_argument("--read-only", action="store_true", dest="nothing_changes", help="read-only: block every write and delete")
    top.add_argument("--audit-file", metavar="FILE", help="append each change to this file as well, as a line of JSON")
    top.add_argument("--screen-reader", action="store_true", help="work line by line, without a full screen")
    top.add_argument(JSON_ERRORS, action="store_true", help="print errors as JSON on standard error; anywhere in the command")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for one in COMMANDS if command is None else (command,):
        if one not in commands.choices:  # some commands are added in pairs
            _add(commands, one)
    return top


def _add(commands: argparse._SubParsersAction[_Parser], name: str) -> None:
    """A command's options."""
    match name:
        case "explore":
            _add_explore(commands)
        case "demo":
            from registry.doors.cli_demo import add_demo

            add_demo(commands)
        case "oncall":
            _add_oncall(commands)
        case "find":
            _add_find(commands)
        case "tools":
            _add_tools(commands)
        case "show":
            _add_show(commands)
        case "call":
            _add_call(commands)
        case "page":
            from registry.doors.cli_page import add_page

            add_page(commands)
        case "sync":
            from registry.doors.cli_sync import add_sync

            add_sync(commands)
        case "run" | "saved":
            from registry.doors.cli_saved import add_run, add_saved

            add_run(commands)
            add_saved(commands)
        case "history":
            from registry.doors.cli_history import add_history

            add_history(commands)
        case "sql":
            from registry.doors.cli_sql import add_sql

            add_sql(commands)
        case "keys":
            _add_keys(commands)
        case "mcp":
            from registry.doors.cli_mcp import add_mcp

            add_mcp(commands)
        case "serve":
            from registry.doors.cli_serve import add_serve

            add_serve(commands)
        case "audit":
            from registry.doors.cli_audit import add_audit

            add_audit(commands)
        case "toolkit":
            from registry.doors.cli_toolkit import add_toolkit

            add_toolkit(commands)
        case "doctor":
            from registry.doors.cli_doctor import add_doctor

            add_doctor(commands)
        case "account":
            from registry.doors.cli_account import add_account_command

            add_account_command(commands)
        case "sandbox":
            _add_sandbox(commands)


def _add_explore(commands: argparse._SubParsersAction[_Parser]) -> None:
    from registry.doors.cli_sandbox_data import add_behaviour

    explorer = commands.add_parser(
        "explore",
        help="open the explorer with sandbox options",
        description="Open the explorer, choosing how its sandbox behaves.",
    )
    explorer.add_argument("--read-only", action="store_true", help="read-only: block every write and delete")
    add_account(explorer, "the account to begin with")
    add_behaviour(explorer)


def _add_oncall(commands: argparse._SubParsersAction[_Parser]) -> None:
    from registry.doors.cli_limits import seconds
    from registry.doors.cli_oncall_options import add_service_options
    from registry.doors.cli_sandbox_data import add_behaviour

    oncall = commands.add_parser(
        "oncall",
        help="show open incidents, who is on call and who is paged next",
        description="Open the on-call dashboard. If output is not a terminal, print it once. Never changes anything.",
        epilog="Exit codes: 0 no triggered incidents, 10 triggered incidents, 1 or 3 incidents could not be loaded.",
    )
    oncall.add_argument(
        "--json", action="store_true", help="print the dashboard as JSON; with --watch, one JSON object per change"
    )
    oncall.add_argument("--watch", action="store_true", help="print one line per change until interrupted")
    oncall.add_argument(
        "--every", type=seconds, default=15.0, metavar="SECONDS", help="seconds between refreshes, 15 to 60 (default 15)"
    )
    add_service_options(oncall)
    add_behaviour(oncall)


def _add_find(commands: argparse._SubParsersAction[_Parser]) -> None:
    find = commands.add_parser(
        "find",
        help="find tools, ready calls and objects by words or a pasted id",
        description="Find tools, calls that are ready to run, and objects: by words, an id, an email, an address, "
        "a curl command, an amount or a card's last four digits. The best comes first. Nothing is called.",
    )
    find.add_argument("words", nargs="+", metavar="WORDS", help="your question in plain words; no quotes needed")
    find.add_argument("--json", action="store_true", help="print the list as JSON: kind, tool, arguments, effect, title, why")


def _add_tools(commands: argparse._SubParsersAction[_Parser]) -> None:
    tools = commands.add_parser("tools", help="list or find tools", description="List all tools, or find some.")
    tools.add_argument("query", nargs="*", help="search words in any order; prefixes and initials match")
    tools.add_argument("--json", action="store_true", help="print the full catalogue as JSON")


def _add_show(commands: argparse._SubParsersAction[_Parser]) -> None:
    show = commands.add_parser(
        "show", help="show a tool's description and parameters", description="Show a tool's description and parameters."
    )
    show.add_argument("tool", metavar="TOOL", help=_TOOL)
    how = show.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print JSON")
    how.add_argument("--schema", action="store_true", help="print the parameters as JSON Schema")


def _add_call(commands: argparse._SubParsersAction[_Parser]) -> None:
    from registry.doors.cli_limits import add_limits

    call = commands.add_parser(
        "call",
        help="run a tool",
        description="Run a tool. Pass each parameter as --parameter-name VALUE; repeat the option for a list. "
        "Pass an object as JSON, as a file with JSON (--parameter-name=@FILE), or property by property "
        "(--parameter-name.property VALUE).",
        usage="callboard call TOOL [--parameter-name VALUE ...] [--args JSON] [--all] [--dry-run] [--yes] [--account NAME]",
        allow_abbrev=False,
    )
    _add_tool(call)
    call.add_argument("--dry-run", action="store_true", help="print the request and send nothing")
    call.add_argument("--yes", action="store_true", help="confirm a write or delete")
    call.add_argument("--confirm", metavar="ID", help="confirm a delete in live data: the id of the object to delete")
    call.add_argument("--allow-writes", action="store_true", help="allow this call to change live data")
    call.add_argument("--read-only", action="store_true", help="block every write and delete; overrides all other options")
    add_account(call, f"{ACCOUNT}; repeat it to read from several at once", several=True)
    call.add_argument("--output", metavar="FOLDER", default=".", help="folder for downloaded files")
    call.add_argument(
        "--save",
        metavar="FILE",
        help="save the result to FILE, the extension sets the format; or to "
        "FOLDER/, duckdb:FILE#TABLE, postgresql://…#TABLE or s3://BUCKET/PREFIX/",
    )
    call.add_argument(
        "--format", choices=("json", "ndjson", "csv", "parquet"), help="output format; for a list, one record per item"
    )
    call.add_argument("--replace", action="store_true", help="with --save: overwrite an existing file")
    call.add_argument(
        "--raw", action="store_true", help="print the response body unchanged: no formatting, no redaction of client secrets"
    )
    call.add_argument("--show-secrets", action="store_true", help="do not redact client secrets in the result")
    call.add_argument("--all", action="store_true", help="fetch all pages and print one item per line as they arrive (NDJSON)")
    call.add_argument("--most", metavar="N", type=count, help="with --all: stop at N items")
    call.add_argument("--json", action="store_true", help="with --all: print one JSON list at the end")
    add_limits(call)
    call.add_argument(
        "--no-journal", action="store_true", help="do not record this call in the history (also: CALLBOARD_NO_JOURNAL=1)"
    )


def _add_keys(commands: argparse._SubParsersAction[_Parser]) -> None:
    commands.add_parser(
        "keys", help="list the explorer's key bindings", description="List all key bindings, including your own, by pane."
    )


def _add_sandbox(commands: argparse._SubParsersAction[_Parser]) -> None:
    from registry.calling.sandbox_gateway import fault_table
    from registry.doors.cli_sandbox_data import add_behaviour, add_options, add_reset

    sandbox = commands.add_parser("sandbox", help="serve the sandbox", description="Serve the sandbox on localhost.")
    sandbox.add_argument("--port", type=number, default=8210, help="port on 127.0.0.1 (default 8210; 0 picks a free one)")
    sandbox.add_argument(
        "--ports",
        action="store_true",
        help="also serve each service on its own port, starting at the next one, and print code for its official clients",
    )
    sandbox.add_argument(
        "--tls",
        action="store_true",
        help="use https, with a certificate that openssl makes at the start; prints how to trust it",
    )
    sandbox.add_argument("--json", action="store_true", help="print the connection details as one line of JSON, for scripts")
    add_options(sandbox)
    add_behaviour(sandbox)
    actions = sandbox.add_subparsers(dest="action", metavar="[ACTION]", parser_class=_Parser)
    add_reset(actions)
    fault = actions.add_parser(
        "fault",
        help="inject faults into a running sandbox",
        description="Inject a fault into the sandbox running on this machine. Without SPEC, list active faults.",
    )
    fault.appendix = fault_table
    fault.add_argument("spec", metavar="SPEC", nargs="*", help="the fault; see the table below")
    # The command's own default still counts if the port is given before the action.
    fault.add_argument("--port", type=number, default=argparse.SUPPRESS, help="the sandbox's port (default 8210)")
    fault.add_argument("--clear", action="store_true", help="remove all active faults first")


def _add_tool(command: argparse.ArgumentParser) -> None:
    """A tool and its arguments, for commands that also take its parameters as options."""
    command.add_argument("tool", metavar="TOOL", help=_TOOL)
    command.add_argument("--args", metavar="JSON", help="arguments as a JSON object; - reads it from standard input")
    command.add_argument(
        "--saved",
        metavar="NAME",
        dest="arguments",
        help="use the arguments of a saved call of this tool; options override them",
    )


class _Parser(argparse.ArgumentParser):
    """Prints errors like the rest of the command line. `appendix` returns the end of its help."""

    appendix: Callable[[], str] | None = None

    def format_help(self) -> str:
        """The help, with the appendix."""
        return super().format_help() + (f"\n{self.appendix()}\n" if self.appendix else "")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Suggest the command or value that was probably meant."""
        if action.choices is None or value in action.choices:
            return
        from registry.calling.invalid_value import nearest  # only a mistake needs it

        known, near = list(action.choices), nearest(str(value), list(action.choices))
        if isinstance(action, argparse._SubParsersAction):
            fail(f"unknown command {value!r}{near}", way_out=f"see {self.prog} --help")
        raise argparse.ArgumentError(action, f"must be one of {', '.join(known)}; got {value!r}{near}")

    def error(self, message: str) -> NoReturn:
        fail(message, way_out=f"see {self.prog} --help")
