"""The questions of the start page are data; mistakes in them are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.catalog.loader import load
from registry.catalog.toolkit_files import data_folders
from registry.finding.find import Finder
from registry.finding.first_questions import first_question_problems, first_questions

CATALOG = load()
KITS = tuple(CATALOG.toolkits)


@pytest.mark.parametrize("folder", data_folders(), ids=lambda folder: folder.name)
def test_those_that_come_with_the_toolkits_have_no_mistake(folder: Path) -> None:
    assert first_question_problems(folder, CATALOG.tools) == []


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
def test_mistakes_are_named(tmp_path: Path, entry: dict[str, object], field: str, words: str) -> None:
    content = {"questions": [{"place": 1, "text": "Who am I?", **entry}]}
    (tmp_path / "first_questions.json").write_text(json.dumps(content), "utf-8")
    (problem,) = first_question_problems(tmp_path, CATALOG.tools)
    assert problem.field == field
    assert words in problem.message
