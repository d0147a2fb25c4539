"""Folders, and files that are read.

All files of the program are in folders that only their owner can read, which are created only here: `Path.mkdir` sets its mode
only on the last folder. Only regular files are opened, because opening a named pipe would wait for another program, perhaps for
ever. Damaged files are renamed, never overwritten.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from platformdirs import user_config_path

OURS = "callboard"
"""The name of the program's own folder in the system's folders for state, caches, settings and data."""

_VARIABLES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def private_folder(folder: Path) -> Path:
    """Create a folder and its missing parents, for its owner only (mode 0700); return it.

    Raises:
        OSError: it cannot be created, or is not a folder.
    """
    missing = [folder, *folder.parents]
    missing = missing[: next((place for place, one in enumerate(missing) if one.exists()), len(missing))]
    for one in reversed(missing):
        with suppress(FileExistsError):  # another program was first
            one.mkdir(mode=0o700)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    return folder


def names_in(folder: Path) -> list[str]:
    """The names in a folder, sorted; none if it does not exist yet.

    Raises:
        OSError: it cannot be read, is not a folder, or is a link to nothing.
    """
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        check_links(folder)
        return []


def check_links(path: Path) -> None:
    """Call this for a path that does not exist: what a link leads to, for instance on another disk, must not look empty.

    Raises:
        OSError: it, or a folder above it, is a link to nothing.
    """
    there = next((one for one in (path, *path.parents) if os.path.lexists(one)), None)
    if there is not None and not there.exists():
        raise OSError(errno.ENOLINK, "it is a link to something that does not exist", str(there))


def open_plain(file: Path) -> BinaryIO:
    """Open a file to read bytes.

    Raises:
        FileNotFoundError: there is none.
        OSError: it cannot be opened, or is a folder, a pipe, a device or a link to nothing; the null device is an empty file.
    """
    try:
        about = file.stat()
    except FileNotFoundError:
        check_links(file)
        raise
    if not (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)) and not os.path.samestat(about, os.stat(os.devnull)):
        raise OSError(errno.EINVAL, "it is not a regular file", str(file))
    return file.open("rb")  # a folder is refused by the system


def put_aside(file: Path, ending: str | None = None) -> Path | None:
    """Rename a damaged file to ``NAME.broken.json``, or to ``NAME.broken-2.json`` if that name is taken; returns its new name.

    Another ending is for folders in which every file with the old one is read. None: it could not be renamed.
    """
    ending = file.suffix if ending is None else ending
    names = (f"{file.stem}.broken{f'-{number}' if number else ''}" for number in (0, *range(2, 100)))
    with suppress(OSError):
        return next((file.replace(one) for name in names if not os.path.lexists(one := file.with_name(name + ending))), None)
    return None


def config_file(environment: Mapping[str, str]) -> Path:
    """The path of the settings: ``CALLBOARD_CONFIG``, or ``config.toml`` in the user's folder for settings."""
    named = environment.get("CALLBOARD_CONFIG")
    return Path(named) if named else user_config_path(OURS) / "config.toml"


def without_relative(environment: MutableMapping[str, str] = os.environ) -> Iterator[str]:
    """Ignore folders that are not absolute, as the XDG Base Directory Specification says; yields a sentence for each.

    A relative folder would give each working directory its own history and audit log.
    """
    for name in _VARIABLES:
        if (value := environment.get(name)) and not os.path.isabs(value):
            del environment[name]
            yield f"{name} is ignored: {value!r} is not an absolute path."
