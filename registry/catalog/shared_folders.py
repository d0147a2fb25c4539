"""Finds and reads the files of folders that a team shares, within limits: they are not trusted, and never changed.

The folders are those of ``shared`` in the section ``[team]`` of ``config.toml``, or of ``CALLBOARD_SHARED`` instead. Links are
not followed, and a bad file does not affect the others.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from registry.catalog.folders import bytes_of
from registry.files.folders import config_file, reason
from registry.files.toml_text import section_in
from registry.text.shown import shortened, visible_line

VARIABLE = "CALLBOARD_SHARED"
"""Folders, separated by commas; overrides the setting in the file, even if empty."""

Kind = Literal["saved", "presets", "playbooks", "pages"]
KINDS: tuple[Kind, ...] = ("saved", "presets", "playbooks", "pages")
"""The kinds of shared files, each in a folder with that name; ``presets`` and ``playbooks`` are of earlier versions."""

MOST_FOLDERS = 20
MOST_FILES = 500
"""Files of one kind in one folder; with more, the first by name are read."""
MOST_BYTES = 262_144
"""The largest size of one file."""
_LONGEST_NAME = 40
_UNFIT = re.compile(r"[^\w.-]+")


class SharedFolder(NamedTuple):
    """A shared folder: its unique name in lists, made from its own name, and its path."""

    name: str
    path: Path


class SharedFile(NamedTuple):
    """A file of a shared folder: the folder's name, its path, and its bytes."""

    folder: str
    path: Path
    content: bytes

    @property
    def shown(self) -> str:
        """The file in words."""
        return f"{self.folder}: {visible_line(self.path.name)}"


class SharedFiles(NamedTuple):
    """The files of one kind in all shared folders, in the order of the setting, and notices about files that were not read."""

    files: tuple[SharedFile, ...] = ()
    notices: tuple[str, ...] = ()


def shared_setting(environment: Mapping[str, str] = os.environ) -> tuple[tuple[SharedFolder, ...], tuple[str, ...]]:
    """The shared folders in the setting, and its problems in words. Reads the settings' file if the variable is not set."""
    place = VARIABLE if VARIABLE in environment else "[team] shared"
    in_variable = [text for text in map(str.strip, environment.get(VARIABLE, "").split(",")) if text]
    texts = in_variable if VARIABLE in environment else section_in(config_file(environment), "team").get("shared", [])
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        return (), (f"{place} must be a list of folders, in quotes",)
    problems = [f"{place}: only the first {MOST_FOLDERS} are used"] if len(texts) > MOST_FOLDERS else []
    folders: dict[str, Path] = {}
    for text in dict.fromkeys(texts[:MOST_FOLDERS]):
        path = Path(os.path.expanduser(text))
        if path.is_absolute() and visible_line(text) == text:
            name = _UNFIT.sub("-", path.name).strip("-.")[:_LONGEST_NAME] or "shared"
            folders[name if name not in folders else f"{name}-{len(folders) + 1}"] = path
        else:
            words = "is not the full path of a folder; clone a repository yourself, and name the folder of the clone"
            # The part before an @ may be a credential.
            problems.append(f"{place}: {shortened(visible_line(re.sub(r'//[^/@]*@', '//…@', text)), 80)} {words}")
    return tuple(SharedFolder(name, path) for name, path in folders.items()), tuple(problems)


def shared_folders(environment: Mapping[str, str] = os.environ) -> tuple[SharedFolder, ...]:
    """The shared folders."""
    return shared_setting(environment)[0]


def shared_files(kind: Kind, folders: Sequence[SharedFolder]) -> SharedFiles:
    """Every file of a kind. Files that cannot be read are reported, never raised."""
    found: list[SharedFile] = []
    notices: list[str] = []
    for folder in folders:
        try:
            # Raise if the folder is missing: an empty list would look as if nothing were shared.
            os.stat(folder.path)
            paths, problems = list(islice(_paths(folder.path / kind), MOST_FILES + 1)), list[str]()
        except OSError as error:
            paths, problems = [], [f"cannot be read: {reason(error)}"]
        for path in paths[:MOST_FILES]:
            if path.is_symlink():
                problems.append(f"{path.name} is a link, and links are not followed")
                continue
            try:
                found.append(SharedFile(folder.name, path, bytes_of(path, MOST_BYTES)))
            except FileNotFoundError:
                pass  # somebody has just deleted it
            except (OSError, ValueError) as error:
                problems.append(f"{path.name} {reason(error) if isinstance(error, OSError) else error}")
        if len(paths) > MOST_FILES:
            problems.append(f"only the first {MOST_FILES} files in {kind} are read")
        notices += [visible_line(f"{folder.name}: {words}") for words in problems]
    return SharedFiles(tuple(found), tuple(notices))


def _paths(folder: Path) -> Iterator[Path]:
    """The files below a folder by name; not below links."""
    for here, below, names in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield from (Path(here, name) for name in sorted(names) if name.endswith(".json") and not name.startswith("."))
