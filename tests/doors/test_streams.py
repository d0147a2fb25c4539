"""Streams, files and settings that make no sense, as real processes: a sentence and the right code, never Python's words."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from registry.doors.output import ExitCode
from tests.command_line import Run
from tests.terminal import ROOT

DELETE = "call DeletePaymentsCoupon --coupon-id PARTNER15 --yes"
LOCAL = ExitCode.LOCAL


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("in the way")
    return tmp_path


def shell(home: Path, command: str) -> tuple[int, str, str]:
    """A line of the shell, where ``callboard`` is the program; code, output and errors."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    start = f'callboard() {{ "{sys.executable}" -m tui "$@"; }}; '
    done = subprocess.run(["bash", "-c", start + command], cwd=ROOT, env=environment, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


SOME = [
    ("callboard --version >&-", LOCAL, "standard output is closed; nothing was done"),
    (f"callboard {DELETE} >/dev/full", LOCAL, "The change was made.\ncallboard: cannot write standard output: No space"),
    ("callboard <&-", ExitCode.USAGE, "the explorer needs a terminal"),
    ("callboard tools --json | true; exit ${PIPESTATUS[0]}", 0, ""),
    (
        "XDG_STATE_HOME=/proc/no callboard call Whoami >/dev/null",
        0,
        "The history cannot be written; calls are no longer recorded: /proc/no: No such file",
    ),
]
MORE = [
    ("ulimit -f 1; PYTHONDONTWRITEBYTECODE=1 callboard call ListUsers --save x.json", LOCAL, "File too large"),
    (
        r"printf '\xff{' | PYTHONIOENCODING=utf-8:strict callboard call Whoami --args -",
        ExitCode.USAGE,
        "--args is not valid JSON: line 1, column 1: expected a value",
    ),
    ("XDG_STATE_HOME=~/file callboard saved import tests/terminal.py", ExitCode.USAGE, "not valid JSON"),
    ("SSL_CERT_FILE=/no CRM_ACCESS_TOKEN=t callboard call GetAccountRoles --account crm", 3, "SSL_CERT_FILE names a file"),
    (f"callboard {DELETE} >&- ; callboard audit", 0, "The audit log is empty."),
    ("callboard call Whoami --args - </dev/zero", ExitCode.USAGE, "--args: standard input has more than 10,000,000 characters"),
    ("XDG_CACHE_HOME=~/file callboard call ListUsers --all --most 1", ExitCode.INCOMPLETE, "first 1 (more available)"),
    ("ulimit -f 1; PYTHONDONTWRITEBYTECODE=1 callboard call ListUsers --all", LOCAL, "Disk full"),
    ("mkdir -p ~/d/callboard/changes.db && XDG_STATE_HOME=~/d callboard audit", LOCAL, "Cannot read the audit log: "),
]


@pytest.mark.parametrize(("command", "code", "words"), [*SOME, *(pytest.param(*one, marks=pytest.mark.long) for one in MORE)])
def test_a_sentence_and_the_right_code(home: Path, command: str, code: int, words: str) -> None:
    found, _, err = shell(home, command)
    assert found == code, err
    assert words in err
    for python in ("Traceback", "Errno", "Exception ignored", "unexpected error", "Error("):
        assert python not in err
    assert not [*home.rglob("crash-*")]


def test_folders_are_the_owners_alone(home: Path) -> None:
    shell(home, "umask 000; callboard call ListUsers --all --most 1")
    made = list(home.rglob("callboard"))
    assert {path.parent.name for path in made} == {"state", ".cache"}
    assert {oct(path.stat().st_mode & 0o777) for path in made} == {"0o700"}


def test_errors_as_json(run: Run) -> None:
    refused = run("call", "RetrieveCrmUserById", "--user-identifier", "5", "--json-errors")
    unknown = run("tools", "--x", "--json-errors")
    first, second = json.loads(refused.err), json.loads(unknown.err)
    assert (unknown.code, refused.out + unknown.out) == (ExitCode.USAGE, "")
    properties = ("title", "cause", "field", "status", "request_id", "way_out", "exit_code")
    assert all(set(properties) <= set(one) for one in (first, second))
    assert (first["status"], first["exit_code"]) == (404, ExitCode.SERVICE)
    assert (second["field"], second["way_out"]) == ("--x", "see callboard tools --help")
