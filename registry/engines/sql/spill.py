"""A private folder for data that does not fit into memory: removed after the query, or after ``kill -9`` by the next one."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from registry.files.folders import private_folder

_BEGINNING = "sql-"


class SpillFolder:
    """One folder, below the user's cache; if that cannot be written, below the system's temporary folder.

    Raises:
        OSError: neither of them can be written.
    """

    def __init__(self) -> None:
        from platformdirs import user_cache_path

        above: Path | None = None
        with suppress(OSError, UnicodeEncodeError):
            cache = user_cache_path("callboard")
            str(cache).encode()  # the database takes no other names
            above = private_folder(cache)
            _remove_left(above)
        self.path = Path(tempfile.mkdtemp(prefix=_BEGINNING, dir=above))
        self._remove = finalize(self, _removed, self.path, _locked(self.path))

    def remove(self) -> None:
        """Remove it with its contents."""
        self._remove()


def _locked(folder: Path) -> int | None:
    """The handle of a lock on a folder, which the system releases at the process's end; None if another process holds it."""
    with suppress(ImportError, OSError):
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise
        return handle
    return None


def _remove_left(above: Path) -> None:
    """Remove the folders of processes that were killed."""
    for folder in above.glob(f"{_BEGINNING}*"):
        if folder.is_dir() and not folder.is_symlink() and (handle := _locked(folder)) is not None:
            _removed(folder, handle)


def _removed(folder: Path, handle: int | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if handle is not None:
        os.close(handle)
