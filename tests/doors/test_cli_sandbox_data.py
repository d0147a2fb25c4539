"""``callboard sandbox`` with large and kept worlds, and ``callboard sandbox reset``."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from registry.doors import cli_sandbox_data
from registry.doors.cli import main
from registry.sandbox import keeping
from registry.sandbox.server import application
from tests.sandbox import serving
from tests.terminal import ROOT

COMMAND = [sys.executable, "-u", "-m", "tui", "sandbox"]


@contextmanager
def served(*options: str | Path) -> Iterator[str]:
    """A sandbox on a port of its own: its address. It is interrupted at the end."""
    command = [*COMMAND, "--port", "0", *map(str, options)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.search(r"http://[0-9.:]+", line)
        if address is None:
            raise AssertionError(line + (process.stderr.read() if process.stderr else ""))
        try:
            yield address[0]
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


def answer(address: str, path: str, body: Any = None) -> Any:
    headers = {"Authorization": "Bearer sk_test_x", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address + path, data, headers), timeout=20) as found:
        return json.load(found)


def run(*words: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, **options)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "w.db"


def test_a_kept_world_goes_on(file: Path) -> None:
    with served("--data", file) as address:
        new = answer(address, "/crm/settings/v3/users/", {"email": "new@fernway.example", "sendWelcomeEmail": False})
        second = run("--port", "0", "--data", file)
        assert second.returncode == 2
        assert f"another sandbox uses {file}" in second.stderr
        busy = run("reset", "--data", file, "--yes")
        assert (busy.returncode, "another sandbox uses" in busy.stderr) == (2, True)
    with served("--data", file) as address:
        assert answer(address, f"/crm/settings/v3/users/{new['id']}")["email"] == "new@fernway.example"
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_data_without_a_file_is_in_the_users_folder(tmp_path: Path) -> None:
    environment = dict(os.environ, XDG_DATA_HOME=str(tmp_path), HOME=str(tmp_path))
    with subprocess.Popen([*COMMAND, "--port", "0", "--data"], cwd=ROOT, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Serving the sandbox on")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    found = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert [one.name for one in found] == ["sandbox.db"]
    removed = run("reset", "--yes", env=environment)
    assert (removed.returncode, str(found[0]) in removed.stdout) == (0, True)
    assert not found[0].exists()


def test_a_large_world_of_another_seed() -> None:
    with served("--customers", "120", "--seed", "9") as address:
        page = answer(address, "/payments/v1/payment_methods?limit=100")
        assert (len(page["data"]), page["has_more"]) == (100, True)
        nines = {one["id"] for one in page["data"]}
    with serving.served(application(seed=9)) as address:
        found = {one["id"] for one in answer(address, "/payments/v1/payment_methods?limit=100")["data"]}
    assert len(found & nines) > 10


def test_lines_of_progress_where_there_is_no_terminal() -> None:
    command = [*COMMAND, "--port", "0", "--customers", "200"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        lines = process.stderr.read().splitlines()
    told = [int(number) for number in re.findall(r"^Generating 200 customers: ([0-9]+) %$", "\n".join(lines), re.M)]
    assert len(told) == len(lines)
    assert told == sorted(set(told))
    assert {percent % 10 for percent in told} == {0}
    assert (len(told) >= 4, told[0], told[-1]) == (True, 0, 100)


class Terminal(io.StringIO):
    """A terminal that keeps what it is sent."""

    def isatty(self) -> bool:
        return True


def test_one_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    progress = cli_sandbox_data._Progress(100)
    for part in (0.0, 0.002, 0.5, 1.0):
        progress.tell(part)
    progress.end()
    shown = screen.getvalue()
    assert shown.count("\r") == 3
    assert shown.endswith("] 100 %\n")
    assert shown.count("\n") == 1
    assert "[###############...............]  50 %" in shown


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_stopping_the_building(how: signal.Signals, file: Path) -> None:
    command = [*COMMAND, "--port", "0", "--customers", "200000", "--data", str(file)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        until: IO[str] = process.stderr
        while file.with_name("w.db.unfinished") not in file.parent.iterdir():
            assert process.poll() is None
        process.send_signal(how)
        complaints = until.read()
        # An interrupt inside of an ``exec`` of text, as when a lazily imported module makes a dataclass, is handled and told,
        # and Python ends by the signal all the same. Shells give 130 for both.
        assert process.wait(20) in (130, -signal.SIGINT)
    assert complaints.endswith("callboard: interrupted\n")
    assert list(file.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--customers", "10"], "customers; got 10"),
        (["--customers", "2000000"], "to 1000000 customers; got 2000000"),
        (["--customers", "many"], "must be a whole number"),
        (["--seed", "x"], "must be a whole number"),
        (["--seed", "9" * 5_000], "must be a whole number; got '9999"),
        (["--data", "/dev/null/w"], "cannot create /dev/null/w: /dev/null is not a folder"),
        (["--data", "/"], "/ is not a sandbox file"),
        (["reset", "--port", "1"], "unknown option --port"),
    ],
)
def test_what_cannot_be(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["sandbox", "--port", "0", *options])
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_another_seed_for_a_kept_world(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(file, 3)
    with pytest.raises(SystemExit) as ended:
        main(["sandbox", "--port", "0", "--data", str(file), "--seed", "4"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"{file} was created with --seed 3, not 4" in said
    assert "callboard sandbox reset" in said


def kept(file: Path, seed: int = 1) -> None:
    """Keep a world in the file."""
    keeping.in_file(file, seed, None, 1, lambda part: None).database.close()


@pytest.mark.parametrize("words", [["--data", "FILE", "reset", "--yes"], ["reset", "--yes", "--data", "FILE"]])
def test_reset(words: list[str], file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(file)
    for said in (f"Deleted {file}", f"No such file: {file}"):
        assert main(["sandbox", *(str(file) if word == "FILE" else word for word in words)]) == 0
        assert capsys.readouterr().out.startswith(said)
        assert not file.exists()


def test_reset_needs_a_yes(file: Path) -> None:
    kept(file)
    refused = run("reset", "--data", file, stdin=subprocess.DEVNULL)
    assert (refused.returncode, "add --yes" in refused.stderr) == (2, True)
    assert file.exists()


@pytest.mark.parametrize(("typed", "gone"), [("y\n", True), ("Yes\n", True), ("\n", False), ("n\n", False), ("", False)])
def test_reset_asks_on_a_terminal(
    typed: str, gone: bool, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(file)
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    assert main(["sandbox", "reset", "--data", str(file)]) == 0
    said = capsys.readouterr()
    assert f"Delete {file} and all changes in it? [y/N]" in said.err
    assert ("nothing was deleted" in said.err) != gone
    assert file.exists() != gone


def test_reset_leaves_what_is_not_ours(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("my diary")
    with pytest.raises(SystemExit) as ended:
        main(["sandbox", "reset", "--data", str(file), "--yes"])
    assert ended.value.code == 2
    assert "is not a sandbox file and was left unchanged" in capsys.readouterr().err
    assert file.read_text() == "my diary"
