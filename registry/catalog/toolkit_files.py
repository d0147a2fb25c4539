"""Finds the folder of a toolkit, and reads its optional JSON files entry by entry.

An invalid entry becomes a problem that names file, field and rule; everything else in the file is used. Tools and services from
elsewhere are checked by pydantic (`checking`); these files, which are read at every start, by msgspec, which imports in a
fraction of the time.

Functions that belong to one toolkit are found by name and imported on first use. They are in modules of its folder: ``rules``
(arguments), ``composed`` (tools with several requests) and ``deleting`` (checks before a change). Code is imported only from
the package ``registry.toolkits``: a user's folder is data only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import msgspec

from registry.catalog.folders import BUILT_IN
from registry.catalog.loader import folders
from registry.catalog.problems import UNFIT, CatalogProblem, unfit
from registry.catalog.reading import Unreadable, converted, in_words, read_file

_Record = TypeVar("_Record")


def folder_of(toolkit: str) -> Path | None:
    """The folder of the toolkit with a name; None if it has none."""
    found = folders().get(toolkit)
    return found.path if found is not None else None


def data_folders() -> tuple[Path, ...]:
    """The folders of all toolkits, in display order."""
    return tuple(folder.path for folder in folders().values())


def is_built_in(folder: Path) -> bool:
    """Whether a toolkit's folder comes with Callboard. Only these may have code."""
    return folder.parent == BUILT_IN


class ToolkitFile:
    """The content of one file; empty if the folder does not have it.

    Args:
        folder: the toolkit's folder, or another one.
        name: the file's name.
        keys: its keys; others are errors.
        content: its content if it was read already.

    Attributes:
        folder: the folder.
        problems: the errors in the file, in the order in which it was read.
    """

    def __init__(self, folder: Path, name: str, keys: Collection[str], content: Any = None) -> None:
        self.folder = folder
        self.problems: list[CatalogProblem] = []
        self._file = f"{folder.name}/{name}" if is_built_in(folder) else str(folder / name)
        self._content: dict[str, Any] = {}
        try:
            if content is None:
                content = read_file(folder / name) if (folder / name).exists() else {}
        except Unreadable as error:
            self.problems.append(error.at(self._file))
        else:
            if isinstance(content, dict):
                self._content = content
            else:
                self.problem("", "must be an object")
        for key in self._content:
            if key not in keys and key != "$schema":
                self.problem(key, f"is not a field here; there are: {', '.join(keys)}")

    def problem(self, field: str, message: str) -> None:
        """Add an error in a field."""
        self.problems.append(CatalogProblem(self._file, "", field, message))

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

    def listed(self, key: str, type_: type[_Record]) -> list[_Record]:
        """The entries of the list under a key, without those of a wrong type."""
        raw = self.value(key, list[object], [])
        found = [self.converted(f"{key}[{place}]", one, type_) for place, one in enumerate(raw)]
        return [one for one in found if one is not None]

    def text(self, key: str) -> str:
        """The text under a key; empty if there is none."""
        return self.value(key, str, "")

    def texts(self, key: str) -> dict[str, str]:
        """The entries of the object under a key that are text and safe to show; others are left out."""
        found = self.entries(key, str)
        for name in [name for name, text in found.items() if unfit(text) is not None]:
            self.problem(f"{key}.{name}", UNFIT)
            del found[name]
        return found

    def converted(self, field: str, value: Any, type_: type[_Record]) -> _Record | None:
        """A JSON value converted to a type; None, and a problem, if it has a wrong type."""
        try:
            return converted(value, type_)
        except msgspec.ValidationError as error:
            inside, rule = in_words(error)
            self.problem(field + inside, rule)
        except UnicodeEncodeError:
            self.problem(field, "has half of a surrogate pair, which is not a character")
        return None


class HookError(LookupError):
    """A toolkit's data names a function that does not exist."""


def hook(folder: Path, module: str, name: str) -> Callable[..., Any]:
    """The function with a name in a module of a toolkit's folder.

    Raises:
        HookError: there is no such function, or the folder does not come with Callboard.
    """
    found = _module(folder, module)
    if found is None:
        raise HookError(f"`{name}` is a function, and {folder.name} has no module `{module}` of Callboard's own")
    function = getattr(found, name, None)
    if not callable(function):
        raise HookError(f"{found.__name__} has no function `{name}`")
    return function  # type: ignore[no-any-return]


def optional_hook(toolkit: str, module: str, name: str) -> Callable[..., Any] | None:
    """The function with a name in a module of a toolkit; None if the toolkit does not have it."""
    folder = folder_of(toolkit)
    found = _module(folder, module) if folder is not None else None
    return getattr(found, name, None)


@cache
def _module(folder: Path, name: str) -> ModuleType | None:
    if not is_built_in(folder):
        return None
    full_name = f"registry.toolkits.{folder.name}.{name}"
    try:
        return import_module(full_name)
    except ModuleNotFoundError as error:
        if error.name != full_name:
            raise
        return None
