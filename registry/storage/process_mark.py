"""A lock that shows other processes that this one is running, and that ends with it however it ends.

It is the lock of a file: the system holds it as long as the process lives and drops it at its end, also after ``kill -9``.
Unlike a process number it is never given to another one.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from registry.storage.folders import private_folder

_ENDING = ".running"


class ProcessMark:
    """The mark of this process; it is there as long as this object.

    Args:
        folder: where it lies.
    """

    def __init__(self, folder: Path) -> None:
        self.name = f"process-{os.getpid()}"  # where no file can be locked
        """By which others know it."""
        self._end: Callable[[], object] = lambda: None
        with suppress(ImportError, OSError):
            import fcntl

            name = uuid.uuid4().hex
            file = private_folder(folder) / f"{name}{_ENDING}"
            handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            self._end = finalize(self, _remove, handle, file)
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.name = name

    def end(self) -> None:
        """Take the mark away before its time."""
        self._end()


def is_running(folder: Path, name: str) -> bool:
    """Whether the process with a mark of this name is running. The file of one that was ended by force is removed."""
    if name.startswith("process-"):
        try:
            os.kill(int(name.removeprefix("process-")), 0)
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
