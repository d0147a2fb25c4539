"""``make docs``: write the tables of keys in ``docs`` from the table of commands."""

from tests.terminal import ROOT
from tests.tools.sections import write_section
from tui.keyboard.commands import BROWSER_KEYS, COMMANDS, SCOPES, written

FILE = ROOT / "docs" / "keys.md"
IN_BROWSER = ROOT / "docs" / "serve.md"


def key_tables() -> str:
    """A table for each place where commands work: keys, id, what the command does."""
    lines: list[str] = []
    for scope, title in SCOPES.items():
        lines += ["", f"## {title}", "", "| key | id | |", "|---|---|---|"]
        for command in COMMANDS:
            if command.scope == scope:
                keys = " ".join(map(_as_code, written(command.usual))) or "in the palette"
                lines.append(f"| {keys} | `{command.id}` | {command.help} |")
    return "\n".join(lines[1:])


def browser_table() -> str:
    """The keys that commands have in a browser beside those that they have in a terminal."""
    lines = ["| in a browser | in a terminal | |", "|---|---|---|"]
    for command in COMMANDS:
        if keys := BROWSER_KEYS.get(command.id):
            here, there = (" ".join(map(_as_code, written(one))) for one in (keys, command.usual))
            lines.append(f"| {here} | {there} | {command.help} |")
    return "\n".join(lines)


def _as_code(key: str) -> str:
    bar = "|"
    return f"`{key.replace(bar, chr(92) + bar)}`"  # a bar of its own would end the cell


if __name__ == "__main__":
    write_section(FILE, "keys", key_tables())
    write_section(IN_BROWSER, "browser keys", browser_table())
