"""Writes files atomically: a reader sees the old file or the new one, never a part.

A temporary file is written in the same folder, readable by its owner only, and renamed when it is complete. An existing file is
replaced only on request.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from registry.files.folders import private_folder

# The errors of a file system without hard links.
_NO_LINKS = {errno.EPERM, errno.EACCES, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}


_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_BETWEEN_TRIES = 0.02
_UNFINISHED = ".unfinished"
_LONGEST_STEM = 56
"""Characters of a target's name in that of its temporary file, which may have 255 bytes."""


def file_name(text: str, otherwise: str) -> str:
    """A text as a file's name without ending: invalid characters are replaced; `otherwise` if nothing remains."""
    return _UNFIT.sub("-", text).strip("-.")[:100] or otherwise


class UnnamedFile:
    """A temporary file. Write its bytes to `file`; `place` gives it its final name."""

    def __init__(self, file: BinaryIO, temporary: Path) -> None:
        self.file = file
        self._temporary = temporary

    def place(self, final: Path, *, replace: bool = False) -> None:
        """Give the file its final name, in the folder in which it was created.

        Raises:
            FileExistsError: the name is taken, and the file may not be replaced.
            OSError: it could not be renamed.
        """
        if not self.file.closed:  # `place` may be called again if the first name was taken
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()  # Windows cannot rename an open file
        if replace:
            os.replace(self._temporary, final)
            return
        try:
            # A link fails if the name is taken, so no file is ever overwritten.
            os.link(self._temporary, final)
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            os.close(os.open(final, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            os.replace(self._temporary, final)


@contextmanager
def unnamed_file(folder: Path, stem: str) -> Iterator[UnnamedFile]:
    """A temporary file in an existing folder; it is removed at the end unless it was placed.

    What a killed process left behind of a file with the same stem is removed as well.

    Raises:
        OSError: the file cannot be created or written.
    """
    handle, name = _locked_file(folder, f".{stem[:_LONGEST_STEM]}-")
    # Held until the file has its name, although `place` closes the file before. Windows has no such locks.
    lock = os.dup(handle) if sys.platform != "win32" else None
    try:
        with os.fdopen(handle, "wb") as file:
            yield UnnamedFile(file, Path(name))
    finally:
        if lock is not None:
            os.close(lock)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def _locked_file(folder: Path, beginning: str) -> tuple[int, str]:
    """Create a temporary file that is locked as long as it is open, and remove those of processes that were killed."""
    while True:
        handle, name = tempfile.mkstemp(_UNFINISHED, beginning, folder)
        if _lock_now(handle) and not _is_at(Path(name), handle):
            os.close(handle)  # removed by another process just before it was locked
            continue
        _remove_abandoned(folder, beginning, Path(name).name)
        return handle, name


def _remove_abandoned(folder: Path, beginning: str, own: str) -> None:
    names: list[str] = []
    with contextlib.suppress(OSError):  # a folder may be writable only
        names = os.listdir(folder)
    for name in names:
        if name.startswith(beginning) and name.endswith(_UNFINISHED) and name != own:
            with contextlib.suppress(OSError):
                handle = os.open(folder / name, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
                try:
                    if _lock_now(handle):  # the process that wrote it has ended
                        os.unlink(folder / name)
                finally:
                    os.close(handle)


def _lock_now(handle: int) -> bool:
    """Lock an open file until it is closed; False if another process holds it, or the system has no locks."""
    with contextlib.suppress(ImportError, OSError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def replace_text(file: Path, content: str) -> None:
    """Write a text file, or replace it; readable by its owner only.

    Raises:
        OSError: it could not be written; the file is unchanged.
    """
    with unnamed_file(file.parent, file.name) as written:
        written.file.write(content.encode("utf-8"))
        written.place(file, replace=True)


@contextmanager
def file_lock(file: Path, patience: float | None = None) -> Iterator[None]:
    """Create the file's folder, and hold the lock of this file; waits while another process holds it.

    Args:
        file: the file to lock, by means of a file beside it.
        patience: seconds to wait; None for no limit.

    Raises:
        TimeoutError: another process held it all the time.
        OSError: the folder or the lock cannot be created.
    """
    private_folder(file.parent)
    if sys.platform == "win32":
        yield  # the system has no locks: the last process to write wins
        return

    lock = lock_of(file)
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if patience is None:
                fcntl.flock(handle, fcntl.LOCK_EX)
            else:
                _lock_within(handle, patience)
            if _is_at(lock, handle):
                yield
                return
            # The former holder has removed the file: others would lock a new one.
        finally:
            os.close(handle)


def lock_of(file: Path) -> Path:
    """The file beside a file that `file_lock` locks. Only its holder may remove it."""
    return file.with_suffix(".lock")


def _is_at(path: Path, handle: int) -> bool:
    """Whether an open file is still the one with this path."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _lock_within(handle: int, patience: float) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT)) from None
            time.sleep(_BETWEEN_TRIES)
        else:
            return
