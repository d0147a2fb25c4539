"""The command line: find, read about and call tools, and serve the sandbox, without a screen.

Results go to standard output as JSON; everything else goes to standard error. Exit codes: ``docs/exit-codes.md``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from registry.doors import ending
from registry.doors.account_option import checked_account
from registry.doors.cli_parser import COMMANDS, parser
from registry.doors.output import JSON_ERRORS, ExitCode, complain, errors_as_json, fail, remark
from registry.files import streams
from registry.files.gone_settings import gone_settings
from registry.files.reasons import reason
from registry.journal.audit_file import VARIABLE as AUDIT_FILE


def main(
    argv: Sequence[str],
    explore: Callable[..., int] | None = None,
    keys: Callable[[], int] | None = None,
    demo: Callable[..., int] | None = None,
) -> int:
    """Run one command and return its exit code.

    Args:
        argv: the words after the program's name.
        explore: opens the explorer on a sandbox and returns the exit code; None without screens, which this package does not
            import.
        keys: prints the explorer's keys; None without screens.
        demo: plays walks through the explorer; None without screens.
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
        # The reader of the output, such as `head`, has closed it.
        streams.give_up()
    except streams.OutputFailed as error:
        streams.give_up()
        code = ExitCode.LOCAL
        complain(f"cannot write standard output: {reason(error)}", code=code)
    except OSError as error:
        code = ExitCode.LOCAL
        complain(reason(error), code=code)
    except Exception as error:
        from registry.files.crash_report import EXIT_CODE, put_down

        where = next((word for word in argv if word in COMMANDS), "the command line")
        happened, report = put_down(error, f"callboard {where}").split("\n", 1)
        complain(happened.removeprefix("callboard: "), title="Unexpected error", code=EXIT_CODE)
        remark(report)
        return EXIT_CODE
    return code


def _run(
    argv: Sequence[str],
    explore: Callable[..., int] | None,
    keys: Callable[[], int] | None,
    demo: Callable[..., int] | None,
) -> int:
    named = argv[0] if argv and argv[0] in COMMANDS else None
    if named == "call" and len(argv) > 2 and not argv[1].startswith("-") and {"-h", "--help"} & set(argv[2:]):
        from registry.doors.cli_tools import show_tool

        remark("The options of every call: callboard call --help")
        return show_tool(argv[1], as_json=False, as_schema=False)
    known, rest = parser(named).parse_known_args(argv)
    if known.audit_file:
        os.environ[AUDIT_FILE] = os.path.abspath(known.audit_file)
    for words in gone_settings(os.environ):
        remark(f"note: {words}")
    if rest and known.command not in ("call", "sync"):
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
            from registry.doors.cli_oncall import print_board
            from registry.doors.cli_oncall_listen import alarm_command
            from registry.doors.cli_oncall_options import run_service_options, several
            from registry.doors.cli_sandbox import application_of
            from registry.doors.oncall_account import oncall_connection

            application = application_of(known)
            if (code := run_service_options(known, application, explore)) is not None:
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
            from registry.doors.cli_page import is_printed, print_page
            from registry.doors.cli_sandbox import application_of

            application = application_of(known)
            if explore is None or is_printed(known) or not (sys.stdin.isatty() and sys.stdout.isatty()):
                return print_page(known, application)
            from registry.pages.subjects import PageRequest

            wanted = PageRequest(known.id, known.type, known.of, known.connection or "")
            return explore(application, read_only=known.nothing_changes, page=wanted)
        case "sync":
            from registry.doors.cli_sync import sync_tool

            return sync_tool(known, rest)
        case "run":
            from registry.doors.cli_run import run_saved

            known.read_only |= known.nothing_changes
            return run_saved(known)
        case "saved":
            from registry.doors.cli_saved import manage

            return manage(known)
        case "history":
            from registry.doors.cli_history import forget, print_history

            return forget(known) if known.action == "forget" else print_history(known)
        case "sql":
            from registry.doors.cli_sql import query

            return query(known)
        case "keys":
            if keys is None:
                fail("the explorer is not part of this installation, so there are no key bindings to list")
            return keys()
        case "audit":
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
