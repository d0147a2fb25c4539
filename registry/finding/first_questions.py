"""The questions of the start page, from the ``first_questions.json`` of the toolkits' folders.

Each is a ready call, the page of a sandbox object, or, with neither, the dashboard. A question about sandbox
objects appears only if its toolkit's calls go to the sandbox; otherwise the next one takes its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from registry.catalog.model import Tool
from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import of_files
from registry.catalog.toolkit_files import ToolkitFile, folder_of

FILE = "first_questions.json"
MOST = 5
_KEYS = ("questions", "pastes", "also", "learnt")
_MOST_ALSO = 4


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


class Paste(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of text that can be pasted.

    Attributes:
        what: what it is: ``a card’s last digits``.
        example: an example: an object of the sandbox, or of ``also`` one that is none: ``4444``.
        place: its position among those of all toolkits.
    """

    what: str
    example: str
    place: int = 0


class Asked(NamedTuple):
    """A question of the start page, and its toolkit's name."""

    toolkit: str
    question: FirstQuestion


def first_questions(toolkits: Collection[str], on_sandbox: Collection[str]) -> list[Asked]:
    """The first questions about these toolkits, at most five; those about sandbox objects only for toolkits in `on_sandbox`."""
    every = [Asked(name, one) for name, content in _contents(toolkits) for one in content.questions]
    kept = [one for one in every if not one.question.object or one.toolkit in on_sandbox]
    return sorted(kept, key=lambda one: one.question.place)[:MOST]


def first_pastes(on_sandbox: Collection[str]) -> list[Paste]:
    """Texts that can be pasted, with examples from the sandbox."""
    return [one for _, content in _contents(on_sandbox) for one in content.pastes]


def also_pasted(toolkits: Collection[str]) -> list[Paste]:
    """The first further kinds of text that can be pasted, at most four."""
    every = [one for _, content in _contents(toolkits) for one in content.also]
    return sorted(every, key=lambda one: one.place)[:_MOST_ALSO]


def learnt(toolkits: Collection[str]) -> list[str]:
    """What the walks show of these toolkits, each as a verb with its object."""
    return [one for _, content in _contents(toolkits) for one in content.learnt]


def first_question_problems(folder: Path, tools: Mapping[str, Tool]) -> list[CatalogProblem]:
    """The errors in the ``first_questions.json`` of a folder, checked against the tools; empty if there is no such file."""
    content = _read(folder)
    file = ToolkitFile(folder, FILE, _KEYS)
    for place, one in enumerate(content.questions):
        tool = tools.get(one.tool)
        if one.tool and (tool is None or tool.effect != "read"):
            file.problem(f"questions[{place}].tool", f"there is no tool {one.tool} that reads")
        elif tool is not None and (unknown := [name for name in one.arguments if tool.parameter(name) is None]):
            file.problem(f"questions[{place}].arguments.{unknown[0]}", f"is not a parameter of {one.tool}")
        if not one.tool and not one.shows:
            file.problem(f"questions[{place}].shows", "what is shown must be said where no tool is run")
    return [*content.problems, *(one for one in file.problems if one not in content.problems)]


class _Content(NamedTuple):
    """What a file says, and its errors."""

    questions: list[FirstQuestion]
    pastes: list[Paste]
    also: list[Paste]
    learnt: list[str]
    problems: tuple[CatalogProblem, ...]


def _contents(toolkits: Collection[str]) -> Iterator[tuple[str, _Content]]:
    for name in toolkits:
        if (folder := folder_of(name)) is not None:
            yield name, _read(folder)


@of_files
def _read(folder: Path) -> _Content:
    file = ToolkitFile(folder, FILE, _KEYS)
    return _Content(
        file.listed("questions", FirstQuestion),
        file.listed("pastes", Paste),
        file.listed("also", Paste),
        file.listed("learnt", str),
        tuple(file.problems),
    )
