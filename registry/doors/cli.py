"""The command line: find, read about and call tools, and serve the sandbox, without a screen.

Answers go to standard output as JSON; everything else goes to standard error. Exit codes: ``docs/exit-codes.md``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import NoReturn

from registry import __version__
from registry.calling.sandbox_gateway import fault_table
from registry.doors import ending
from registry.doors.cli_audit import add_audit
from registry.doors.cli_doctor import add_doctor
from registry.doors.cli_history import add_history
from registry.doors.cli_limits import add_limits, seconds
from registry.doors.cli_mcp import add_mcp
from registry.doors.cli_oncall_options import add_outside, run_outside, several
from registry.doors.cli_page import add_page
from registry.doors.cli_presets import add_arguments
from registry.doors.cli_sandbox_data import add_behaviour, add_options, add_reset
from registry.doors.cli_toolkit import add_toolkit
from registry.doors.output import JSON_ERRORS, ExitCode, complain, errors_as_json, fail, remark
from registry.doors.whole_numbers import count
from registry.storage import streams
from registry.storage.reasons import reason

COMMANDS = (
    "explore",
    "oncall",
    "find",
    "page",
    "tools",
    "show",
    "call",
    "arguments",
    "history",
    "audit",
    "changes",
    "doctor",
    "keys",
    "mcp",
    "sandbox",
    "toolkit",
    "watch",
)

_ABOUT = "A terminal explorer for toolkits. Without a command it opens the explorer."


def main(argv: Sequence[str], explore: Callable[..., int] | None = None, keys: Callable[[], int] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        argv: the words behind the program's name.
        explore: opens the explorer on a sandbox and gives the exit code, where there is one: nothing here knows a screen.
        keys: prints the keys of the explorer, where there is one.
    """
    words = [word for word in argv if word != JSON_ERRORS]
    errors_as_json(len(words) < len(argv))
    ending.listen()
    code: int = ExitCode.OK
    try:
        try:
            if streams.OUT in streams.closed:
                way_out = "send it somewhere, such as /dev/null"
                fail("standard output is closed, so nothing was done", ExitCode.LOCAL, way_out=way_out)
            code = _run(words, explore, keys)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt as error:
        code = ending.exit_code(error)
        complain(ending.words(error), title="Interrupted", code=code)
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        streams.give_up()
    except streams.OutputFailed as error:
        streams.give_up()
        code = ExitCode.LOCAL
        complain(f"standard output cannot be written: {reason(error)}", code=code)
    except OSError as error:
        code = ExitCode.LOCAL
        complain(reason(error), code=code)
    except Exception as error:
        from registry.storage.crash_report import EXIT_CODE, put_down

        where = next((word for word in argv if word in COMMANDS), "the command line")
        happened, report = put_down(error, f"callboard {where}").split("\n", 1)
        complain(happened.removeprefix("callboard: "), title="Unexpected error", code=EXIT_CODE)
        remark(report)
        return EXIT_CODE
    return code


