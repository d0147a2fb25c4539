"""Writes files atomically, locks them for one process at a time, and marks processes that are running.

A reader sees the old file or the new one, never a part: a temporary file is written in the same folder, readable by its owner
only, and renamed when it is complete. An existing file is replaced only on request.

The mark of a process is the lock of a file, too: the system releases it when the process ends, also after ``kill -9``. Unlike a
process id it is never used again.
"""

from __future__ import annotations

import errno
import fcntl
import math
import os
import re
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from weakref import finalize

from registry.files.folders import private_folder

_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_BETWEEN_TRIES = 0.02
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
            self.file.close()
        if not replace:
            try:
                os.link(self._temporary, final)  # fails if the name is taken, so no file is ever overwritten
                return
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                os.close(os.open(final, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        os.replace(self._temporary, final)


@contextmanager
def unnamed_file(folder: Path, stem: str) -> Iterator[UnnamedFile]:
    """A temporary file in an existing folder; it is removed at the end unless it was placed.

    Raises:
        OSError: the file cannot be created or written.
    """
    handle, name = tempfile.mkstemp(".unfinished", f".{stem[:_LONGEST_STEM]}-", folder)
    try:
        with os.fdopen(handle, "wb") as file:
            yield UnnamedFile(file, Path(name))
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def replace_text(file: Path, content: str) -> None:
    """Write a text file, or replace it; readable by its owner only.

    Raises:
        OSError: it could not be written; the file is unchanged.
    """
    with unnamed_file(file.parent, file.name) as written:
        written.file.write(content.encode("utf-8"))
        written.place(file, replace=True)


@contextmanager
def file_lock(file: Path, patience: float = math.inf) -> Iterator[None]:
    """Create the file's folder, and hold the lock of this file. Waits so many seconds while another process holds it.

    Raises:
        TimeoutError: another process held it all the time.
        OSError: the folder or the lock cannot be created.
    """
    private_folder(file.parent)
    lock, until = file.with_suffix(".lock"), time.monotonic() + patience
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if _is_locked(handle, lock):
                yield
                return
            if time.monotonic() > until:
                raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
            time.sleep(_BETWEEN_TRIES)
        finally:
            os.close(handle)


def _is_locked(handle: int, lock: Path) -> bool:
    """Lock an open file; whether that was possible, and it still has this path: others would lock a new one."""
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(handle), os.stat(lock))
    return False


class ProcessMark:
    """The mark of this process, a file in a folder, as long as this object exists; others check it by its `name`."""

    def __init__(self, folder: Path) -> None:
        self.name = uuid.uuid4().hex
        self.end: Callable[[], object] = lambda: None  # removes the mark
        with suppress(OSError):
            private_folder(folder)
            file = folder / f"{self.name}.running"
            # Locked before it has its name: nobody can take it for the file of a process that was killed.
            new = file.with_suffix(".new")
            handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            self.end = finalize(self, _remove, handle, file)
            fcntl.flock(handle, fcntl.LOCK_EX)
            new.rename(file)
            for left in folder.glob("*.running"):  # files of processes that were killed
                is_running(folder, left.stem)


def is_running(folder: Path, name: str) -> bool:
    """Whether the process with this mark is running. The file of a process that was killed is removed."""
    file = folder / f"{name}.running"
    try:
        handle = os.open(file, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        file.unlink(missing_ok=True)
        return False
    finally:
        os.close(handle)


def _remove(handle: int, file: Path) -> None:
    with suppress(OSError):
        os.close(handle)
        file.unlink()
