"""Ready calls and the questions of home are data: what ships is right, and mistakes are named."""

import json
from pathlib import Path

import pytest

from registry.catalog.loader import load
from registry.finding.find import Finder
from registry.finding.ready_calls import ready_call_problems, ready_calls
from registry.pages.home import home_of
from tests.cases import cases_beside

CASES = cases_beside(__file__)

CATALOG = load()
TOOLS, KITS = CATALOG.tools, tuple(CATALOG.toolkits)
XX = {"title": "x", "words": ["x"]}


def test_there_are_enough_ready_calls_and_none_deletes() -> None:
    calls = ready_calls(TOOLS)
    assert len(calls) >= 60
    assert {TOOLS[one.tool].effect for one in calls} <= {"read", "write"}


@pytest.mark.parametrize(("entry", "field", "words"), CASES["mistakes in ready calls"])
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
