"""Which files a run may use that somebody else asks for: a browser's user at another machine, or an agent.

``callboard serve`` starts a run for each tab with its own folder in `VARIABLE`. Saved files go there, and the browser gets them
as downloads. ``callboard mcp`` has the folder that its user named for agents in `AGENTS`; none at all if that is empty.
"""

import errno
import os
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "CALLBOARD_SERVED"
AGENTS = "CALLBOARD_AGENTS_FILES"
_REFUSALS = {
    VARIABLE: "in a browser, only names of files of this tab are taken",
    AGENTS: "agents send files only from the folder that callboard mcp --files names",
}


def served_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The folder for the files of a run in a browser; None for a run in a terminal."""
    named = environment.get(VARIABLE, "")
    return Path(named) if named else None


def out_of_reach(path: str | Path, environment: Mapping[str, str] = os.environ) -> str:
    """Why a path must not be read or written; empty if it may. Follows links.

    Raises:
        OSError, RuntimeError, ValueError: the path cannot be followed.
    """
    for variable, refusal in _REFUSALS.items():
        folder = environment.get(variable)
        if folder is not None and not Path(os.path.expanduser(path)).resolve().is_relative_to(
            Path(folder or os.devnull).resolve()
        ):
            return refusal
    return ""


def check_reach(path: str | Path) -> None:
    """Raise PermissionError if a path is `out_of_reach`."""
    if refusal := out_of_reach(path):
        raise PermissionError(errno.EACCES, refusal)
