"""A shared folder on this machine, and the limits for reading one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from registry.sharing.setting import SharedSource

Kind = Literal["presets", "playbooks", "ready_calls", "pages"]
KINDS: tuple[Kind, ...] = ("presets", "playbooks", "ready_calls", "pages")
"""The kinds of shared files, each in a folder with that name."""

MOST_FILES = 500
"""Files of one kind in one folder; with more, the first by name are read."""
MOST_BYTES = 262_144
MOST_IN_ALL = 20_000_000
"""The largest size in bytes of one file, and of all files of a kind in one folder."""
ENDING = ".json"


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """A shared folder on this machine.

    Attributes:
        source: its entry in the setting.
        path: the folder of its files; None for a repository that was not fetched yet.
        updated: when the copy of a repository was last up to date, in Unix seconds; None for a folder, or a copy never fetched.
        notices: notices about the copy.
    """

    source: SharedSource
    path: Path | None
    updated: float | None = None
    notices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name."""
        return self.source.name
