"""Finds the folders of toolkits, and reads their files, within limits, as values of types.

A folder from elsewhere is not trusted: symbolic links are followed, but only regular files are opened, and nothing in them is
ever executed.

msgspec reads a type's annotations when it first meets the type, and another thread that meets the type in that moment
uses what is half read: the process ends with a segmentation fault. So types are read under a lock (`converted`, `decoded`),
and `msgspec.convert` is called nowhere else.

They come, in this order, from Callboard itself, from installed distributions (entry points of the group `GROUP`, whose values
are ``package`` or ``package:folder``), from the folders in ``CALLBOARD_TOOLKITS`` (separated as in PATH; each a toolkit
or a folder of toolkits), from ``toolkits`` in the user's settings folder, and from ``toolkits`` in the user's data folder,
where ``callboard toolkit add`` writes them.

No package is imported, and no code in a folder is run.
"""

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, distributions
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, TypeVar

from msgspec import ValidationError, convert
from msgspec.json import decode
from platformdirs import user_config_path, user_data_path

from registry.text.shown import shortened, visible_line

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
_reading = RLock()


def of_files(function: Callable[..., T]) -> Callable[..., T]:
    """Caches a function of the toolkits' files and folders, until `forget`."""
    cached = cache(function)
    _caches.append(cached)
    return cached


def forget() -> None:
    """Clear the caches of `of_files`: the toolkits have changed."""
    for one in _caches:
        one.cache_clear()


@of_files
def read_file(path: Path) -> Any:
    """A data file's JSON, cached.

    Raises:
        ValueError: it cannot be read, is too large, or is not JSON; the text says so.
    """
    try:
        text = bytes_of(path)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON: {'it is nested too deeply' if isinstance(error, RecursionError) else error}") from None


