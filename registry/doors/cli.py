"""The command line: find, read about and call tools, and serve the sandbox, without a screen.

Results go to standard output as JSON; everything else goes to standard error. Exit codes: ``docs/exit-codes.md``.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

from registry.accounts.connection import ConnectionSettingsError
from registry.catalog.loader import UnknownTool
from registry.doors import ending, output
from registry.doors.cli_parser import COMMANDS, TAKE_PARAMETERS, parser
from registry.doors.output import ExitCode, complain, complain_crash, fail, remark
from registry.files import streams
from registry.files.folders import reason
from registry.files.toml_text import gone_settings
from registry.journal.store import AUDIT_VARIABLE as AUDIT_FILE
from registry.journal.store import JournalError

Screens: TypeAlias = Mapping[str, Callable[..., Any]]
"""What needs a screen, which this package does not import, by its command. All but ``config`` return the exit code."""


def main(argv: Sequence[str], screens: Screens = MappingProxyType({})) -> int:
    """Run one command, the words after the program's name, and return its exit code."""
    words = [word for word in argv if word != output.JSON_ERRORS]
    output.errors_as_json = len(words) < len(argv)
    ending.listen()
    code: int = ExitCode.OK
    try:
        try:
            if streams.OUT in streams.closed:
                way_out = "redirect it, for example to /dev/null"
                fail("standard output is closed; nothing was done", ExitCode.LOCAL, way_out=way_out)
            code = _run(words, screens)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt as error:
        code = complain(ending.words(error), title="Interrupted", code=ending.exit_code(error))
    except ending.DeadlinePassed as error:
        code = ending.print_deadline(error)
    except BrokenPipeError:
        # The reader of the output, such as `head`, has closed it.
        streams.give_up()
    except ConnectionSettingsError as error:
        code = complain(str(error), code=ExitCode.USAGE)
    except UnknownTool as error:
        code = complain(str(error), way_out="run callboard tools to list all tools", code=ExitCode.USAGE)
    except streams.OutputFailed as error:
        streams.give_up()
        code = complain(f"cannot write standard output: {reason(error)}", code=ExitCode.LOCAL)
    except (JournalError, OSError) as error:
        code = complain(reason(error) if isinstance(error, OSError) else str(error), code=ExitCode.LOCAL)
    except Exception as error:
        where = next((word for word in argv if word in COMMANDS), "the command line")
        return complain_crash(error, f"callboard {where}")
    return code


def _run(argv: Sequence[str], screens: Screens) -> int:
    named = argv[0] if argv and argv[0] in COMMANDS else None
    if named == "call" and len(argv) > 2 and not argv[1].startswith("-") and {"-h", "--help"} & set(argv[2:]):
        remark("The options of every call: callboard call --help")
        return int(import_module(COMMANDS["show"]).show_tool(argv[1], as_json=False, as_schema=False))
    options, rest = parser(named, outline=named is None).parse_known_args(argv)
    if options.command != named:  # options of the program come before it
        options, rest = parser(options.command).parse_known_args(argv)
    if options.audit_file:
        os.environ[AUDIT_FILE] = os.path.abspath(options.audit_file)
    for words in gone_settings(os.environ):
        remark(f"note: {words}")
    if rest and options.command not in TAKE_PARAMETERS:
        fail(f"unknown option {rest[0]}", field=rest[0], way_out=f"see callboard {options.command or ''} --help")
    options.rest, options.screens = rest, screens
    options.read_only = options.nothing_changes or getattr(options, "read_only", False)
    if options.command is not None:
        return int(import_module(COMMANDS[options.command]).run(options))
    if options.screen_reader:
        from registry.doors.line_mode.session import talk

        others = {name: one for name, one in screens.items() if name != "explore"}
        return talk(lambda words: main(words, others), read_only=options.read_only)
    if options.read_only and "explore" in screens:
        return int(screens["explore"](None, read_only=True))
    parser(outline=True).print_help(sys.stderr)
    return ExitCode.USAGE
