"""Finds the folder of a toolkit, and reads its optional JSON files entry by entry.

An invalid entry becomes a problem that names file, field and rule; everything else in the file is used. Tools and services from
elsewhere are checked by pydantic (`checking`); these files, which are read at every start, by msgspec, which imports in a
fraction of the time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from registry.catalog.folders import BUILT_IN, Found, OfFolders
from registry.catalog.lines import lines_of
from registry.catalog.listing import entries
from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import Unreadable, converted, fields_at, read_file
from registry.catalog.rule_words import not_a_field, rule_of_msgspec

_Record = TypeVar("_Record")


def folder_of(toolkit: str) -> Path | None:
    """The folder of the toolkit with a name; None if it has none."""
    return folders_by_toolkit().get(toolkit)


@OfFolders
def folders_by_toolkit(found: Found) -> Mapping[str, Path]:
    """The folders of all toolkits, in display order. Called for every object of a response, so cached."""
    return {entry.toolkit: entry.folder.path for entry in entries(found)}


def data_folders() -> tuple[Path, ...]:
    """The folders of all toolkits, in display order."""
    return tuple(folders_by_toolkit().values())


def is_built_in(folder: Path) -> bool:
    """Whether a toolkit's folder comes with Callboard. Only these may have code."""
    return folder.parent == BUILT_IN


class ToolkitFile:
    """The content of one file; empty if the folder does not have it.

    Attributes:
        problems: the errors in the file, in the order in which it was read.
    """

    def __init__(self, folder: Path, name: str, keys: Collection[str]) -> None:
        """Read the file with a name; other keys than these are errors."""
        self.problems: list[CatalogProblem] = []
        self._file = f"{folder.name}/{name}" if is_built_in(folder) else str(folder / name)
        self._content: dict[str, Any] = {}
        self._path: Path | None = folder / name
        self._keys = keys
        if not (folder / name).exists():
            return
        try:
            content = read_file(folder / name)
        except Unreadable as error:
            self.problems.append(error.at(self._file))
        else:
            if isinstance(content, dict):
                self._content = content
            else:
                self.problem("", "must be an object")
        self._check()

    @classmethod
    def holding(cls, named: str, content: dict[str, Any], keys: Collection[str]) -> ToolkitFile:
        """A file that was read already, from another place than a toolkit's folder; `named` is its name in messages."""
        file = cls.__new__(cls)
        file.problems, file._file, file._content, file._path, file._keys = [], named, content, None, keys
        file._check()
        return file

    def _check(self) -> None:
        for key in self._content:
            if key not in self._keys and key != "$schema":
                self.problem(key, not_a_field(key, self._keys))

    def problem(self, field: str, message: str) -> None:
        """Add an error in a field, with its line."""
        line = 0
        if self._path is not None:
            line = lines_of(self._path).of(field)
        self.problems.append(CatalogProblem(self._file, "", field, message, line))

    def value(self, key: str, type_: type[_Record], default: _Record) -> _Record:
        """The value of a key; the default if the key is absent or its value has a wrong type."""
        found: _Record | None = self.converted(key, self._content[key], type_) if key in self._content else None
        return default if found is None else found

    def entries(self, key: str, type_: type[_Record]) -> dict[str, _Record]:
        """The entries of the object under a key, without those of a wrong type."""
        raw = self._content.get(key, {})
        if not isinstance(raw, dict):
            self.problem(key, "must be an object")
            return {}
        found = {name: self.converted(f"{key}.{name}", one, type_) for name, one in raw.items()}
        return {name: one for name, one in found.items() if one is not None}

    def text(self, key: str) -> str:
        """The text under a key; empty if there is none."""
        value = self._content.get(key, "")
        if isinstance(value, str):
            return value
        self.problem(key, "must be text")
        return ""

    def texts(self, key: str) -> dict[str, str]:
        """The entries of the object under a key that are text; others are left out."""
        raw = self._content.get(key, {})
        if not isinstance(raw, dict):
            self.problem(key, "must be an object")
            return {}
        for name, one in raw.items():
            if not isinstance(one, str):
                self.problem(f"{key}.{name}", "must be text")
        return {name: one for name, one in raw.items() if isinstance(one, str)}

    def converted(self, field: str, value: Any, type_: type[_Record]) -> _Record | None:
        """A JSON value converted to a type; None, and a problem, if it has a wrong type."""
        try:
            return converted(value, type_)
        except msgspec.ValidationError as error:
            message, _, inside = str(error).partition(" - at `$")
            inside = inside.removesuffix("`")
            name, rule = rule_of_msgspec(message, fields_at(type_, inside))
            self.problem(field + inside + (f".{name}" if name else ""), rule)
        except UnicodeEncodeError:
            self.problem(field, "has half of a surrogate pair, which is not a character")
        return None
