"""A lock that shows other processes that this one is running; it ends with the process in any case.

It is the lock of a file: the system releases it when the process ends, also after ``kill -9``. Unlike a process id it is never
used again.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from registry.files.folders import private_folder

_ENDING, _UNLOCKED = ".running", "process-"


class ProcessMark:
    """The mark of this process; it exists as long as this object.

    Args:
        folder: the folder of its file.
    """

    def __init__(self, folder: Path) -> None:
        self.name = f"{_UNLOCKED}{os.getpid()}"  # if no file can be locked
        """The name by which other processes check it."""
        self._end: Callable[[], object] = lambda: None
        with suppress(ImportError, OSError):
            private_folder(folder)
            while self.name.startswith(_UNLOCKED):
                name = uuid.uuid4().hex
                file = folder / f"{name}{_ENDING}"
                handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
                self._end = finalize(self, _remove, handle, file)
                fcntl.flock(handle, fcntl.LOCK_EX)
                if file.exists():
                    self.name = name
                else:  # another process took it for the file of one that was killed, just before it was locked
                    self._end()
            _remove_abandoned(folder)

    def end(self) -> None:
        """Remove the mark."""
        self._end()


def is_running(folder: Path, name: str) -> bool:
    """Whether the process with this mark is running. The file of a process that was killed is removed."""
    if name.startswith(_UNLOCKED):
        try:
            os.kill(int(name.removeprefix(_UNLOCKED)), 0)
        except PermissionError:
            return True
        except (OSError, ValueError):
            return False
        return True
    file = folder / f"{name}{_ENDING}"
    try:
        handle = os.open(file, os.O_RDWR)
    except OSError:
        return False
    try:
        import fcntl

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
    with suppress(OSError):
        file.unlink()


def _remove_abandoned(folder: Path) -> None:
    """Remove the files of processes that were killed."""
    for name in os.listdir(folder):
        if name.endswith(_ENDING):
            is_running(folder, name.removesuffix(_ENDING))
