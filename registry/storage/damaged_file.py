"""Keeps what cannot be understood: it is put aside under a name of its own and never overwritten, to be repaired."""

from __future__ import annotations

import os
from pathlib import Path

_MOST = 100


def put_aside(file: Path, ending: str | None = None) -> Path | None:
    """Rename a damaged file to ``NAME.broken.json``, or ``NAME.broken-2.json`` where that is taken.

    Args:
        file: a damaged file.
        ending: the new ending, for folders of which every file with the old one is read.

    Returns:
        its new name; None where it could not be renamed, and is left in place.
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
