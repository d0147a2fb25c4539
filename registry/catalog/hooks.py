"""Functions that belong to one toolkit, found by name and imported on first use.

They are in modules of the toolkit's folder: ``rules`` (arguments), ``composed`` (tools with several requests) and ``deleting``
(checks before a change). Code is imported only from the package ``registry.toolkits``: a user's folder is data only.
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
    full_name = f"{_PACKAGE}.{folder.name}.{name}"
    try:
        return import_module(full_name)
    except ModuleNotFoundError as error:
        if error.name != full_name:
            raise
        return None
