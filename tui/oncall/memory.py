"""Stores the dashboard's settings between runs: the team scope, the zone and the alarm of each account.

A small JSON file in the user's state folder, readable only by the user. If it cannot be written, the settings last for
this run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from registry.files.atomic_file import unnamed_file
from registry.files.folders import private_folder
from tui.state.json_store import Notices, read_json


def memory_file(environment: Mapping[str, str]) -> Path | None:
    """The path of the file; None if the environment has no state folder."""
    if environment is os.environ:
        return Path(user_state_path("callboard")) / "oncall.json"
    folder = environment.get("XDG_STATE_HOME")
    return Path(folder) / "callboard" / "oncall.json" if folder else None


def stored_settings(file: Path | None, account: str) -> dict[str, Any]:
    """The stored settings of an account; empty when there are none."""
    found = _all(file, replacing=False).get(account)
    return found if isinstance(found, dict) else {}


def store_settings(file: Path | None, account: str, values: Mapping[str, Any]) -> bool:
    """Store the settings of an account; False if they could not be written."""
    if file is None:
        return True
    try:
        everything = {**_all(file, replacing=True), account: dict(values)}
        with unnamed_file(private_folder(file.parent), file.name) as one:
            one.file.write(json.dumps(everything).encode())
            one.place(file, replace=True)
    except OSError:
        return False
    return True


def _all(file: Path | None, *, replacing: bool) -> dict[str, Any]:
    return (file and read_json(file, Notices("Settings of the dashboard"), replacing=replacing)) or {}
