"""``make docs``: write the manual page ``docs/callboard.1``, which the wheel installs, from the parser of the command line."""

import argparse
import re
from collections.abc import Iterator

from registry import __version__
from registry.doors.cli_parser import parser
from tests.terminal import ROOT

FILE = ROOT / "docs" / "callboard.1"

_END = """.SH EXIT STATUS
0 done, 1 the service refused it or failed, 2 wrong usage, 3 no connection, 4 a part is missing;
docs/exit\\-codes.md has all of them.
.SH FILES
.TP
.I ~/.config/callboard/config.toml
settings and accounts; \\fBcallboard config\\fR shows what counts
.TP
.I ~/.local/state/callboard
history, audit log, saved calls and drafts
.PP
On macOS they are below \\fI~/Library/Application Support\\fR; \\fBcallboard doctor\\fR prints where.
"""


def manual_page() -> str:
    """The whole page, as roff."""
    top = parser()
    lines = [f'.TH CALLBOARD 1 "" "Callboard {__version__}" "User Commands"', ".SH NAME"]
    lines += ["callboard \\- explore and call REST APIs from the terminal", ".SH SYNOPSIS"]
    lines += [
        ".B callboard",
        "[\\fIoptions\\fR] [\\fICOMMAND\\fR ...]",
        ".SH DESCRIPTION",
        _plain(top.description),
        ".SH OPTIONS",
    ]
    lines += [*_arguments(top), ".SH COMMANDS"]
    for name, command in _commands(top):
        lines += [f'.SS "callboard {_plain(" ".join([name, *_places(command)]))}"', _prose(command.description)]
        lines += [*_arguments(command), *([".PP", _prose(command.epilog)] if command.epilog else [])]
    return "\n".join(lines) + f"\n{_END}"


def _commands(command: argparse.ArgumentParser, above: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command and action below a command, with its words."""
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield f"{above}{name}", inner
                yield from _commands(inner, f"{above}{name} ")


def _arguments(command: argparse.ArgumentParser) -> Iterator[str]:
    for action in command._actions:
        if not isinstance(action, argparse._HelpAction) and not _is_group(action):
            names = ", ".join(f"\\fB{_plain(one)}\\fR" for one in action.option_strings)
            value = "" if action.nargs == 0 else f"\\fI{_plain(_metavar(action))}\\fR"
            yield f".TP\n{' '.join(filter(None, (names, value)))}\n{_plain(action.help)}"


def _places(command: argparse.ArgumentParser) -> Iterator[str]:
    """The arguments without a name, those that may be left out in brackets."""
    for action in command._actions:
        if not action.option_strings and not _is_group(action):
            yield f"[{_metavar(action)}]" if action.nargs in ("?", "*") else _metavar(action)


def _metavar(action: argparse.Action) -> str:
    return action.metavar if isinstance(action.metavar, str) else "|".join(map(str, action.choices or (action.dest.upper(),)))


def _is_group(action: argparse.Action) -> bool:
    return isinstance(action, argparse._SubParsersAction)


def _prose(text: str | None) -> str:
    """A description; one with lines of its own, such as a table, keeps them."""
    return f".nf\n{_plain(text)}\n.fi" if "\n" in (text or "") else _plain(text)


def _plain(text: str | None) -> str:
    """A text as roff shows it, letter by letter."""
    found = (text or "").replace("%%", "%").replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return re.sub(r"(?m)^(?=[.'])", r"\\&", found)


if __name__ == "__main__":
    FILE.write_text(manual_page(), "utf-8")
