"""A small file that the program remembers things in: readable by its owner only, written whole, put in place at once."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_whole(file: Path, content: str) -> None:
    """Put a file in place; whoever reads meanwhile gets the old one or the new one. Raises OSError."""
    handle, temporary = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)  # readable by its owner only
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(content)
        Path(temporary).replace(file)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Make the file's folder, and wait until no other program reads and writes the file. Raises OSError."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield  # there the last one to write has the last word about everything
        return
    import fcntl

    handle = os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
