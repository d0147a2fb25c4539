"""Where the folders of the toolkits are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

BUILT_IN = Path(__file__).parents[1] / "toolkits"
"""The folder of the toolkits that come with Callboard. Only these may hold code."""

_FOLDERS: Mapping[str, Path] = {
    "PaymentsApi": BUILT_IN / "payments",
    "Incidents": BUILT_IN / "incidents",
    "CrmUsersApi": BUILT_IN / "crm_users",
}


def folder_of(toolkit: str) -> Path | None:
    """The folder of the toolkit of that name; None for one that has none."""
    return _FOLDERS.get(toolkit)


def toolkit_folders() -> tuple[Path, ...]:
    """The folders of all toolkits, in the order in which the toolkits are shown."""
    return tuple(_FOLDERS.values())
