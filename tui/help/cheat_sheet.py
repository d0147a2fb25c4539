"""Every command with its keys as plain text, by scope: to read in a terminal, or to print."""

import sys
from textwrap import wrap

from tui.keyboard.commands import COMMANDS, SCOPES
from tui.keyboard.key_names import written
from tui.state.settings import Settings, current

_KEYS, _ID, _WIDTH = 11, 15, 80


def cheat_sheet(settings: Settings) -> str:
    """The sheet, 80 columns wide. Before each help text is the command's id, by which its keys can be changed."""
    lines = ["Callboard: keys"]
    for scope, title in SCOPES.items():
        lines += ["", title, ""]
        for command in COMMANDS:
            if command.scope == scope:
                keys = "  ".join(written(settings.keys_of(command)))
                lines += wrap(
                    command.help,
                    _WIDTH,
                    # Keys set by the user may be wider than their column; then the id and the help follow them directly.
                    initial_indent=f"  {keys:<{_KEYS - 1}} {command.id:<{_ID - 1}} ",
                    subsequent_indent=" " * (2 + _KEYS + _ID),
                )
    return "\n".join(lines)


def print_cheat_sheet() -> int:
    """Print the sheet with the user's own keys; problems in the settings go to standard error."""
    settings = current()
    for problem in settings.problems:
        sys.stderr.write(f"callboard: {problem}\n")
    sys.stdout.write(cheat_sheet(settings) + "\n")
    return 0
