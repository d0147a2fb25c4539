"""Answers that the command line saves, or prints in another format."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from registry.doors.output import ExitCode
from tests.command_line import Run, runner


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return runner(capfd, "call")


def test_the_ending_says_the_format(run: Any, tmp_path: Path) -> None:
    _, plain, _ = run("ListTeams")
    teams = json.loads(plain)["teams"]
    for name in ("a.csv", "a.ndjson", "a.json", "a.txt"):
        code, out, err = run("ListTeams", "--save", name)
        assert (code, out) == (0, "")
        assert err.startswith(f"saved {tmp_path / name}, ")
    with (tmp_path / "a.csv").open(newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [team["id"] for team in teams]
    assert [json.loads(line) for line in (tmp_path / "a.ndjson").read_text().splitlines()] == teams
    assert json.loads((tmp_path / "a.json").read_text()) == json.loads((tmp_path / "a.txt").read_text()) == json.loads(plain)


def test_secrets_are_masked_unless_asked_for(run: Any, tmp_path: Path) -> None:
    assert "redacted; add --show-secrets to show them" in run("Whoami", "--save", "a.json")[2]
    assert "--show-secrets" not in run("Whoami", "--save", "b.json", "--show-secrets")[2]
    run("Whoami", "--save", "c.json", "--raw")
    masked, shown, raw = (json.loads((tmp_path / f"{name}.json").read_text("utf-8"))["user"]["http_cal_url"] for name in "abc")
    assert masked == "••••••••"
    assert shown == raw != masked


def test_a_file_that_is_there_stays_and_nothing_is_sent(run: Any, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("mine")
    code, out, err = run("ListTeams", "--save", "x.json")
    assert (code, out) == (ExitCode.USAGE, "")
    assert "already exists. Choose another name or add --replace." in err
    assert (tmp_path / "x.json").read_text() == "mine"
    assert run("ListTeams", "--save", "x.json", "--replace")[0] == 0
    assert json.loads((tmp_path / "x.json").read_text())["teams"]
    assert run("ListTeams", "--save", "nowhere/x.json")[0] == ExitCode.USAGE


def test_a_list_that_is_empty_replaces_the_file_of_an_earlier_run(run: Any, tmp_path: Path) -> None:
    (tmp_path / "failed.csv").write_text("id\nch_1\n")
    search = ("PaymentsSearchCharges", "--search-query-string", "created>=2040-01-01", "--all")
    code, _, err = run(*search, "--save", "failed.csv", "--replace")
    assert (code, (tmp_path / "failed.csv").read_text().strip()) == (0, ""), err
