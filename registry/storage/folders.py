"""Makes folders. Everything that the program keeps lies in folders that only their owner can look into.

`Path.mkdir` sets its mode on the last folder only, so its parents would stay readable by others; and other programs (a shell,
an installer) may have made them. So folders are made only here.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

OURS = "callboard"
"""The name of the program's own folder, wherever the system has state, caches, settings and data."""


def private_folder(folder: Path) -> Path:
    """Make a folder, and all that are missing above it, for its owner alone (mode 0700); return it.

    Those that are there already are closed to others where they are the program's own: in a folder named ``callboard``.

    Raises:
        OSError: it cannot be made, or is no folder.
    """
    missing = [folder, *folder.parents]
    missing = missing[: next((place for place, one in enumerate(missing) if one.exists()), len(missing))]
    for one in reversed(missing):
        with suppress(FileExistsError):  # another program was first
            one.mkdir(mode=0o700)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    names = folder.parts
    for depth in range(names.index(OURS) + 1 if OURS in names else len(names) + 1, len(names) + 1):
        _close(Path(*names[:depth]))
    return folder


def config_file(environment: Mapping[str, str]) -> Path:
    """Where the settings are: ``CALLBOARD_CONFIG``, or ``config.toml`` in the user's folder for settings."""
    if named := environment.get("CALLBOARD_CONFIG"):
        return Path(named)
    from platformdirs import user_config_path  # the first frame does without where the variable is set

    return user_config_path(OURS) / "config.toml"


def open_folder(folder: Path) -> Path:
    """Make a folder of the user's own, such as the downloads, with the user's usual mode; return it.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _close(folder: Path) -> None:
    """Take the rights of others from a folder, where it is this user's. What cannot be changed stays."""
    with suppress(OSError):
        found = folder.stat()
        if found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)
