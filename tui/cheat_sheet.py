"""Every command with its keys as plain text, by place: to be read in a terminal, or printed and put beside the screen."""

from __future__ import annotations

import sys

from tui.commands import COMMANDS, SCOPES
from tui.settings import Settings, spelled

_KEYS, _ID = 16, 16


def cheat_sheet(settings: Settings) -> str:
    """The sheet. A command's id, by which its keys can be changed, stands before what it does."""
    lines = ["Callboard: keys"]
    for scope, title in SCOPES.items():
        lines += ["", title, ""]
        for command in COMMANDS:
            if command.scope == scope:
                keys = "  ".join(spelled(key) for key in settings.keys_of(command))
                lines.append(f"  {keys:<{_KEYS}}{command.id:<{_ID}} {command.help}")
    return "\n".join(lines)


def print_cheat_sheet() -> int:
    """Print it with the user's own keys, and what is wrong with those to standard error."""
    import os

    from tui.settings import config_file, read

    settings = read(config_file(os.environ))
    for problem in settings.problems:
        sys.stderr.write(f"callboard: {problem}\n")
    sys.stdout.write(cheat_sheet(settings) + "\n")
    return 0
