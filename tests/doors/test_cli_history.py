"""The history on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from registry.doors.output import ExitCode


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def lines(run: Any, *words: str) -> list[Any]:
    return [json.loads(line) for line in run("history", "--json", *words).out.splitlines()]


def test_calls_are_remembered_and_found(run: Any) -> None:
    assert run("call", "Whoami").code == 0
    assert run("call", "RetrieveInvoiceById", "--invoice-id", "in_nobody").code == 1
    found = lines(run)
    assert [(one["tool"], one["outcome"], one["connection"]) for one in found] == [
        ("RetrieveInvoiceById", "failed", "sandbox"),
        ("Whoami", "ok", "sandbox"),
    ]
    assert found[0]["arguments"]["invoice_id"] == "in_nobody"
    assert [one["tool"] for one in lines(run, "--search", "failed in_nobody")] == ["RetrieveInvoiceById"]
    assert [one["tool"] for one in lines(run, "--search", "tool:whoami since:1h")] == ["Whoami"]
    shown = run("history", "--most", "1").out
    assert "✗ failed" in shown
    assert "in_nobody" in shown
    assert "Whoami" not in shown
    assert run("history", "--search", "since:soon").code == 2


def test_the_id_of_a_request_that_failed_finds_its_call(run: Any) -> None:
    failed = run("call", "RetrieveInvoiceById", "--invoice-id", "in_nobody").err
    id_ = next(word for word in failed.split() if word.startswith("req_"))
    assert [(one["tool"], one["request_ids"]) for one in lines(run, "--search", id_)] == [("RetrieveInvoiceById", [id_])]
    assert "callboard call RetrieveInvoiceById --invoice-id in_nobody" in run("find", id_).out


def test_forgetting(run: Any) -> None:
    run("call", "Whoami")
    run("call", "Whoami")
    assert run("history", "forget").code == 2
    assert run("history", "forget", "99").code == 2
    assert run("history", "forget", "1").code == 0
    assert [one["id"] for one in lines(run)] == [2]
    assert run("history", "forget", "--all").code == 0
    assert lines(run) == []


def test_a_damaged_journal_breaks_no_call(run: Any, tmp_path: Path) -> None:
    (tmp_path / "callboard").mkdir()
    (tmp_path / "callboard" / "journal.db").write_bytes(b"no database" * 1_000)
    outcome = run("call", "Whoami")
    assert outcome.code == 0
    assert json.loads(outcome.out)["user"]
    assert "no longer recorded" in outcome.err
    assert run("history").code == ExitCode.LOCAL
    assert run("history", "forget", "--all").code == 0
    assert lines(run) == []
