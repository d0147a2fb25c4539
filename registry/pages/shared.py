"""Pages in the folders that a team shares: ``pages/TOOLKIT.json``, in the form of a toolkit's ``pages.json``.

A toolkit's own definition of a type has priority over those of shared folders, unless one of these is requested by name. Only
the toolkit defines how an object is read (`tool` and `arguments`), and the states.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from registry.catalog.loader import ToolkitFile
from registry.catalog.shared_folders import SharedFolder, shared_files
from registry.pages.definition import KEYS, PageDefinition, pages_in


class SharedPages:
    """The pages of shared folders; those of the folder that is `wanted` by name have priority over a toolkit's own.

    `problems` are those of the files, in words.
    """

    def __init__(self, folders: Callable[[], Sequence[SharedFolder]] = tuple, wanted: str = "") -> None:
        self._folders = folders
        self._wanted = wanted
        self._found: dict[tuple[str, str], list[tuple[str, PageDefinition]]] = {}
        self.problems: list[str] = []

    def read(self) -> None:
        """Read the folders' files; not for an event loop."""
        files = shared_files("pages", self._folders())
        self.problems, self._found = list(files.notices), {}
        for one in files.files:
            try:
                content: Any = json.loads(one.content.decode("utf-8-sig"))
            except (ValueError, RecursionError):
                self.problems.append(f"{one.shown} is not JSON.")
                continue
            file = ToolkitFile(one.path.parent, one.path.name, KEYS, content)
            for type_, page in pages_in(file).objects.items():
                page = replace(page, tool="", arguments={})
                self._found.setdefault((one.path.stem, type_), []).append((one.folder, page))
            self.problems += map(str, file.problems)

    def of(self, toolkit: str, type_: str, *, has_own: bool) -> tuple[str, PageDefinition] | None:
        """The folder and the definition to use for a type; None for the toolkit's own or the default one."""
        found = self._found.get((toolkit, type_), [])
        if self._wanted:
            return next((one for one in found if one[0] == self._wanted), None)
        return found[0] if found and not has_own else None
