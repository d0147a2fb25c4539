"""Writes a file into a shared folder, completely or not at all, readable by everybody who can read the folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from registry.files.atomic_file import file_name, unnamed_file
from registry.files.folders import open_folder
from registry.files.reasons import reason
from registry.files.served import check_reach
from registry.sharing.folders import ENDING, Kind, SharedFolder
from registry.text.safe_text import visible_line


class NotShared(Exception):
    """A file cannot be written into a shared folder: why, and what to do next. `taken`: there is one with its name."""

    def __init__(self, cause: str, way_out: str = "", *, taken: bool = False) -> None:
        super().__init__(f"{cause} {way_out}".strip())
        self.taken = taken


def place_for(wanted: str, folders: Sequence[SharedFolder]) -> Path:
    """The folder that a person names: a shared one by its name, or any folder by its path.

    Raises:
        NotShared: there is no such folder.
    """
    path = next((one.path for one in folders if wanted in (one.name, str(one.path))), Path(os.path.expanduser(wanted)))
    try:
        check_reach(path)
        if path.is_dir():
            return path
    except (OSError, RuntimeError, ValueError) as error:
        raise NotShared(f"{visible_line(str(path))} cannot be used: {reason(error)}.") from None
    there = ", ".join(one.name for one in folders)
    raise NotShared(
        f"No folder {visible_line(wanted)}.",
        f"Shared folders: {there}; or the path of a folder." if there else "Enter the path of a folder that exists.",
    )


def put(folder: Path, kind: Kind, group: str, name: str, content: bytes, *, replaces: bool = False) -> Path:
    """Write a file into a shared folder; returns its path.

    Args:
        folder: the shared folder.
        kind: the file's kind.
        group: the folder below that of its kind; empty for none.
        name: the name of its content. Different names get different files.
        content: its bytes.
        replaces: whether one with the same name may be replaced.

    Raises:
        NotShared: there is one with that name, or it cannot be written.
    """
    place = folder
    try:
        for part in filter(None, (kind, group and file_name(group, "tool"))):
            place = place / part
            if place.is_symlink():
                raise NotShared(f"{visible_line(str(place))} is a link, and links are not followed.", "Choose another folder.")
            open_folder(place)
        digest = hashlib.sha256(name.encode()).hexdigest()[:12]
        file = place / f"{file_name(name, 'shared')[:40]}-{digest}{ENDING}"
        with unnamed_file(place, file.stem) as new:
            new.file.write(content)
            os.fchmod(new.file.fileno(), place.stat().st_mode & 0o666)
            new.place(file, replace=replaces)
    except FileExistsError:
        raise NotShared(f"“{name}” is already shared there.", "Rename yours, or add --replace.", taken=True) from None
    except OSError as error:
        raise NotShared(f"Cannot write it: {reason(error)}.") from error
    return file
