"""Finds toolkits. Each is a folder with a ``service.json`` and tools below ``tools/``.

They come, in this order, from Callboard itself, from installed distributions (entry points of the group `GROUP`, whose values
are ``package`` or ``package:folder``), from the folders in ``CALLBOARD_TOOLKITS`` (separated as in PATH; each a toolkit
or a folder of toolkits), from ``toolkits`` in the user's settings folder, and from ``toolkits`` in the user's data folder,
where ``callboard toolkit add`` writes them.

No package is imported, and no code in a folder is run.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from importlib.metadata import EntryPoint, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

from platformdirs import user_config_path, user_data_path

from registry.catalog.reading import CatalogProblem, of_files

BUILT_IN = Path(__file__).parent.parent / "toolkits"
GROUP = "callboard.toolkits"
SERVICE = "service.json"
T = TypeVar("T")
_PART = re.compile(r"[A-Za-z0-9_-]+")
_HOMES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
"""The variables that say where the user's folders are."""


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


def toolkit_folders(environment: Mapping[str, str] = os.environ) -> Found:
    """Every toolkit's folder. Cached for the same settings."""
    return _found(environment.get("CALLBOARD_TOOLKITS", ""), tuple(map(os.environ.get, _HOMES)), tuple(sys.path))


def of_folders(function: Callable[[Found], T]) -> Callable[..., T]:
    """Caches a function of the found folders; without an argument the function gets all folders."""
    cached = of_files(function)

    @wraps(function)
    def call(found: Found | None = None) -> T:
        return cached(toolkit_folders() if found is None else found)

    return call


@of_files
def built_in() -> Found:
    """The toolkits that come with Callboard."""
    names = sorted(name for name in os.listdir(BUILT_IN) if os.path.isfile(BUILT_IN / name / SERVICE))
    return Found(tuple(ToolkitFolder(BUILT_IN / name, built_in=True, trusted=True) for name in names))


@of_files
def _found(named: str, _homes: tuple[str | None, ...], path: tuple[str, ...]) -> Found:
    homes = user_config_path("callboard") / "toolkits", kept_toolkits()
    folders = list(built_in().folders)
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
