"""The program's folders and files: their paths, who may read them, and whether they are usable."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path, user_data_path, user_state_path

from registry.files.folders import config_file
from registry.files.reasons import reason
from registry.journal.paths import audit_file, history_file

_WRITTEN = ("state", "cache")
_ROOM = 1_000_000
"""The fewest free bytes with which calls can be recorded."""


def files(environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """For each: ``what`` it is, its ``path``, its ``mode`` in octal (None if it does not exist), and a ``problem`` or None."""
    named = {
        "state": user_state_path("callboard"),
        "history": history_file(),
        "audit log": audit_file(),
        "cache": user_cache_path("callboard"),
        "data": user_data_path("callboard"),
        "settings": config_file(environment),
    }
    found = [_described(what, path, private=what != "settings") for what, path in named.items()]
    for one in found:
        if one["what"] in _WRITTEN and one["problem"] is None:
            one["problem"] = _no_room(one["what"], Path(one["path"]))
    return found


def _described(what: str, path: Path, *, private: bool) -> dict[str, Any]:
    try:
        found = path.stat()
    except FileNotFoundError:
        return {"what": what, "path": str(path), "mode": None, "problem": None}
    except OSError as error:
        return {"what": what, "path": str(path), "mode": None, "problem": f"{what}: {reason(error, path)}"}
    mode = stat.S_IMODE(found.st_mode)
    problem = None
    if private and mode & 0o077:
        problem = f"{what}: other users can read {path} (mode {mode:04o}); fix it with chmod go= {path}"
    elif not os.access(path, os.R_OK if what == "settings" else os.R_OK | os.W_OK):
        problem = f"{what}: you have no read and write permission for {path}"
    elif what in ("history", "audit log", "settings") and not stat.S_ISREG(found.st_mode):
        problem = f"{what}: {path} is not a file"
    return {"what": what, "path": str(path), "mode": f"{mode:04o}", "problem": problem}


def _no_room(what: str, path: Path) -> str | None:
    """Why nothing can be written into a folder, which may not exist yet; None if it can."""
    there = next(one for one in (path, *path.parents) if os.path.lexists(one))
    if not there.is_dir():
        return f"{what}: {path} cannot be created: {there} is no folder, or a link to none"
    if not os.access(there, os.W_OK | os.X_OK):
        return f"{what}: {path} cannot be written: you have no write permission for {there}, or its disk is read-only"
    if not hasattr(os, "statvfs"):
        return None
    disk = os.statvfs(there)
    free, takes_files = disk.f_bavail * disk.f_frsize, bool(disk.f_favail or not disk.f_files)
    if free >= _ROOM and takes_files:
        return None
    left = f"{free:,} bytes are free" if takes_files else "no more files can be created"
    return f"{what}: the disk of {path} is full ({left}); free some room on it"
