"""Ready calls and the questions of home are data: what ships is right, and mistakes are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.catalog.loader import load
from registry.finding.find import Finder
from registry.finding.ready_calls import ready_call_problems, ready_calls
from registry.pages.home import home_of

CATALOG = load()
TOOLS, KITS = CATALOG.tools, tuple(CATALOG.toolkits)
XX = {"title": "x", "words": ["x"]}


def test_there_are_enough_ready_calls_and_none_deletes() -> None:
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
def test_mistakes_in_ready_calls_are_named(tmp_path: Path, entry: dict[str, object], field: str, words: str) -> None:
    (tmp_path / "ready_calls.json").write_text(json.dumps({"calls": [entry]}), "utf-8")
    (problem,) = ready_call_problems(tmp_path, TOOLS)
    assert problem.field == field
    assert words in problem.message


def test_the_questions_of_home_find_what_they_are_about() -> None:
    found = {text: next(iter(Finder(CATALOG).find(text))) for kit in KITS for text in home_of(kit).ask}
    assert {text: one.tool for text, one in found.items()} == {
        "past due subscriptions": "SearchPaymentsSubscriptions",
        "who is on call?": "ListOncalls",
    }
