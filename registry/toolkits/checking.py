"""The problems of the optional files in users' toolkit folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from registry.catalog.toolkit_files import data_folders, is_built_in

if TYPE_CHECKING:
    from registry.catalog.problems import CatalogProblem


def file_problems() -> list[CatalogProblem]:
    """The problems of all folders that are not built in; tests check the built-in ones."""
    return [problem for folder in data_folders() if not is_built_in(folder) for problem in problems_in(folder)]


def problems_in(folder: Path) -> list[CatalogProblem]:
    """The problems of one folder: words, objects, lists, properties, pages, queries, calls, first questions, deletions."""
    from registry.calling.query_fields import query_problems
    from registry.catalog.loader import load  # imported late: not needed without such folders
    from registry.catalog.properties import property_problems
    from registry.catalog.synonyms import word_problems
    from registry.deleting.declared import deleting_problems
    from registry.finding.first_questions import first_question_problems
    from registry.finding.ready_calls import ready_call_problems
    from registry.headline.declared import list_problems
    from registry.pages.definition import page_problems
    from registry.references.knowledge import reference_problems

    tools = load().tools
    return [
        *word_problems(folder),
        *reference_problems(folder),
        *list_problems(folder),
        *property_problems(folder),
        *page_problems(folder),
        *deleting_problems(folder),
        *query_problems(folder),
        *ready_call_problems(folder, tools),
        *first_question_problems(folder, tools),
    ]
