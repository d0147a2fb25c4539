"""Whether this run is shown in a browser, and which files it may then use.

``callboard serve`` starts a run for each tab with its own folder in `VARIABLE`. Saved files go there, and the browser gets them
as downloads; no other file is read or written at the user's request, because the user is at another machine.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "CALLBOARD_SERVED"
NO_FILES = "in a browser, only names of files of this tab are taken"


def served_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The folder for the files of a run in a browser; None for a run in a terminal."""
    named = environment.get(VARIABLE, "")
    return Path(named) if named else None


def out_of_reach(path: str | Path, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a path must not be read or written at the user's request. Follows links.

    Raises:
        OSError, RuntimeError, ValueError: the path cannot be followed.
    """
    folder = served_folder(environment)
    return folder is not None and not Path(os.path.expanduser(path)).resolve().is_relative_to(folder.resolve())


def check_reach(path: str | Path) -> None:
    """Raise PermissionError if a path is `out_of_reach`."""
    if out_of_reach(path):
        raise PermissionError(errno.EACCES, NO_FILES)
