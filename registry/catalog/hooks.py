"""Functions that belong to one toolkit, found by name and loaded when they are first needed.

They are in modules of the toolkit's folder: ``rules`` (arguments), ``composed`` (tools of several requests) and ``deleting``
(checks before a change). Code is loaded from the package ``registry.toolkits`` only: a folder that a user brings is data.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from registry.catalog.toolkit_files import folder_of, is_built_in

_PACKAGE = "registry.toolkits"


class HookError(LookupError):
    """A toolkit's data names a function that does not exist."""


def hook(folder: Path, module: str, name: str) -> Callable[..., Any]:
    """The function of that name in a module of a toolkit's folder.

    Raises:
        HookError: there is no such function, or the folder is not one that comes with Callboard.
    """
    found = _module(folder, module)
    if found is None:
        raise HookError(f"`{name}` is a function, and {folder.name} has no module `{module}` of Callboard's own")
    function = getattr(found, name, None)
    if not callable(function):
        raise HookError(f"{found.__name__} has no function `{name}`")
    return function  # type: ignore[no-any-return]


def optional_hook(toolkit: str, module: str, name: str) -> Callable[..., Any] | None:
    """The function of that name in a module of a toolkit, or None where the toolkit has none."""
    folder = folder_of(toolkit)
    found = _module(folder, module) if folder is not None else None
    return getattr(found, name, None)


@cache
def _module(folder: Path, name: str) -> ModuleType | None:
    if not is_built_in(folder):
        return None
    full_name = f"{_PACKAGE}.{folder.name}.{name}"
    try:
        return import_module(full_name)
    except ModuleNotFoundError as error:
        if error.name != full_name:
            raise
        return None
