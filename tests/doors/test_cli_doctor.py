"""``callboard doctor``: what it tells, and that nothing in it is secret."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from registry.doors.output import ExitCode
from tests.telltale import telltale

KEY, PASSWORD = "sk_live_MARKEDMARKED", "MARKEDPASSWORD"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("STATE", "CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return tmp_path


def test_where_a_credential_comes_from_and_where_it_travels(run: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMENTS_API_KEY", KEY)
    monkeypatch.setenv("HTTPS_PROXY", f"http://ada:{PASSWORD}@127.0.0.1:9")
    outcome = run("doctor", "--offline", "--json")
    report = json.loads(outcome.out)
    (account,) = (one for one in report["accounts"] if one["account"] == "payments")
    assert (account["mode"], account["credential"]) == ("live", "from PAYMENTS_API_KEY")
    assert account["hosts"], "it travels somewhere"
    for host in account["hosts"]:
        assert host["address"].startswith("https://")
        assert host["way"] == "through the proxy http://…@127.0.0.1:9, which sees the host name but no credential"
    assert all(one["path"].startswith("~/") for one in report["files"])
    plain = run("doctor", "--offline")
    for text in (outcome.out, plain.out):
        assert "MARKED" not in text
        assert str(home) not in text
    assert (outcome.code, plain.out.splitlines()[-1]) == (ExitCode.OK, "No problems found.")


@pytest.mark.parametrize("value", ["http://u:MARKED%40h:1", "http://u:p MARKED@h", "a.example,http://u:MARKED@h@x:1"])
def test_a_password_in_the_wrong_place_is_not_told(run: Any, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    for name in ("HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.setenv(name, value)
    for words in (("doctor", "--offline"), ("doctor", "--offline", "--json")):
        outcome = run(*words)
        assert "MARKED" not in outcome.out + outcome.err
        assert "NO_PROXY" in outcome.out


def test_clocks_are_asked_without_a_credential(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with telltale() as (address, sent):
        monkeypatch.setenv("PAYMENTS_API_KEY", KEY)
        monkeypatch.setenv("PAYMENTS_BASE_URL", address)
        report = json.loads(run("doctor", "--json").out)
    (host,) = (one for one in report["hosts"] if one["address"] == address)
    assert host["said"].startswith("reached")
    assert KEY not in "".join(sent)


def test_a_full_disk_is_a_problem(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.statvfs", lambda _: os.statvfs_result((4096, 4096, 9_000, 0, 0, 9, 9, 9, 0, 255)))
    outcome = run("doctor", "--offline", "--json")
    for what in ("state", "cache"):
        wanted = f"{what}: the disk of ~/{what}/callboard is full (0 bytes are free); free some room on it"
        assert wanted in json.loads(outcome.out)["problems"]
    assert outcome.code == ExitCode.SERVICE
