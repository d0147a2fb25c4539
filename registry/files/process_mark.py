"""Marks of running processes: others find out whether the process that wrote something is still there.

The mark of a process is the lock of a file: the system releases it when the process ends, also after ``kill -9``. Unlike a
process id it is never used again.
"""

import fcntl
import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from registry.files.folders import private_folder


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
