"""The README says nothing that is not so: commands of it and of the documents run, exit codes are right, and it stays short."""

import io
import re
import shlex
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from registry.doors import ending
from registry.doors.cli import main
from registry.doors.output import ExitCode
from registry.files.crash_report import EXIT_CODE
from registry.oncall.evidence import TRIGGERED
from registry.sandbox.server import application
from tests.loopback import listening
from tests.sandbox.serving import served
from tests.terminal import ROOT
from tests.test_documents import DOCUMENTS, commands
from tests.tools.sections import section
from tui.entry import config, demo, explore, keys

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
COMMAND_LINES = [line for block in BLOCKS for line in block.splitlines() if line.strip()]

NOT_RUN = {
    r"(call|page|run|sync|sql|toolkit add|toolkits|call GetCustomerCards|.* FOLDER)": "only names a command",
    r".*(…|\||\b(A|CMD|FILE|ID|NAME|TOOL)\b).*": "a word in capitals stands for something of the user's",
    r"run Weekly-drafts|saved export .*|demo mine.*": "is about a saved call or a walk of the user's: tests/saved, tests/walks",
    r"(explore|demo)( .*)?|--screen-reader": "opens a screen, or reads lines: tests/journeys, tests/walks",
    r"(sandbox|serve|mcp)( --(port|ports|data|customers).*)?|oncall --(watch|listen).*": "runs until stopped: tests/doors",
    r"sandbox fault": "is for a sandbox that runs: tests/doors",
    r"toolkit add --mcp.*": "needs npm's registry, or another client's settings: tests/mcp_client",
    r"sync .*postgresql.*": "needs a PostgreSQL server: tests/engines",
}
"""The commands in the documents that are not run here, and why. Their words are checked (`test_documents`)."""

EXAMPLES = {"saved.md": "saved import example.json", "walks.md": "demo example.toml --export steps.sh"}
"""What is done with the first example of a file in a document."""

INSTALLED_BY = ("pipx install .", "uv tool install .")
"""Run by hand and in public CI, as they need a network; `test_wheel` runs what they install."""


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 95


def test_every_command_is_one_of_those_tested() -> None:
    others = [line for line in COMMAND_LINES if not line.startswith(("callboard ", "make "))]
    assert others == list(INSTALLED_BY)


def runnable(document: Path) -> list[str]:
    """The commands of a document that are run. What ends an account, so that others cannot use it, comes last."""
    words = (re.sub(r"\s#.*", "", code).removeprefix("callboard ") for code in commands(document))
    found = [
        one for one in words if not any(re.fullmatch(pattern, one) for pattern in NOT_RUN) or one.startswith("demo --list")
    ]
    found += [EXAMPLES[document.name]] if document.name in EXAMPLES else []
    return sorted(dict.fromkeys(found), key=lambda one: one.startswith("account remove"))


@pytest.mark.parametrize("document", [one for one in DOCUMENTS if runnable(one)], ids=lambda one: one.name)
def test_commands_work_one_after_the_other(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The account of the documents is one at a sandbox on a port, and the document of their vendor is on one, too."""
    for kind in ("CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind))
    monkeypatch.chdir(tmp_path)
    for form in ("json", "toml"):
        found = re.search(rf"```{form}\n(.*?)```", document.read_text("utf-8"), re.DOTALL)
        Path(f"example.{form}").write_text(found[1] if found is not None else "")
    description = (ROOT / "tests" / "openapi" / "tracker.yaml").read_bytes()
    Path("openapi.yaml").write_bytes(description)
    Path("customers.csv").write_text("id\ncus_4R5QLgZDZXPlou\n")
    for tool in ("ListUsers", "ListTeams"):  # a query is about results that are kept
        assert main(["call", tool]) == ExitCode.OK
    capfd.readouterr()

    class Vendor(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(description)

    with served(application(seed=1)) as sandbox, listening(Vendor) as vendor:
        own = f"account add payments --insecure-storage --base-url {sandbox}/payments"
        for line in runnable(document):
            monkeypatch.setattr(sys, "stdin", io.StringIO("select 1" if line.startswith("sql -") else "rk_test_sandbox"))
            words = line.replace("https://vendor.example", vendor).replace("account add payments", own)
            words += " --yes" * line.startswith("account remove")
            try:
                code = main(shlex.split(words), {"explore": explore, "keys": keys, "config": config, "demo": demo})
            except SystemExit as end:
                code = int(end.code or 0)
            out, err = capfd.readouterr()
            assert code in (ExitCode.OK, TRIGGERED), (line, err)
            assert out or err, line
    if document.name == "saved.md":
        assert "cus_4R5QLgZDZXPlou" in Path("results.csv").read_text()


def test_exit_codes_are_those_of_the_program() -> None:
    page = (ROOT / "docs" / "exit-codes.md").read_text("utf-8")
    told = [int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)]
    ended = {ending.exit_code(KeyboardInterrupt(number)) for number in ending.SIGNALS}
    assert told == sorted({*ExitCode, EXIT_CODE, TRIGGERED, *ended})


def test_the_speed_that_it_tells_is_in_the_table() -> None:
    table = section((ROOT / "docs" / "speed.md").read_text("utf-8"), "bench")
    (times,) = re.findall(r"is (\d+) times as fast as with the official Stripe client", README)
    (row,) = re.findall(r"^\| fetch all, objects/s at 0 ms.*", table, re.MULTILINE)
    assert int(times) == int(float(row.split("|")[2].split()[0]))


def test_the_makefile_has_the_two_commands() -> None:
    assert BLOCKS[0] == "make run\nmake test\n"