@cache
def parser() -> argparse.ArgumentParser:
    """The options and commands, for reading them and for the help text; made once, as reading changes nothing in it."""
    top = _Parser(prog="callboard", description=_ABOUT)
    top.add_argument("--version", action="version", version=f"callboard {__version__}")
    top.add_argument("--read-only", action="store_true", dest="nothing_changes", help="refuse every change in this run")
    top.add_argument(JSON_ERRORS, action="store_true", help="print errors as JSON on standard error; anywhere in the command")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    explorer = commands.add_parser(
        "explore",
        help="open the explorer, on a sandbox of your choice",
        description="Open the explorer, as without a command, with another sandbox behind it.",
    )
    explorer.add_argument("--read-only", action="store_true", help="refuse every change in this run")
    add_behaviour(explorer)

    oncall = commands.add_parser(
        "oncall",
        help="what burns, whose it is, whom it wakes next",
        description="Open the on-call dashboard; without a terminal, print the board once. It only reads.",
        epilog="Exit codes: 0 nothing is triggered, 10 something is, 1 or 3 the incidents could not be read.",
    )
    oncall.add_argument("--json", action="store_true", help="print the board as JSON; with --watch, each change")
    oncall.add_argument("--watch", action="store_true", help="print a line for each change until interrupted")
    oncall.add_argument(
        "--every", type=seconds, default=15.0, metavar="SECONDS", help="between two refreshes, 15 to 60 (default 15)"
    )
    add_outside(oncall)
    add_behaviour(oncall)

    find = commands.add_parser(
        "find",
        help="find tools, ready calls and objects by words or a pasted id",
        description="Find tools, calls that are ready to run, and objects: by words, an id, an email, an address, "
        "a curl command, an amount or a card's last four digits. The best comes first. Nothing is called.",
    )
    find.add_argument("words", nargs="+", metavar="WORDS", help="what you would ask a colleague; quotes are not needed")
    find.add_argument("--json", action="store_true", help="the list as JSON: kind, tool, arguments, effect, title, why")

    tools = commands.add_parser("tools", help="list or find tools", description="List all tools, or find some.")
    tools.add_argument("query", nargs="*", help="words, in any order: beginnings and initials are enough")
    tools.add_argument("--json", action="store_true", help="everything the catalogue knows, as JSON")

    show = commands.add_parser("show", help="what a tool does and takes", description="Tell what a tool does and takes.")
    show.add_argument("tool", metavar="TOOL")
    how = show.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="as JSON")
    how.add_argument("--schema", action="store_true", help="the parameters as JSON Schema")

    call = commands.add_parser(
        "call",
        help="run a tool",
        description="Run a tool. Its parameters are options: --parameter-name VALUE; a list's option may be repeated. "
        "An object takes JSON, a file that holds it (--parameter-name=@FILE), or its properties one by one "
        "(--parameter-name.property VALUE).",
        usage="callboard call TOOL [--parameter-name VALUE ...] [--args JSON] [--all] [--dry-run] [--yes] [--connection NAME]",
        allow_abbrev=False,
    )
    _add_tool(call)
    call.add_argument("--dry-run", action="store_true", help="print the request and send nothing")
    call.add_argument("--yes", action="store_true", help="confirm a deletion or a change")
    call.add_argument("--confirm", metavar="ID", help="confirm a deletion in live data by the id of what is deleted")
    call.add_argument("--allow-writes", action="store_true", help="switch on changes to live data for this call")
    call.add_argument("--read-only", action="store_true", help="refuse every change, whatever else is said")
    call.add_argument("--connection", metavar="NAME", help="sandbox (default where it has the service) or an account")
    call.add_argument("--output", metavar="FOLDER", default=".", help="where an answer that is a file is saved")
    call.add_argument("--save", metavar="FILE", help="write the answer to a file; its ending says in which format")
    call.add_argument(
        "--format", choices=("json", "ndjson", "csv", "parquet"), help="of what is printed or saved; of lists, their items"
    )
    call.add_argument("--replace", action="store_true", help="with --save: write over a file that is there")
    call.add_argument("--raw", action="store_true", help="print the answer as it came: not laid out, client secrets not masked")
    call.add_argument("--show-secrets", action="store_true", help="do not mask client secrets and the like in the answer")

    call.add_argument("--all", action="store_true", help="fetch every page of a list and print an item a line, as they come")
    call.add_argument("--most", metavar="N", type=count, help="with --all: stop at N items")
    call.add_argument("--json", action="store_true", help="with --all: print one JSON list at the end")

    add_limits(call)
    call.add_argument("--no-journal", action="store_true", help="do not remember this call (also: CALLBOARD_NO_JOURNAL=1)")

    add_page(commands)
    watch = commands.add_parser(
        "watch",
        help="run a reading tool again and again, and print what changes",
        description="Run a tool that reads again and again, and print what changes. Its parameters are options, as for call.",
        usage="callboard watch TOOL [--parameter-name VALUE ...] [--every SECONDS] [--ring CONDITION] [--rounds N] [--json]",
        allow_abbrev=False,
    )
    _add_tool(watch)
    watch.add_argument("--connection", metavar="NAME", help="sandbox (default where it has the service) or an account")
    watch.add_argument(
        "--every", type=seconds, default=15.0, metavar="SECONDS", help="between two calls, 2 to 3600 (default 15)"
    )
    watch.add_argument("--ring", metavar="CONDITION", help="a JMESPath condition; the terminal rings when it begins to hold")
    watch.add_argument("--rounds", type=count, default=0, metavar="N", help="stop after so many calls")
    watch.add_argument("--json", action="store_true", help="each version as a line of JSON")

    add_arguments(commands)
    add_history(commands)
    commands.add_parser(
        "keys", help="print every key of the explorer", description="Print every key, yours included, by place."
    )

    add_mcp(commands)
    add_audit(commands)
    add_toolkit(commands)
    add_doctor(commands)

    sandbox = commands.add_parser("sandbox", help="serve the sandbox", description="Serve the sandbox on this machine.")
    sandbox.add_argument("--port", type=int, default=8210, help="port on 127.0.0.1 (default 8210; 0 takes a free one)")
    sandbox.add_argument(
        "--ports",
        action="store_true",
        help="serve each service on a port of its own as well, from the next one on, and print lines for its official clients",
    )
    sandbox.add_argument(
        "--tls",
        action="store_true",
        help="speak https, with a certificate that openssl makes at the start, and say how to trust it",
    )
    sandbox.add_argument("--json", action="store_true", help="say how it is reached as one line of JSON, for scripts")
    add_options(sandbox)
    add_behaviour(sandbox)
    actions = sandbox.add_subparsers(dest="action", metavar="[ACTION]", parser_class=_Parser)
    add_reset(actions)
    fault = actions.add_parser(
        "fault",
        help="let the services of a sandbox that is running fail",
        description="Put a fault in force in a sandbox that is running on this machine. Without SPEC, list those in force.",
    )
    fault.appendix = fault_table
    fault.add_argument("spec", metavar="SPEC", nargs="*", help="the fault, as the table below tells")
    # The command's own default stays in force, also when the port stands in front of the action.
    fault.add_argument("--port", type=int, default=argparse.SUPPRESS, help="the sandbox's port (default 8210)")
    fault.add_argument("--clear", action="store_true", help="first remove all that are in force")
    return top


