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
from registry.doors.aliases import ACCOUNT, add_account
from registry.doors.cli_account import add_account_command
from registry.doors.cli_audit import add_audit
from registry.doors.cli_demo import add_demo
from registry.doors.cli_doctor import add_doctor
from registry.doors.cli_history import add_history
from registry.doors.cli_limits import add_limits, seconds
from registry.doors.cli_mcp import add_mcp
from registry.doors.cli_oncall_options import add_outside, run_outside, several
from registry.doors.cli_page import add_page
from registry.doors.cli_playbooks import add_playbooks
from registry.doors.cli_presets import add_arguments
from registry.doors.cli_sandbox_data import add_behaviour, add_options, add_reset
from registry.doors.cli_serve import add_serve, checked_account
from registry.doors.cli_toolkit import add_toolkit
from registry.doors.output import JSON_ERRORS, ExitCode, complain, errors_as_json, fail, remark
from registry.doors.whole_numbers import count, number
from registry.storage import streams
from registry.storage.reasons import reason

COMMANDS = (
    "explore",
    "demo",
    "oncall",
    "find",
    "page",
    "tools",
    "show",
    "call",
    "run",
    "playbooks",
    "presets",
    "arguments",
    "history",
    "audit",
    "changes",
    "doctor",
    "keys",
    "mcp",
    "serve",
    "sandbox",
    "toolkit",
    "watch",
    "account",
)

_TOOL = "name of the tool, as callboard tools prints it"
_ABOUT = "Explore and call REST APIs from the terminal. With no command, opens the explorer."


def main(
    argv: Sequence[str],
    explore: Callable[..., int] | None = None,
    keys: Callable[[], int] | None = None,
    demo: Callable[..., int] | None = None,
) -> int:
    """Run one command and return its exit code.

    Args:
        argv: the words behind the program's name.
        explore: opens the explorer on a sandbox and gives the exit code, where there is one: nothing here knows a screen.
        keys: prints the keys of the explorer, where there is one.
        demo: plays walks through the explorer, where there is one.
    """
    words = [word for word in argv if word != JSON_ERRORS]
    errors_as_json(len(words) < len(argv))
    ending.listen()
    code: int = ExitCode.OK
    try:
        try:
            if streams.OUT in streams.closed:
                way_out = "redirect it, for example to /dev/null"
                fail("standard output is closed; nothing was done", ExitCode.LOCAL, way_out=way_out)
            code = _run(words, explore, keys, demo)
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
        complain(f"cannot write standard output: {reason(error)}", code=code)
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
    top.add_argument("--read-only", action="store_true", dest="nothing_changes", help="read-only: block every write and delete")
    top.add_argument("--screen-reader", action="store_true", help="work line by line, without a full screen")
    top.add_argument(JSON_ERRORS, action="store_true", help="print errors as JSON on standard error; anywhere in the command")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    explorer = commands.add_parser(
        "explore",
        help="open the explorer with sandbox options",
        description="Open the explorer, choosing how its sandbox behaves.",
    )
    explorer.add_argument("--read-only", action="store_true", help="read-only: block every write and delete")
    add_account(explorer, "the account to begin with")
    add_behaviour(explorer)
    add_demo(commands)

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
    add_outside(oncall)
    add_behaviour(oncall)

    find = commands.add_parser(
        "find",
        help="find tools, ready calls and objects by words or a pasted id",
        description="Find tools, calls that are ready to run, and objects: by words, an id, an email, an address, "
        "a curl command, an amount or a card's last four digits. The best comes first. Nothing is called.",
    )
    find.add_argument("words", nargs="+", metavar="WORDS", help="your question in plain words; no quotes needed")
    find.add_argument("--json", action="store_true", help="print the list as JSON: kind, tool, arguments, effect, title, why")

    tools = commands.add_parser("tools", help="list or find tools", description="List all tools, or find some.")
    tools.add_argument("query", nargs="*", help="search words in any order; prefixes and initials match")
    tools.add_argument("--json", action="store_true", help="print the full catalogue as JSON")

    show = commands.add_parser(
        "show", help="show a tool's description and parameters", description="Show a tool's description and parameters."
    )
    show.add_argument("tool", metavar="TOOL", help=_TOOL)
    how = show.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print JSON")
    how.add_argument("--schema", action="store_true", help="print the parameters as JSON Schema")

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
    call.add_argument("--save", metavar="FILE", help="save the result to FILE; the extension sets the format")
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

    add_page(commands)
    watch = commands.add_parser(
        "watch",
        help="run a read-only tool repeatedly and print what changes",
        description="Run a read-only tool repeatedly and print what changes. Pass parameters as for callboard call.",
        usage="callboard watch TOOL [--parameter-name VALUE ...] [--every SECONDS] [--ring CONDITION] [--rounds N] [--json]",
        allow_abbrev=False,
    )
    _add_tool(watch)
    add_account(watch, ACCOUNT)
    watch.add_argument(
        "--every", type=seconds, default=15.0, metavar="SECONDS", help="seconds between calls, 2 to 3600 (default 15)"
    )
    watch.add_argument("--ring", metavar="CONDITION", help="a JMESPath condition; ring the terminal bell when it becomes true")
    watch.add_argument("--rounds", type=count, default=0, metavar="N", help="stop after N calls")
    watch.add_argument("--json", action="store_true", help="print each version as one line of JSON")

    add_playbooks(commands)
    add_arguments(commands)
    add_history(commands)
    commands.add_parser(
        "keys", help="list the explorer's key bindings", description="List all key bindings, including your own, by pane."
    )

    add_mcp(commands)
    add_serve(commands)
    add_audit(commands)
    add_toolkit(commands)
    add_doctor(commands)
    add_account_command(commands)

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
    # The command's own default stays in force, also when the port stands in front of the action.
    fault.add_argument("--port", type=number, default=argparse.SUPPRESS, help="the sandbox's port (default 8210)")
    fault.add_argument("--clear", action="store_true", help="remove all active faults first")
    return top


