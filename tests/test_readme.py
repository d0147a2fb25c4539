"""The README says nothing that is not so: commands of it and of the documents run, exit codes are right, and it stays short."""

import re
import shlex
from pathlib import Path

import pytest

from registry.doors import ending
from registry.doors.cli import Screens, main
from registry.doors.output import ExitCode
from registry.files.crash_report import EXIT_CODE
from registry.oncall.evidence import TRIGGERED
from tests.terminal import ROOT
from tests.tools.sections import section
from tui.entry import config, demo, explore, keys

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
COMMAND_LINES = [line for block in BLOCKS for line in block.splitlines() if line.strip()]
DOCUMENTS = "".join(file.read_text("utf-8") for file in sorted((ROOT / "docs").glob("*.md")))
ON_SANDBOX = r"^callboard (?:page|find|tools|show|config|completion|mcp --print-config|demo --list|call ListUsers) ?.*"
READS = re.findall(ON_SANDBOX, DOCUMENTS, re.MULTILINE)
"""The commands in blocks of the documents that need no account, no file of the user's and no other machine, and that end by
themselves; the words of all others are checked."""

INSTALLED_BY = ("pipx install .", "uv tool install .")
"""Run by hand and in public CI, as they need a network; `test_wheel` runs what they install."""


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 95


def test_every_command_is_one_of_those_tested() -> None:
    others = [line for line in COMMAND_LINES if not line.startswith(("callboard ", "make "))]
    assert others == list(INSTALLED_BY)


@pytest.mark.parametrize("line", [*(line for line in COMMAND_LINES if line.startswith("callboard")), *READS])
def test_commands_work(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    code = main(shlex.split(re.sub(r"\s#.*", "", line))[1:], Screens(explore, keys, config, demo))
    out, err = capfd.readouterr()
    assert code in (ExitCode.OK, TRIGGERED), err
    assert out or list(tmp_path.iterdir())


def test_the_commands_of_saved_calls_work_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("customers.csv").write_text("id\ncus_4R5QLgZDZXPlou\n")
    page = (ROOT / "docs" / "saved.md").read_text("utf-8")
    for line in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)[0].splitlines():
        assert main(shlex.split(line)[1:], Screens()) == ExitCode.OK, capfd.readouterr().err
    assert "cus_4R5QLgZDZXPlou" in Path("results.csv").read_text()


def test_exit_codes_are_those_of_the_program() -> None:
    page = (ROOT / "docs" / "exit-codes.md").read_text("utf-8")
    told = [int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)]
    ended = {ending.exit_code(ending.Ended(number)) for number in ending.SIGNALS}
    assert told == sorted({*ExitCode, EXIT_CODE, TRIGGERED, *ended})


def test_the_speed_that_it_tells_is_in_the_table() -> None:
    table = section((ROOT / "docs" / "speed.md").read_text("utf-8"), "bench")
    (times,) = re.findall(r"is (\d+) times as fast as with the official Stripe client", README)
    (row,) = re.findall(r"^\| fetch all, objects/s at 0 ms.*", table, re.MULTILINE)
    assert int(times) == int(float(row.split("|")[2].split()[0]))


def test_the_makefile_has_the_two_commands() -> None:
    assert BLOCKS[0] == "make run\nmake test\n"
