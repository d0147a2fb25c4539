"""Stores the dashboard's settings between runs: the team scope, the zone and the alarm of each account.

A small JSON file in the user's state folder, readable only by the user. If it cannot be written, the settings last for
this run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from tui.state.json_store import JsonStore


def memory_file(environment: Mapping[str, str]) -> Path | None:
    """The path of the file; None if the environment has no state folder."""
    if environment is os.environ:
        return Path(user_state_path("callboard")) / "oncall.json"
    folder = environment.get("XDG_STATE_HOME")
    return Path(folder) / "callboard" / "oncall.json" if folder else None


def stored_settings(file: Path | None, account: str) -> dict[str, Any]:
    """The stored settings of an account; empty when there are none."""
    if file is None:
        return {}
    store = _store(file)
    store.load()
    found = store.now.get(account)
    return found if isinstance(found, dict) else {}


def store_settings(file: Path | None, account: str, values: Mapping[str, Any]) -> bool:
    """Store the settings of an account; False if they could not be written."""
    if file is None:
        return True
    store = _store(file)
    store.change(lambda everything: {**everything, account: dict(values)})
    return store.save()


def _store(file: Path) -> JsonStore[dict[str, Any]]:
    return JsonStore(file, {}, "Settings of the dashboard")
