"""The questions of the start page, from the ``first_questions.json`` of the toolkits' folders.

Each is a ready call, the page of a sandbox object, or, with neither, the dashboard. A question about sandbox
objects appears only if its toolkit's calls go to the sandbox; otherwise the next one takes its place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from registry.catalog.loader import ToolkitFile, folder_of
from registry.catalog.model import Tool
from registry.catalog.reading import CatalogProblem

_MOST, _MOST_ALSO = 5, 4
_Record = TypeVar("_Record")


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
    arguments: dict[str, str | list[str]] = {}
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
    every = [Asked(name, one) for name in toolkits for one in _listed([name], "questions", FirstQuestion)]
    kept = [one for one in every if not one.question.object or one.toolkit in on_sandbox]
    return sorted(kept, key=lambda one: one.question.place)[:_MOST]


def first_pastes(on_sandbox: Collection[str]) -> list[Paste]:
    """Texts that can be pasted, with examples from the sandbox."""
    return _listed(on_sandbox, "pastes", Paste)


def also_pasted(toolkits: Collection[str]) -> list[Paste]:
    """The first further kinds of text that can be pasted, at most four."""
    return sorted(_listed(toolkits, "also", Paste), key=lambda one: one.place)[:_MOST_ALSO]


def learnt(toolkits: Collection[str]) -> list[str]:
    """What the walks show of these toolkits, each as a verb with its object."""
    return _listed(toolkits, "learnt", str)


def first_question_problems(folder: Path, tools: Mapping[str, Tool]) -> list[CatalogProblem]:
    """The errors in the ``first_questions.json`` of a folder, checked against the tools; empty if there is no such file."""
    file = _file(folder)
    for place, one in enumerate(file.listed("questions", FirstQuestion)):
        tool, field = tools.get(one.tool), f"questions[{place}]"
        if one.tool and (tool is None or tool.effect != "read"):
            file.problem(f"{field}.tool", f"there is no tool {one.tool} that reads")
        elif tool is not None and (unknown := [name for name in one.arguments if tool.parameter(name) is None]):
            file.problem(f"{field}.arguments.{unknown[0]}", f"is not a parameter of {one.tool}")
        if not one.tool and not one.shows:
            file.problem(f"{field}.shows", "what is shown must be said where no tool is run")
    for key, kind in (("pastes", Paste), ("also", Paste), ("learnt", str)):
        file.listed(key, kind)
    return file.problems


def _listed(toolkits: Collection[str], key: str, kind: type[_Record]) -> list[_Record]:
    """What the files of toolkits list under a key."""
    folders = [folder for name in toolkits if (folder := folder_of(name)) is not None]
    return [one for folder in folders for one in _file(folder).listed(key, kind)]


def _file(folder: Path) -> ToolkitFile:
    return ToolkitFile(folder, "first_questions.json", ("questions", "pastes", "also", "learnt"))