def bytes_of(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file: a pipe would block until something is written to it, and a device might never end.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not a regular file, or is too large.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", 0) as file:
        known = os.fstat(file.fileno())
        if not stat.S_ISREG(known.st_mode):
            raise ValueError("is not a file")
        content = file.read(min(known.st_size, most) + 1)
    if len(content) > most:
        raise ValueError(f"is larger than {most:,} bytes")
    return content


def converted(value: Any, type_: type[T]) -> T:
    """A parsed JSON value as a type.

    Raises:
        msgspec.ValidationError: it does not fit the type; the message says where.
        UnicodeEncodeError: a text in it has half of a surrogate pair.
    """
    with _reading:
        return convert(value, type_)


def decoded(text: bytes | str, type_: type[T]) -> T:
    """A JSON text as a type.

    Raises:
        msgspec.ValidationError: it does not fit the type; the message says where.
        msgspec.DecodeError: it is not JSON.
    """
    with _reading:
        return decode(text, type=type_)


def in_words(error: ValidationError) -> tuple[str, str]:
    """The place of an error inside a value, empty or like ``.sections[0]``, and the rule that is broken there."""
    rule, _, place = str(error).partition(" - at `$")
    place = place.removesuffix("`")
    if found := _FIELD.fullmatch(rule):
        return f"{place}.{found[2]}", "is required" if found[1] == "missing required" else "is not a field here"
    return place, rule[:1].lower() + rule[1:]


BUILT_IN = Path(__file__).parent.parent / "toolkits"
GROUP = "callboard.toolkits"
SERVICE = "service.json"
_PART = re.compile(r"[A-Za-z0-9_-]+")
_HOMES = ("USERPROFILE", "APPDATA", "LOCALAPPDATA") if os.name == "nt" else ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
"""The variables that say where the user's folders are: read for every object of a response, and by every check."""


class ToolkitFolder(NamedTuple):
    """A toolkit's folder.

    Attributes:
        path: where it is.
        built_in: it comes with Callboard; only such folders may have code.
        kept: ``callboard toolkit add`` wrote it.
        trusted: its service and tools were checked before and are used as they are.
    """

    path: Path
    built_in: bool = False
    kept: bool = False
    trusted: bool = False

    def named(self, path: Path) -> str:
        """The name of a file in this folder, for messages."""
        return path.relative_to(BUILT_IN).as_posix() if self.built_in else str(path)


class Found(NamedTuple):
    """The folders in which toolkits were found, and problems with named folders that are not toolkits."""

    folders: tuple[ToolkitFolder, ...]
    problems: tuple[CatalogProblem, ...] = ()


SHIPPED = Found(tuple(ToolkitFolder(one.parent, built_in=True, trusted=True) for one in sorted(BUILT_IN.glob(f"*/{SERVICE}"))))
"""The toolkits that come with Callboard."""


def toolkit_folders(environment: Mapping[str, str] = os.environ) -> Found:
    """Every toolkit's folder. Cached for the same settings."""
    return _found(environment.get("CALLBOARD_TOOLKITS", ""), tuple(map(os.environ.get, _HOMES)), tuple(sys.path))


@of_files
def _found(named: str, _homes: tuple[str | None, ...], path: tuple[str, ...]) -> Found:
    homes = user_config_path("callboard") / "toolkits", kept_toolkits()
    folders = list(SHIPPED.folders)
    problems: list[CatalogProblem] = []
    for point in (point for one in distributions(path=list(path)) for point in one.entry_points.select(group=GROUP)):
        source = _folder_of(point)
        if source is None or not (source / SERVICE).is_file():
            problems.append(CatalogProblem(point.name, "", point.value, f"is not a folder with a {SERVICE}"))
        else:
            folders.append(ToolkitFolder(source))
    places = [(text, "CALLBOARD_TOOLKITS", Path(os.path.expanduser(text))) for text in named.split(os.pathsep) if text]
    places += [(str(home), "", home) for home in homes if os.path.lexists(home)]
    for label, field, place in places:
        try:
            below = list(toolkits_in(place))
            why = "" if below or not field else f"has no {SERVICE}, and none of its folders has one"
        except (OSError, RuntimeError, ValueError) as error:
            below, why = [], f"cannot be read: {getattr(error, 'strerror', None) or error}"
        if why:
            problems.append(CatalogProblem(label, "", field, why))
        is_kept = not field and place == homes[1]
        folders += [one._replace(kept=is_kept, trusted=is_kept) for one in below]
    # The same folder may be named twice, for example through a symbolic link.
    different: dict[str, ToolkitFolder] = {}
    for folder in folders:
        different.setdefault(os.path.realpath(folder.path), folder)
    return Found(tuple(different.values()), tuple(problems))


def toolkits_in(folder: Path) -> Iterator[ToolkitFolder]:
    """The folder itself if it is a toolkit, otherwise the toolkits directly in it."""
    folder = folder.absolute()
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries)
    if SERVICE in names or "tools" in names:
        yield ToolkitFolder(folder)
        return
    for name in names:
        if not name.startswith(".") and any((folder / name / sign).exists() for sign in (SERVICE, "tools")):
            yield ToolkitFolder(folder / name)


def _folder_of(point: EntryPoint) -> Path | None:
    """The folder that ``package``, ``package.sub`` or ``package:folder`` names; None if there is none."""
    # Only the first package is looked up: looking up a package inside it would import it.
    parts = [part for part in point.value.replace(":", ".").split(".") if part]
    if not parts or not parts[0].isidentifier() or not all(_PART.fullmatch(part) for part in parts):
        return None
    first, *others = parts
    try:
        spec = find_spec(first)
    except (ImportError, ValueError):
        return None
    places = spec.submodule_search_locations if spec is not None and spec.submodule_search_locations else ()
    return next((folder for place in places if (folder := Path(place, *others)).is_dir()), None)


def kept_toolkits() -> Path:
    """The folder of added toolkits, in the user's data folder."""
    return user_data_path("callboard") / "toolkits"
