"""Pages in the folders that a team shares: ``pages/TOOLKIT.json``, in the form of a toolkit's ``pages.json``.

A toolkit's own definition of a type has priority over those of shared folders, unless one of these is requested by name. Only
the toolkit defines how an object is read (`tool` and `arguments`), and the states.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from registry.catalog.shared_folders import SharedFile, SharedFolder, shared_files
from registry.catalog.toolkit_files import ToolkitFile
from registry.pages.definition import KEYS, PageDefinition, pages_in

_MOST_SECTIONS, _MOST_RULES, _MOST_PAGES = 40, 100, 10
"""The most sections and rules of one page, and pages of one section's list: each of these pages is a call."""


class SharedPages:
    """The pages of shared folders.

    Args:
        folders: returns the folders.
        wanted: the name of the folder whose pages have priority over a toolkit's own; empty for none.

    Attributes:
        problems: problems of the files, in words.
    """

    def __init__(self, folders: Callable[[], Sequence[SharedFolder]] = tuple, wanted: str = "") -> None:
        self._folders = folders
        self._wanted = wanted
        self._found: dict[tuple[str, str], list[tuple[str, PageDefinition]]] = {}
        self.problems: list[str] = []

    def read(self) -> None:
        """Read the folders' files; not for an event loop."""
        folders = self._folders()
        if not folders:
            return
        files = shared_files("pages", folders)
        self.problems = list(files.notices)
        self._found = {}
        for one in files.files:
            for type_, page in self._pages(one).items():
                self._found.setdefault((one.path.stem, type_), []).append((one.folder, page))

    def of(self, toolkit: str, type_: str, *, has_own: bool) -> tuple[str, PageDefinition] | None:
        """The folder and the definition to use for a type; None for the toolkit's own or the default one."""
        found = self._found.get((toolkit, type_), [])
        if self._wanted:
            return next((one for one in found if one[0] == self._wanted), None)
        return found[0] if found and not has_own else None

    def _pages(self, one: SharedFile) -> Mapping[str, PageDefinition]:
        try:
            content: Any = json.loads(one.content.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            self.problems.append(f"{one.shown} is not JSON.")
            return {}
        file = ToolkitFile(one.path.parent, one.path.name, KEYS, content)
        pages = pages_in(file).objects
        self.problems += map(str, file.problems)
        return {type_: _bounded(page) for type_, page in pages.items()}


def _bounded(page: PageDefinition) -> PageDefinition:
    """A page within the limits on calls, and with only the toolkit's own call for its object."""
    sections = [replace(one, pages=min(one.pages, _MOST_PAGES)) for one in page.sections[:_MOST_SECTIONS]]
    kept = {one.id for one in sections}
    return replace(
        page,
        tool="",
        arguments={},
        sections=tuple(sections),
        headline=tuple(one for one in page.headline[:_MOST_RULES] if {one.section, *one.needs} <= {"", *kept}),
        attention=tuple(one for one in page.attention[:_MOST_RULES] if {one.section, *one.needs} <= {"", *kept}),
        timeline=tuple(one for one in page.timeline[:_MOST_RULES] if one.section in ("", *kept)),
    )
