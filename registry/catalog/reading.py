"""Reads the data files of toolkits, within limits: a folder from elsewhere is not trusted.

Symbolic links are followed. Only regular files are opened, and nothing in them is ever executed.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from registry.catalog.problems import CatalogProblem

MOST_BYTES, MOST_FILES = 4_000_000, 200

_OF_FILES: list[Any] = []
T = TypeVar("T")


def of_files(function: Callable[..., T]) -> Callable[..., T]:
    """Caches a function of a toolkit's files, until `forget_files`."""
    cached = cache(function)
    _OF_FILES.append(cached)
    return cached


def forget_files() -> None:
    """Clear the caches of `of_files`: the toolkits' files have changed."""
    for one in _OF_FILES:
        one.cache_clear()


class Unreadable(Exception):
    """A file that cannot be used: the broken rule, and the line if the JSON error has one."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line

    def at(self, file: str) -> CatalogProblem:
        """The same as a problem of the catalogue."""
        return CatalogProblem(file, "", "", str(self), self.line)


@of_files
def read_file(path: Path) -> Any:
    """A data file's JSON, cached.

    Raises:
        Unreadable: it cannot be read, is too large, or is not JSON.
    """
    try:
        return json.loads(content_of(path))
    except json.JSONDecodeError as error:
        raise Unreadable(f"is not JSON: {error.msg} (column {error.colno})", error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"is not JSON: {'it is nested too deeply' if isinstance(error, RecursionError) else error}") from None


def content_of(path: Path) -> bytes:
    """A data file's bytes.

    Raises:
        Unreadable: it cannot be read, or is too large.
    """
    try:
        # A pipe would block until something is written to it, and a device might never end.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", 0) as file:
            known = os.fstat(file.fileno())
            if not stat.S_ISREG(known.st_mode):
                raise Unreadable("is not a file")
            content = file.read(min(known.st_size, MOST_BYTES) + 1)
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise Unreadable("cannot be read: its name is not a path") from None
    if len(content) > MOST_BYTES:
        raise Unreadable(f"is larger than {MOST_BYTES:,} bytes")
    return content
