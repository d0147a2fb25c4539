"""The questions of the start page, from the ``first_questions.json`` of the toolkits' folders.

Each is a ready call, the page of a sandbox object, or, with neither, the dashboard. A question about sandbox
objects appears only if its toolkit's calls go to the sandbox; otherwise the next one takes its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from registry.catalog.reading import of_files
from registry.catalog.toolkit_files import ToolkitFile, folder_of

if TYPE_CHECKING:
    from registry.catalog.model import Tool
    from registry.catalog.problems import CatalogProblem

FILE = "first_questions.json"
MOST = 5

ALSO_PASTED = (
    "a link", "a curl command", "an amount ($120.00)",
    "a card’s last digits (4444)", "an incident’s number (#4062)", "a request id (req_…)",
)  # fmt: skip
"""Kinds of pasted text that work with every toolkit."""


class FirstQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question, and what answers it: a call, a page, or the dashboard.

    Attributes:
        place: its position among the questions of all toolkits.
        text: the question.
        tool: the tool to run; empty for a page and for the dashboard.
        arguments: its arguments, as a form takes them.
        object: the id of the sandbox object whose page is opened; otherwise empty.
        shows: what is shown if it is not a tool's result, in words.
    """

    place: int
    text: str
    tool: str = ""
    arguments: dict[str, str | list[str]] = msgspec.field(default_factory=dict)
    object: str = ""
    shows: str = ""


class FirstPaste(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of text that can be pasted, with an example from the sandbox."""

    what: str
    example: str


class Asked(NamedTuple):
    """A question of the start page, and its toolkit's name."""

    toolkit: str
    question: FirstQuestion


def first_questions(toolkits: Collection[str], on_sandbox: Collection[str]) -> list[Asked]:
    """The first questions about these toolkits, at most five; those about sandbox objects only for toolkits in `on_sandbox`."""
    every = [Asked(name, one) for name, content in _contents(toolkits) for one in content[0]]
    kept = [one for one in every if not one.question.object or one.toolkit in on_sandbox]
    return sorted(kept, key=lambda one: one.question.place)[:MOST]


def first_pastes(on_sandbox: Collection[str]) -> list[FirstPaste]:
    """Texts that can be pasted, with examples from the sandbox."""
    return [one for _, content in _contents(on_sandbox) for one in content[1]]


def first_question_problems(folder: Path, tools: Mapping[str, Tool]) -> list[CatalogProblem]:
    """The errors in the ``first_questions.json`` of a folder, checked against the tools; empty if there is no such file."""
    questions, _, problems = _read(folder)
    file = ToolkitFile(folder, FILE, ("questions", "pastes"))
    for place, one in enumerate(questions):
        tool = tools.get(one.tool)
        if one.tool and (tool is None or tool.effect != "read"):
            file.problem(f"questions[{place}].tool", f"there is no tool {one.tool} that reads")
        elif tool is not None and (unknown := [name for name in one.arguments if tool.parameter(name) is None]):
            file.problem(f"questions[{place}].arguments.{unknown[0]}", f"is not a parameter of {one.tool}")
        if not one.tool and not one.shows:
            file.problem(f"questions[{place}].shows", "what is shown must be said where no tool is run")
    return [*problems, *(one for one in file.problems if one not in problems)]


_Content = tuple[list[FirstQuestion], list[FirstPaste], tuple["CatalogProblem", ...]]


def _contents(toolkits: Collection[str]) -> Iterator[tuple[str, _Content]]:
    for name in toolkits:
        if (folder := folder_of(name)) is not None:
            yield name, _read(folder)


@of_files
def _read(folder: Path) -> _Content:
    file = ToolkitFile(folder, FILE, ("questions", "pastes"))
    questions = [
        file.converted(f"questions[{place}]", one, FirstQuestion)
        for place, one in enumerate(file.value("questions", list[object], []))
    ]
    pastes = [
        file.converted(f"pastes[{place}]", one, FirstPaste) for place, one in enumerate(file.value("pastes", list[object], []))
    ]
    return [one for one in questions if one is not None], [one for one in pastes if one is not None], tuple(file.problems)