def _add_tool(command: argparse.ArgumentParser) -> None:
    """A tool and its arguments, for commands that take its parameters as options besides."""
    command.add_argument("tool", metavar="TOOL")
    command.add_argument("--args", metavar="JSON", help="arguments as a JSON object; - reads it from standard input")
    command.add_argument("--arguments", metavar="NAME", help="saved arguments, by their name or file; options win over them")


def _run(argv: Sequence[str], explore: Callable[..., int] | None, keys: Callable[[], int] | None) -> int:
    known, rest = parser().parse_known_args(argv)
    if rest and known.command not in ("call", "watch"):
        way_out = f"see callboard {known.command or ''} --help"
        fail(f"there is no option {rest[0]}", field=rest[0], way_out=way_out)
    match known.command:
        case "explore":
            from registry.doors.cli_sandbox import application_of

            application = application_of(known)
            if explore is None:
                fail("there is no explorer here; callboard sandbox serves the same sandbox")
            return explore(application, read_only=known.read_only or known.nothing_changes)
        case "oncall":
            from registry.doors.cli_oncall import oncall_connection, print_board
            from registry.doors.cli_oncall_listen import alarm_command
            from registry.doors.cli_sandbox import application_of

            application = application_of(known)
            if (code := run_outside(known, application, explore)) is not None:
                return code
            if explore is None or known.json or known.watch or not (sys.stdin.isatty() and sys.stdout.isatty()):
                return print_board(known, application)
            return explore(
                application,
                oncall=oncall_connection(known.connection),
                every=known.every,
                read_only=known.nothing_changes,
                on_alarm=alarm_command(known.on_alarm, os.environ),
                accounts=several(known),
            )
        case None if known.nothing_changes and explore is not None:
            return explore(None, read_only=True)
        case "find":
            from registry.doors.cli_find import print_found

            return print_found(known.words, as_json=known.json)
        case "tools":
            from registry.doors.cli_tools import list_tools

            return list_tools(" ".join(known.query), as_json=known.json)
        case "show":
            from registry.doors.cli_tools import show_tool

            return show_tool(known.tool, as_json=known.json, as_schema=known.schema)
        case "call":
            from registry.doors.cli_call import call_tool

            known.read_only |= known.nothing_changes
            return call_tool(known, rest)
        case "mcp":
            from registry.doors.cli_mcp import serve_agents

            known.read_only |= known.nothing_changes
            return serve_agents(known)
        case "page":
            from registry.doors.cli_page import print_page
            from registry.doors.cli_sandbox import application_of

            application = application_of(known)

            printed = known.json or known.markdown or known.text or not (sys.stdin.isatty() and sys.stdout.isatty())
            if explore is None or printed:
                return print_page(known, application)
            from registry.pages.subjects import PageWanted

            wanted = PageWanted(known.id, known.type, known.of, known.connection or "")
            return explore(application, read_only=known.nothing_changes, page=wanted)
        case "watch":
            from registry.doors.cli_watch import watch_tool

            return watch_tool(known, rest)
        case "arguments":
            from registry.doors.cli_presets import manage

            return manage(known)
        case "history":
            from registry.doors.cli_history import forget, print_history

            return forget(known) if known.action == "forget" else print_history(known)
        case "keys":
            if keys is None:
                fail("there is no explorer here, and so no keys")
            return keys()
        case "audit" | "changes":
            from registry.doors.cli_audit import audit

            return audit(known)
        case "toolkit":
            from registry.doors.cli_toolkit import manage as manage_toolkits

            return manage_toolkits(known)
        case "doctor":
            from registry.doors.cli_doctor import examine

            return examine(known)
        case "sandbox" if known.action == "fault":
            from registry.doors.cli_sandbox_faults import manage_faults

            if known.fault:
                fail("--fault is for a sandbox that is to be started; write the fault behind the action")
            return manage_faults(" ".join(known.spec), known.port, clear=known.clear)
        case "sandbox":
            if known.action == "reset":
                from registry.doors.cli_sandbox_data import reset

                return reset(known)
            from registry.doors.cli_sandbox import serve

            return serve(known)
    parser().print_help(sys.stderr)
    return ExitCode.USAGE


class _Parser(argparse.ArgumentParser):
    """Complains as every other part of the command line does. `appendix` gives what its help ends with."""

    appendix: Callable[[], str] | None = None

    def format_help(self) -> str:
        """The help, with the appendix."""
        return super().format_help() + (f"\n{self.appendix()}\n" if self.appendix else "")

    def error(self, message: str) -> NoReturn:
        fail(message, way_out=f"see {self.prog} --help")
