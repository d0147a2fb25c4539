"""Why a file or a database could not be used, in words: the file and the system's message, never Python's."""

from __future__ import annotations

import os
from pathlib import Path

_LONGEST = 160
_DAMAGED = ("NOTADB", "CORRUPT")
"""SQLite's names for errors of a file that only its user can repair."""


def reason(error: Exception, file: Path | None = None) -> str:
    """Why something failed: ``/home/ada/x.json: Permission denied``; `file` is for errors that do not name it.

    For types other than `OSError`, for instance a database's, the error's own message is used.
    """
    words, named = str(error), file
    if isinstance(error, OSError):
        words = error.strerror or (os.strerror(error.errno) if error.errno else "it cannot be read or written")
        if words.startswith("No usable temporary directory"):  # Python's message, which lists all folders that it tried
            words = "no folder for temporary files can be written; set TMPDIR"
        if isinstance(error.filename, str | bytes):
            named = Path(os.fsdecode(error.filename))
    if getattr(error, "sqlite_errorname", "").partition("_")[2].startswith(_DAMAGED):
        words += "; move it away, and a new one is made"
    return words if named is None else f"{_short(str(named))}: {words}"


def is_local(error: BaseException) -> bool:
    """Whether an error's cause is an existing file or folder that cannot be used."""
    return isinstance(error.__cause__, OSError) and not isinstance(error.__cause__, FileNotFoundError)


def _short(name: str) -> str:
    """A path, shortened to fit into a line."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 :]}"
