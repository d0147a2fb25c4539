"""The problems in users' toolkit folders: of their optional files, and of a whole folder that somebody writes."""

import difflib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from registry.calling.search_queries import read_queries
from registry.catalog.folders import (
    BUILT_IN,
    SERVICE,
    SHIPPED,
    CatalogProblem,
    Found,
    ToolkitFolder,
    kept_toolkits,
    toolkits_in,
)
from registry.catalog.listing import read_titles, word_problems
from registry.catalog.loader import data_folders, load
from registry.catalog.model import Tool
from registry.catalog.properties import read_properties
from registry.changes.declared import deleting_problems
from registry.finding.ready_calls import ready_call_problems
from registry.pages.definition import read_pages
from registry.pages.home import FORMER, home_problems
from registry.references.knowledge import read_references
from registry.results.coverage import read_coverage
from registry.results.declared import read_lists

OPTIONAL = (
    *("coverage.json", "deleting.json", "home.json", "lists.json", "pages.json", "queries.json"),
    *("properties.json", "ready_calls.json", "references.json", "titles.json", "words.json"),
)
"""The files that a toolkit may have beside its service and its tools."""

_READERS: tuple[Callable[[Path], tuple[Any, ...]], ...] = (
    read_titles, read_references, read_lists, read_coverage, read_properties, read_pages, read_queries,
)  # fmt: skip
"""What read these files; each returns the problems last."""


class CheckedFolder(NamedTuple):
    """What a check of a folder found: the number of its tools that can be used, and its mistakes, in the order of its files."""

    folder: Path
    tools: int
    problems: tuple[CatalogProblem, ...]


def file_problems() -> list[CatalogProblem]:
    """The problems of all folders that are not built in; tests check the built-in ones."""
    return [problem for folder in data_folders() if folder.parent != BUILT_IN for problem in problems_in(folder)]


def checked_folders(folder: Path) -> list[CheckedFolder]:
    """Check a folder with a toolkit, or each toolkit in a folder of toolkits, beside the toolkits that come with Callboard.

    Raises:
        OSError: the folder cannot be read.
    """
    return [_checked(one) for one in toolkits_in(folder)]


def _checked(folder: ToolkitFolder) -> CheckedFolder:
    path = Path(os.path.realpath(folder.path))
    if path.parent == BUILT_IN:
        found, path = SHIPPED, BUILT_IN / path.name
    else:
        path = folder.path
        kept = os.path.realpath(path.parent) == os.path.realpath(kept_toolkits())
        found = Found((*SHIPPED.folders, folder._replace(kept=kept)))
    catalog = load(found)
    own = next((one for one in found.folders if one.path == path), folder)
    names = {toolkit for toolkit, there in catalog.folders.items() if there.path == path}
    count = sum(tool.toolkit in names for tool in catalog.tools.values())
    problems = [*catalog.problems, *problems_in(path, catalog.tools), *_unknown_files(own)]
    return CheckedFolder(path, count, tuple(problems))


def _unknown_files(folder: ToolkitFolder) -> Iterator[CatalogProblem]:
    """What is missing in a folder, and files that a toolkit does not have, whose names may be misspelt."""
    if not any((folder.path / "tools").glob("*.json")):
        yield CatalogProblem(folder.named(folder.path / "tools"), "", "", "has no file with tools, such as tools/issues.json")
    if folder.kept:
        return
    for name in sorted(os.listdir(folder.path)):
        if name.endswith(".json") and name not in (SERVICE, *OPTIONAL, FORMER):
            nearest = difflib.get_close_matches(name, (SERVICE, *OPTIONAL), n=1, cutoff=0.7)
            hint = f" (did you mean {nearest[0]}?)" if nearest else ""
            yield CatalogProblem(folder.named(folder.path / name), "", "", f"is not a file of a toolkit{hint}")


def problems_in(folder: Path, tools: Mapping[str, Tool] | None = None) -> list[CatalogProblem]:
    """The problems of one folder, in all of its optional files.

    Args:
        folder: the toolkit's folder.
        tools: all tools by name, which calls in the files may name; by default those of all toolkits.
    """
    tools = load().tools if tools is None else tools
    return [
        *word_problems(folder),
        *(problem for read in _READERS for problem in read(folder)[-1]),
        *deleting_problems(folder),
        *ready_call_problems(folder, tools),
        *home_problems(folder, tools),
    ]
