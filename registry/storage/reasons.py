"""Why a file or a database could not be used, in words for people: which file, and the system's own words; never Python's."""

from __future__ import annotations

import os
from pathlib import Path

_LONGEST = 160
_DAMAGED = ("NOTADB", "CORRUPT")
"""How SQLite names the errors of a file that only its user can put right."""


def reason(error: Exception, file: Path | None = None) -> str:
    """Why something failed: ``/home/ada/x.json: Permission denied``.

    Args:
        error: what was raised; of other kinds than `OSError`, for instance a database's, its own words are given.
        file: what was used, where the error does not say so.
    """
    words, named = str(error), file
    if isinstance(error, OSError):
        words = error.strerror or (os.strerror(error.errno) if error.errno else "it cannot be read or written")
        if words.startswith("No usable temporary directory"):  # of Python, which lists where it has looked
            words = "no folder for temporary files can be written; set TMPDIR"
        if isinstance(error.filename, str | bytes):
            named = Path(os.fsdecode(error.filename))
    if getattr(error, "sqlite_errorname", "").partition("_")[2].startswith(_DAMAGED):
        words += "; move it away, and a new one is made"
    return words if named is None else f"{_short(str(named))}: {words}"


def is_local(error: BaseException) -> bool:
    """Whether a file or a folder that is there cannot be used, as far as a sentence about it has this for its cause."""
    return isinstance(error.__cause__, OSError) and not isinstance(error.__cause__, FileNotFoundError)


def _short(name: str) -> str:
    """A path that fits into a line."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 :]}"
