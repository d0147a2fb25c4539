"""Saved arguments on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from registry.catalog.loader import load
from registry.presets.preset import new_preset
from registry.presets.store import PresetStore, usual_folder
from tests.doors.test_cli import run

__all__ = ["run"]

TOOL = "GetCustomerCards"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    tool = load().tools[TOOL]
    raw = {"customer_id": "cus_1", "card_retrieval_limit": "2"}
    PresetStore(usual_folder()).save(tool, new_preset(tool, "two cards", raw, 1_772_000_000.0)[0])
    return tmp_path


def request(run: Any, *words: str) -> str:
    outcome = run("call", TOOL, "--dry-run", *words)
    assert outcome.code == 0, outcome.err
    return str(outcome.out.splitlines()[0])


def test_a_call_with_saved_arguments_and_options_that_win(run: Any) -> None:
    assert request(run, "--preset", "two cards").endswith("/customers/cus_1/cards?limit=2")
    assert request(run, "--preset", "two cards", "--card-retrieval-limit", "3").endswith("/cus_1/cards?limit=3")
    assert request(run, "--preset=two cards", "--args", '{"customer_id": "cus_9"}').endswith("/cus_9/cards?limit=2")
    missing = run("call", TOOL, "--preset", "other")
    assert missing.code == 2
    assert "no preset or file 'other' for GetCustomerCards. Presets: 'two cards'" in missing.err
    nowhere = run("call", "ListTeams", "--preset", "two cards"), run("presets", "show", "ListTeams", "two cards")
    for one in nowhere:
        assert one.code == 2
        assert "two cards" in one.err
        assert "for ListTeams. No presets saved yet: press Ctrl+S in its form in the explorer. callboard presets" in one.err


def test_a_preset_names_its_tool(run: Any, here: Path) -> None:
    def first_line(*words: str) -> str:
        outcome = run(*words)
        assert outcome.code == 0, outcome.err
        return str(outcome.out.splitlines()[0])

    assert first_line("call", "--preset", "two cards", "--dry-run").endswith("/customers/cus_1/cards?limit=2")
    assert first_line("call", "--dry-run", "--preset=two cards", "--customer-id", "cus_9").endswith("/cus_9/cards?limit=2")
    assert first_line("call", "--preset", "two cards", "--dry-run", TOOL).endswith("/cus_1/cards?limit=2")
    assert run("presets", "export", TOOL, "two cards", "out.json").code == 0
    assert first_line("call", "--preset", "out.json", "--dry-run").endswith("/customers/cus_1/cards?limit=2")
    missing = run("call", "--preset", "other")
    assert (missing.code, "no preset or file 'other'" in missing.err) == (2, True)
    assert "required: TOOL" in run("call").err
    other = load().tools["GetCustomerBankAccounts"]
    PresetStore(usual_folder()).save(other, new_preset(other, "two cards", {"customer_id": "cus_2"}, 1.0)[0])
    several = run("call", "--preset", "two cards")
    assert (several.code, f"{TOOL}" in several.err, "name the tool" in several.err) == (2, True, True)


def test_a_set_goes_out_and_comes_back(run: Any, here: Path) -> None:
    assert run("presets", "export", TOOL, "two cards", "out.json").code == 0
    assert request(run, "--preset", "out.json").endswith("/cus_1/cards?limit=2")
    taken = run("presets", "export", TOOL, "two cards", "out.json")
    assert (taken.code, "--replace" in taken.err) == (2, True)
    assert run("presets", "export", TOOL, "two cards", "out.json", "--replace").code == 0
    assert (here / "out.json").read_text("utf-8") == run("presets", "export", TOOL, "two cards").out
    assert run("presets", "delete", TOOL, "two cards").code == 0
    assert run("presets", "delete", TOOL, "two cards").code == 2
    assert "No presets yet" in run("presets").err
    assert run("presets", "import", "out.json").code == 0
    again = run("presets", "import", "out.json")
    assert (again.code, "add --replace" in again.err) == (2, True)
    named = run("presets", "import", "out.json", "--name", "it's")
    assert (named.code, f"callboard call {TOOL} --preset 'it'\"'\"'s'" in named.err) == (0, True)
    assert request(run, "--preset", "it's").endswith("limit=2")
    (here / "hostile.json").write_text((here / "out.json").read_text("utf-8").replace("customer_id", "customer"))
    refused = run("call", TOOL, "--preset", "./hostile.json")
    assert (refused.code, "`arguments.customer` is not a parameter" in refused.err) == (2, True)
    wrong = run("call", "ListTeams", "--preset", "out.json")
    assert (wrong.code, "Unknown tool" in wrong.err) == (2, True)


def test_lists(run: Any) -> None:
    line = run("presets").out
    assert line.startswith(f"{TOOL}  two cards  2026-02-25 ")
    assert line.endswith("  customer_id cus_1 · card_retrieval_limit 2\n")
    (only,) = [json.loads(one) for one in run("presets", "--json", "list", TOOL).out.splitlines()]
    assert only["arguments"] == {"customer_id": "cus_1", "card_retrieval_limit": "2"}
    assert run("presets", "list", "ListTeams").out == ""
    shown = json.loads(run("presets", "show", TOOL, "two cards").out)
    assert shown["arguments"] == {"customer_id": "cus_1", "card_retrieval_limit": 2}
    assert run("presets", "show", TOOL, "none").code == 2
