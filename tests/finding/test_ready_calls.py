"""The ready calls that ship are right, and a mistake in a file costs the entry that it is in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.catalog.loader import load
from registry.catalog.toolkit_files import data_folders
from registry.finding.ready_calls import ready_call_problems, ready_calls

TOOLS = load().tools
XX = {"title": "x", "words": ["x"]}


@pytest.mark.parametrize("folder", data_folders(), ids=lambda folder: folder.name)
def test_what_ships_is_right(folder: Path) -> None:
    assert ready_call_problems(folder, TOOLS) == []


def test_there_are_enough_and_none_deletes() -> None:
    calls = ready_calls(TOOLS)
    assert len(calls) >= 60
    assert {TOOLS[one.tool].effect for one in calls} <= {"read", "write"}


@pytest.mark.parametrize(
    ("entry", "field", "words"),
    [
        ({**XX, "tool": "NoSuch"}, "calls[0].tool", "there is no tool NoSuch"),
        ({**XX, "tool": "ListIncidents", "arguments": {"a": "b"}}, "calls[0].arguments.a", "is not a parameter"),
        ({**XX, "tool": "ListIncidents", "arguments": {"status": ["triggered"]}}, "calls[0].arguments.status", "one value"),
        ({**XX, "tool": "ListIncidents", "arguments": {"status": "open"}}, "calls[0].arguments.status", "is one of"),
        ({**XX, "tool": "DeletePaymentsCustomer"}, "calls[0].tool", "never a ready call"),
        ({**XX, "tool": "SearchUsers", "arguments": {"query": "{who}"}}, "calls[0].arguments", "is neither a slot"),
        ({"title": "x", "words": [], "tool": "Whoami"}, "calls[0].words", "at least one phrase"),
        ({"words": ["x"], "tool": "Whoami"}, "calls[0].title", "is required"),
        ({**XX, "tool": "Whoami", "more": 1}, "calls[0].more", "is not a field here"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path: Path, entry: dict[str, object], field: str, words: str) -> None:
    (tmp_path / "ready_calls.json").write_text(json.dumps({"calls": [entry]}), "utf-8")
    (problem,) = ready_call_problems(tmp_path, TOOLS)
    assert problem.field == field
    assert words in problem.message
