"""Every command with its keys as plain text, by place: to be read in a terminal, or printed and put beside the screen."""

from __future__ import annotations

import sys
from textwrap import wrap

from tui.keyboard.commands import COMMANDS, SCOPES
from tui.keyboard.key_names import written
from tui.state.settings import Settings

_KEYS, _ID, _WIDTH = 11, 15, 80


def cheat_sheet(settings: Settings) -> str:
    """The sheet, 80 columns wide. A command's id, by which its keys can be changed, stands before what it does."""
    lines = ["Callboard: keys"]
    for scope, title in SCOPES.items():
        lines += ["", title, ""]
        for command in COMMANDS:
            if command.scope == scope:
                keys = "  ".join(written(settings.keys_of(command)))
                lines += wrap(
                    command.help,
                    _WIDTH,
                    # Keys of one's own may be more than there is room for; what they do begins behind them then.
                    initial_indent=f"  {keys:<{_KEYS - 1}} {command.id:<{_ID - 1}} ",
                    subsequent_indent=" " * (2 + _KEYS + _ID),
                )
    return "\n".join(lines)


def print_cheat_sheet() -> int:
    """Print it with the user's own keys, and what is wrong with those to standard error."""
    from tui.state.settings import current

    settings = current()
    for problem in settings.problems:
        sys.stderr.write(f"callboard: {problem}\n")
    sys.stdout.write(cheat_sheet(settings) + "\n")
    return 0
