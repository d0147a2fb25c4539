"""The README tells nothing that is not so: its commands run, pictures and links are there, the keys are the program's."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from registry.doors.cli import parser
from tests.terminal import ROOT
from tui.keyboard.commands import COMMANDS, SCOPES

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
COMMAND_LINES = [line for block in BLOCKS for line in block.splitlines() if line.strip()]


def key_table() -> str:
    """The keys as the README shows them."""
    rows = ["| where | key | |", "|---|---|---|"]
    for command in COMMANDS:
        key = command.shown.replace("|", "\\|")  # a bar of its own would end the cell
        rows.append(f"| {SCOPES[command.scope]} | `{key}` | {command.help} |")
    return "\n".join(rows)


@pytest.mark.parametrize("line", [line for line in COMMAND_LINES if line.startswith("callboard")])
def test_commands_work(line: str) -> None:
    words = shlex.split(line)[1:]
    outcome = subprocess.run([sys.executable, "-m", "tui", *words], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout


@pytest.mark.parametrize("line", re.findall(r"`(callboard [^` ]+ [^`]+)`", README))
def test_commands_that_go_on_are_understood(line: str) -> None:
    """What serves or opens a screen is not run here, but every word of it is one that the program knows."""
    words = shlex.split(line)[1:]
    if "--help" in words:
        with pytest.raises(SystemExit, match="0"):
            parser().parse_args(words)
    else:
        assert parser().parse_args(words).command == words[0]


def test_targets_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for line in COMMAND_LINES:
        if line.startswith("make "):
            assert re.search(rf"^{line[5:]}:", makefile, re.MULTILINE)
    assert any(line.startswith("make ") for line in COMMAND_LINES)


def test_pictures_and_links_are_there() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_key_table_is_that_of_the_program() -> None:
    shown = README.partition("<!-- keys -->")[2].partition("<!-- /keys -->")[0].strip()
    assert shown == key_table(), "python -m tests.test_readme writes it"


if __name__ == "__main__":
    before, _, rest = README.partition("<!-- keys -->")
    after = rest.partition("<!-- /keys -->")[2]
    (ROOT / "README.md").write_text(f"{before}<!-- keys -->\n{key_table()}\n<!-- /keys -->{after}", "utf-8")