def _add_tool(command: argparse.ArgumentParser) -> None:
    """A tool and its arguments, for commands that take its parameters as options besides."""
    command.add_argument("tool", metavar="TOOL", help=_TOOL)
    command.add_argument("--args", metavar="JSON", help="arguments as a JSON object; - reads it from standard input")
    command.add_argument(
        "--preset", metavar="NAME", dest="arguments", help="use a preset, by name or file; options override its values"
    )
    command.add_argument("--arguments", metavar="NAME", help=argparse.SUPPRESS)


def _run(
    argv: Sequence[str],
    explore: Callable[..., int] | None,
    keys: Callable[[], int] | None,
    demo: Callable[..., int] | None,
) -> int:
    known, rest = parser().parse_known_args(argv)
    if rest and known.command not in ("call", "watch"):
        way_out = f"see callboard {known.command or ''} --help"
        fail(f"unknown option {rest[0]}", field=rest[0], way_out=way_out)
    match known.command:
        case "explore":
            from registry.doors.cli_sandbox import application_of

            application = application_of(known)
            if explore is None:
                fail("the explorer is not part of this installation; callboard sandbox serves the same sandbox")
            return explore(
                application, read_only=known.read_only or known.nothing_changes, account=checked_account(known.connection)
            )
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
        case None if known.screen_reader:
            from registry.doors.cli_line_mode import talk

            return talk(lambda words: main(words, None, keys), read_only=known.nothing_changes)
        case "demo":
            from registry.doors.cli_demo import show

            return show(known, demo)
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
        case "serve":
            from registry.doors.cli_serve import serve_pages

            known.read_only |= known.nothing_changes
            return serve_pages(known)
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
        case "run":
            from registry.doors.cli_run import run_playbook

            known.read_only |= known.nothing_changes
            return run_playbook(known)
        case "playbooks":
            from registry.doors.cli_playbooks import manage as manage_playbooks

            return manage_playbooks(known)
        case "presets" | "arguments":
            from registry.doors.cli_presets import manage

            return manage(known)
        case "history":
            from registry.doors.cli_history import forget, print_history

            return forget(known) if known.action == "forget" else print_history(known)
        case "keys":
            if keys is None:
                fail("the explorer is not part of this installation, so there are no key bindings to list")
            return keys()
        case "audit" | "changes":
            from registry.doors.cli_audit import audit

            return audit(known)
        case "account":
            from registry.doors.cli_account import manage_accounts

            return manage_accounts(known)
        case "toolkit":
            from registry.doors.cli_toolkit import manage as manage_toolkits

            return manage_toolkits(known)
        case "doctor":
            from registry.doors.cli_doctor import examine

            return examine(known)
        case "sandbox" if known.action == "fault":
            from registry.doors.cli_sandbox_faults import manage_faults

            if known.fault:
                fail("--fault only works when starting a sandbox; for a running one: callboard sandbox fault SPEC")
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

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Name the command or the value that was probably meant."""
        if action.choices is None or value in action.choices:
            return
        from registry.calling.invalid_value import nearest  # only a mistake needs it

        known, near = list(action.choices), nearest(str(value), list(action.choices))
        if isinstance(action, argparse._SubParsersAction):
            fail(f"unknown command {value!r}{near}", way_out=f"see {self.prog} --help")
        raise argparse.ArgumentError(action, f"must be one of {', '.join(known)}; got {value!r}{near}")

    def error(self, message: str) -> NoReturn:
        fail(message, way_out=f"see {self.prog} --help")
