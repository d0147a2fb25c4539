"""Renames damaged files, so that they are never overwritten and can be repaired."""

from __future__ import annotations

import os
from pathlib import Path

_MOST = 100


def put_aside(file: Path, ending: str | None = None) -> Path | None:
    """Rename a damaged file to ``NAME.broken.json``, or to ``NAME.broken-2.json`` if that name is taken.

    Args:
        file: a damaged file.
        ending: the new ending, for folders in which every file with the old ending is read.

    Returns:
        the new name; None if the file could not be renamed, and was left in place.
    """
    ending = file.suffix if ending is None else ending
    for number in range(1, _MOST):
        aside = file.with_name(f"{file.stem}.broken{'' if number == 1 else f'-{number}'}{ending}")
        try:
            if not os.path.lexists(aside):
                return file.replace(aside)
        except OSError:
            return None
    return None
