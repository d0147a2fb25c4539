"""Creates folders. All files of the program are in folders that only their owner can read.

`Path.mkdir` sets its mode only on the last folder, so its parents would stay readable by others. So folders are created only
here.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path

from platformdirs import user_config_path

OURS = "callboard"
"""The name of the program's own folder in the system's folders for state, caches, settings and data."""


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


def config_file(environment: Mapping[str, str]) -> Path:
    """The path of the settings: ``CALLBOARD_CONFIG``, or ``config.toml`` in the user's folder for settings."""
    if named := environment.get("CALLBOARD_CONFIG"):
        return Path(named)

    return user_config_path(OURS) / "config.toml"


_VARIABLES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def without_relative(environment: MutableMapping[str, str] = os.environ) -> Iterator[str]:
    """Ignore folders that are not absolute, as the XDG Base Directory Specification says; yields a sentence for each.

    A relative folder would give each working directory its own history and audit log.
    """
    for name in _VARIABLES:
        if (value := environment.get(name)) and not os.path.isabs(value):
            del environment[name]
            yield f"{name} is ignored: {value!r} is not an absolute path."
