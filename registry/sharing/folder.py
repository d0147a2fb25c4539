"""A shared folder as it is on this machine, and the bounds of what is read from one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from registry.sharing.setting import Source

Kind = Literal["presets", "playbooks", "ready_calls", "pages"]
KINDS: tuple[Kind, ...] = ("presets", "playbooks", "ready_calls", "pages")
"""What is shared, each in a folder of that name."""

MOST_FILES = 500
"""Files of one kind in one folder; with more, the first by name are read."""
MOST_BYTES = 262_144
MOST_IN_ALL = 20_000_000
"""Bytes that one file may have, and all files of a kind in one folder."""
ENDING = ".json"


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """A shared folder on this machine.

    Attributes:
        source: what the setting says.
        path: where its files are; None for a repository that was not fetched yet.
        updated: when a copy of a repository was last up to date, in Unix seconds; None for a folder, and before that.
        notices: what is to be known of the copy, in words.
    """

    source: Source
    path: Path | None
    updated: float | None = None
    notices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return self.source.name
