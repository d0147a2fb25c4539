"""Stores the dashboard's settings between runs: the team scope, the zone and the alarm of each connection.

A small JSON file in the user's state folder, readable only by the user. A damaged file counts as empty; if it cannot be
written, the caller gets False and the settings last for this run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from registry.storage.atomic_file import unnamed_file
from registry.storage.folders import private_folder

_MOST = 100_000


def memory_file(environment: Mapping[str, str]) -> Path | None:
    """The path of the file; None if the environment has no state folder."""
    if environment is os.environ:
        from platformdirs import user_state_path

        return Path(user_state_path("callboard")) / "oncall.json"
    folder = environment.get("XDG_STATE_HOME")
    return Path(folder) / "callboard" / "oncall.json" if folder else None


def remembered(file: Path | None, connection: str) -> dict[str, Any]:
    """The stored settings of a connection; empty when there are none."""
    found = _all(file).get(connection)
    return found if isinstance(found, dict) else {}


def remember(file: Path | None, connection: str, values: Mapping[str, Any]) -> bool:
    """Store the settings of a connection; False if they could not be written."""
    if file is None:
        return True
    everything = {**_all(file), connection: dict(values)}
    try:
        with unnamed_file(private_folder(file.parent), file.name) as one:
            one.file.write(json.dumps(everything).encode())
            one.place(file, replace=True)
    except OSError:
        return False
    return True


def _all(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        found = json.loads(file.read_bytes()[:_MOST])
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
