"""Presets in the folders that a team shares: read like preset files from others, never changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from msgspec.structs import replace as with_fields

from registry.catalog.model import Tool
from registry.presets.preset import Preset, PresetError, read_file
from registry.sharing.folders import SharedFiles, SharedFolder, shared_files
from registry.text.safe_text import visible_line

Folders = Callable[[], Sequence[SharedFolder]]
"""Returns the current shared folders."""


@dataclass(frozen=True, slots=True)
class SharedPresets:
    """The presets of all shared folders. All methods read files: do not call them in an event loop.

    Args:
        folders: returns the folders.
        found: their files, if these were read already.
    """

    folders: Folders
    found: SharedFiles | None = None

    def at_once(self) -> SharedPresets:
        """A snapshot for reading many tools: every file is read once."""
        return replace(self, found=self._files)

    def of(self, tool: Tool) -> tuple[list[Preset], list[str]]:
        """The presets of a tool in the order of the folders, and descriptions of its files that cannot be used."""
        found: list[Preset] = []
        notices: list[str] = []
        for file in self._files.files:
            if _tool_of(file.content) != tool.name:
                continue
            try:
                one = with_fields(read_file(file.content, {tool.name: tool}), shared=file.folder)
            except PresetError as error:
                notices.append(f"{file.shown} cannot be used: {error}")
                continue
            if any((other.shared, other.name) == (one.shared, one.name) for other in found):
                notices.append(f"{file.shown} is left out: the folder has another preset “{one.name}”.")
            else:
                found.append(one)
        return found, notices

    def tools(self) -> set[str]:
        """The names of the tools that have presets."""
        return {name for file in self._files.files if (name := _tool_of(file.content)) is not None}

    def notices(self) -> list[str]:
        """Notices about the folders, and about files without a tool."""
        found = self._files
        odd = [f"{file.shown} is not a preset file." for file in found.files if _tool_of(file.content) is None]
        return [*found.notices, *odd]

    @property
    def _files(self) -> SharedFiles:
        return shared_files("presets", self.folders()) if self.found is None else self.found


@lru_cache(maxsize=4_096)
def _tool_of(content: bytes) -> str | None:
    """The name of a file's tool; None if it is not a preset at all."""
    try:
        members = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    name = members.get("tool") if isinstance(members, dict) else None
    return visible_line(name) if isinstance(name, str) else None
