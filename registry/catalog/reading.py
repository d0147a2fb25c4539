"""Reads the data files of toolkits, within limits, and turns their JSON into values of types; their problems are values, too.

A folder from elsewhere is not trusted: symbolic links are followed, but only regular files are opened, and nothing in them is
ever executed.

msgspec reads a type's annotations when it first meets the type, and another thread that meets the type in that moment
uses what is half read: the process ends with a segmentation fault. So each type is read once, under a lock (`converted`,
`decoded`), and `msgspec.convert` is called nowhere else.
"""

import json
import os
import re
import stat
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from msgspec import ValidationError, convert
from msgspec.json import Decoder

from registry.text.safe_text import shortened, visible_line

UNFIT = "contains control or invisible characters"


class CatalogProblem(NamedTuple):
    """A mistake: file (relative to the built-in toolkits, or its whole path), tool and field, if it is in one, and the rule."""

    file: str
    tool: str
    field: str
    message: str

    def __str__(self) -> str:
        parts = (self.file, shortened(self.tool, 120), shortened(self.field, 120), shortened(self.message, 600))
        return visible_line(": ".join(part for part in parts if part))


def unfit(value: Any, *path: str) -> str | None:
    """The field of the first text in a value that is not safe to show; None if all are."""
    match value:
        case str():
            return None if visible_line(value) == value else ".".join(path)
        case dict():
            for key, one in value.items():
                if (found := unfit(key, *path, "a name") or unfit(one, *path, key)) is not None:
                    return found
        case list():
            for place, one in enumerate(value):
                if (found := unfit(one, *path, str(place))) is not None:
                    return found
    return None


MOST_BYTES, MOST_FILES = 4_000_000, 200

T = TypeVar("T")
_FIELD = re.compile(r"Object (missing required|contains unknown) field `(.*)`", re.DOTALL)
_caches: list[Any] = []
_reading = Lock()
_decoders: dict[type, Decoder[Any]] = {}


def of_files(function: Callable[..., T]) -> Callable[..., T]:
    """Caches a function of the toolkits' files and folders, until `forget`."""
    cached = cache(function)
    _caches.append(cached)
    return cached


def forget() -> None:
    """Clear the caches of `of_files`: the toolkits have changed."""
    for one in _caches:
        one.cache_clear()


class Unreadable(ValueError):
    """A file that cannot be used; the text is the broken rule."""

    def at(self, file: str) -> CatalogProblem:
        """The same as a problem of the catalogue."""
        return CatalogProblem(file, "", "", str(self))


@of_files
def read_file(path: Path) -> Any:
    """A data file's JSON, cached.

    Raises:
        Unreadable: it cannot be read, is too large, or is not JSON.
    """
    try:
        return json.loads(bytes_of(path))
    except Unreadable:
        raise
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"is not JSON: {'it is nested too deeply' if isinstance(error, RecursionError) else error}") from None


def bytes_of(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file: a pipe would block until something is written to it, and a device might never end.

    Raises:
        OSError: it cannot be read.
        Unreadable: it is not a regular file, or is too large.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", 0) as file:
        known = os.fstat(file.fileno())
        if not stat.S_ISREG(known.st_mode):
            raise Unreadable("is not a file")
        content = file.read(min(known.st_size, most) + 1)
    if len(content) > most:
        raise Unreadable(f"is larger than {most:,} bytes")
    return content


def converted(value: Any, type_: type[T]) -> T:
    """A parsed JSON value as a type.

    Raises:
        msgspec.ValidationError: it does not fit the type; the message says where.
        UnicodeEncodeError: a text in it has half of a surrogate pair.
    """
    _decoder(type_)
    return convert(value, type_)


def decoded(text: bytes | str, type_: type[T]) -> T:
    """A JSON text as a type.

    Raises:
        msgspec.ValidationError: it does not fit the type; the message says where.
        msgspec.DecodeError: it is not JSON.
    """
    value: T = _decoder(type_).decode(text)
    return value


def in_words(error: ValidationError) -> tuple[str, str]:
    """The place of an error inside a value, empty or like ``.sections[0]``, and the rule that is broken there."""
    rule, _, place = str(error).partition(" - at `$")
    place = place.removesuffix("`")
    if found := _FIELD.fullmatch(rule):
        return f"{place}.{found[2]}", "is required" if found[1] == "missing required" else "is not a field here"
    return place, rule[:1].lower() + rule[1:]


def _decoder(type_: type[T]) -> Decoder[T]:
    """The decoder of a type, which has read the type and all types in it."""
    with _reading:
        if type_ not in _decoders:
            _decoders[type_] = Decoder(type_)
        return _decoders[type_]
