"""Ready calls and the questions of the start page are data: what ships is right, and mistakes are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.catalog.loader import load
from registry.finding.find import Finder
from registry.finding.first_questions import first_question_problems, first_questions
from registry.finding.ready_calls import ready_call_problems, ready_calls

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


def test_typed_into_the_ask_line_a_question_leads_to_the_same_call() -> None:
    finder, asked = Finder(CATALOG), [one.question for one in first_questions(KITS, KITS) if one.question.tool]
    assert [(found.tool, found.arguments) for one in asked for found in finder.find(one.text)[:1]] == [
        (one.tool, one.arguments) for one in asked
    ]


def test_without_the_sandbox_no_question_is_about_its_objects() -> None:
    every = first_questions(KITS, KITS)
    elsewhere = first_questions(KITS, ())
    assert len(every) == len(elsewhere) == 5
    assert any(one.question.object for one in every)
    assert not any(one.question.object for one in elsewhere)


@pytest.mark.parametrize(
    ("entry", "field", "words"),
    [
        ({"tool": "NoSuch"}, "questions[0].tool", "there is no tool NoSuch that reads"),
        ({"tool": "DeletePaymentsCustomer"}, "questions[0].tool", "that reads"),
        ({"tool": "Whoami", "arguments": {"a": "b"}}, "questions[0].arguments.a", "is not a parameter"),
        ({"object": "x"}, "questions[0].shows", "must be said"),
        ({"tool": "Whoami", "more": 1}, "questions[0].more", "is not a field here"),
    ],
)
def test_mistakes_in_questions_are_named(tmp_path: Path, entry: dict[str, object], field: str, words: str) -> None:
    content = {"questions": [{"place": 1, "text": "Who am I?", **entry}]}
    (tmp_path / "first_questions.json").write_text(json.dumps(content), "utf-8")
    (problem,) = first_question_problems(tmp_path, TOOLS)
    assert problem.field == field
    assert words in problem.message
