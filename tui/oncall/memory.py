"""Stores the dashboard's settings between runs: the team scope, the zone and the alarm of each connection.

A small JSON file in the user's state folder, readable only by the user. A damaged file counts as empty and is renamed before a
new one takes its place; if the file cannot be written, the caller gets False and the settings last for this run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from registry.files.atomic_file import unnamed_file
from registry.files.damaged_file import put_aside
from registry.files.folders import private_folder
from registry.files.plain_file import open_plain

_MOST = 100_000


def memory_file(environment: Mapping[str, str]) -> Path | None:
    """The path of the file; None if the environment has no state folder."""
    if environment is os.environ:
        return Path(user_state_path("callboard")) / "oncall.json"
    folder = environment.get("XDG_STATE_HOME")
    return Path(folder) / "callboard" / "oncall.json" if folder else None


def stored_settings(file: Path | None, connection: str) -> dict[str, Any]:
    """The stored settings of a connection; empty when there are none."""
    found = _all(file).get(connection)
    return found if isinstance(found, dict) else {}


def store_settings(file: Path | None, connection: str, values: Mapping[str, Any]) -> bool:
    """Store the settings of a connection; False if they could not be written."""
    if file is None:
        return True
    try:
        everything = {**_all(file, replacing=True), connection: dict(values)}
        with unnamed_file(private_folder(file.parent), file.name) as one:
            one.file.write(json.dumps(everything).encode())
            one.place(file, replace=True)
    except OSError:
        return False
    return True


def _all(file: Path | None, *, replacing: bool = False) -> dict[str, Any]:
    """What is in the file; about to be replaced, one that cannot be read is an error, and a damaged one is put aside."""
    if file is None:
        return {}
    found = None
    try:
        with open_plain(file) as opened:
            found = json.loads(opened.read(_MOST))
    except FileNotFoundError:
        return {}
    except OSError:
        if replacing:
            raise
        return {}
    except (ValueError, RecursionError):
        pass
    if isinstance(found, dict):
        return found
    if replacing:
        put_aside(file)
    return {}
