"""Writes a preset to a file that somebody else can import."""

from __future__ import annotations

from pathlib import Path

from registry.catalog.model import Tool
from registry.files.atomic_file import file_name, unnamed_file
from registry.presets.preset import Preset, file_text
from registry.results.export.target import refused, target_of


def proposed_name(one: Preset) -> str:
    """A file name with the tool's and the preset's name."""
    return f"{one.tool}-{file_name(one.name, 'arguments')}.json"


def write_shared(tool: Tool, one: Preset, path: str, folder: Path, *, replaces: bool = False) -> Path:
    """Write a preset to a file, completely or not at all, readable by its owner only; returns its path.

    Args:
        tool: the preset's tool.
        one: the preset.
        path: as a person types it.
        folder: where relative paths start.
        replaces: whether an existing file may be replaced.

    Raises:
        NotExported: the path is invalid, or the file exists.
    """
    target = target_of(path, folder, replace=replaces)
    try:
        with unnamed_file(target.parent, target.stem) as new:
            new.file.write(file_text(tool, one).encode())
            new.place(target, replace=replaces)
    except OSError as error:
        raise refused(error, target) from error
    return target
