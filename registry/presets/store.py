"""The stored presets: one file each, in a folder for each tool, readable by its owner only.

A file is written completely and put in place at once, so two programs may save at the same time: neither damages the other's
file, and an existing name is replaced only on request. A damaged file is renamed and reported; a file of a newer version, or of
a tool that takes other arguments now, is reported and stays.

Presets of shared folders are listed beside the user's own. If both have a name, it means the user's own; ``FOLDER/NAME`` means
the other.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace
from platformdirs import user_state_path

from registry.catalog.model import Tool
from registry.files.atomic_file import file_name, unnamed_file
from registry.files.damaged_file import put_aside
from registry.files.folders import names_in, private_folder
from registry.files.reasons import reason
from registry.files.served import check_reach
from registry.presets.preset import MOST_BYTES, DamagedPreset, Preset, PresetError, checked_name, file_text, read_file
from registry.presets.shared import SharedPresets
from registry.sharing.folders import shared_folders
from registry.text.safe_text import visible_line

_ENDING = ".json"
NONE_SAVED = "No presets saved yet: press Ctrl+S in its form in the explorer. callboard presets lists those of all tools."
MOST_SETS = 200


class NameTaken(PresetError):
    """There is a preset with that name."""


@dataclass(frozen=True, slots=True)
class StoredPresets:
    """The presets of a tool by name, and the problems of those that cannot be read, in words. The user's own come first."""

    presets: tuple[Preset, ...] = ()
    notices: tuple[str, ...] = ()

    def named(self, name: str) -> Preset | None:
        """The preset with a name, the user's own before those of shared folders; or with a reference: ``FOLDER/NAME``."""
        name = name.strip()
        found = next((one for one in self.presets if one.name == name), None)
        return found or next((one for one in self.presets if one.reference == name), None)


def usual_folder() -> Path:
    """The folder of presets, in the system's folder for programs' state."""
    return user_state_path("callboard") / "arguments"


def usual_store() -> PresetStore:
    """The user's own presets, and those of the shared folders."""
    return PresetStore(usual_folder(), SharedPresets(shared_folders))


class PresetStore:
    """All presets in a folder. Safe from any thread; all methods read or write files: do not call them in an event loop.

    Args:
        folder: the folder of the user's own.
        shared: those of shared folders.
    """

    def __init__(self, folder: Path, shared: SharedPresets | None = None) -> None:
        self._folder = folder
        self._shared = shared

    def at_once(self) -> PresetStore:
        """A snapshot for reading many tools: shared files are read once."""
        return self if self._shared is None else PresetStore(self._folder, self._shared.at_once())

    def of(self, tool: Tool) -> StoredPresets:
        """The presets of a tool, by name. Files that cannot be read are reported, never raised."""
        own = self._own(tool)
        if self._shared is None:
            return own
        others, notices = self._shared.of(tool)
        # Sorting keeps the order of equal names: the user's own first, then the folders in the order of the setting.
        sets = sorted((*own.presets, *others), key=lambda one: (one.name.casefold(), one.name))
        return StoredPresets(tuple(sets), (*own.notices, *map(visible_line, notices)))

    def unreadable(self) -> str:
        """Why the user's own presets cannot be read, in words; empty if they can."""
        try:
            names_in(self._folder)
        except OSError as error:
            return f"Cannot read presets: {reason(error, self._folder)}"
        return ""

    def notices(self) -> tuple[str, ...]:
        """Notices about the shared folders."""
        return tuple(map(visible_line, self._shared.notices())) if self._shared is not None else ()

    def _own(self, tool: Tool) -> StoredPresets:
        sets, notices = [], []
        try:
            files = [self._of(tool) / name for name in names_in(self._of(tool)) if name.endswith(_ENDING)]
        except OSError as error:
            return StoredPresets((), (f"Cannot read presets: {_reason(error)}.",))
        for file in files:
            try:
                one = self._read(tool, file)
            except DamagedPreset as error:
                notices.append(f"{file.name} is damaged: {error.cause} {self._put_aside(file)}")
            except PresetError as error:
                notices.append(f"{file.name} cannot be used: {error}")
            except FileNotFoundError:
                continue  # another program has just deleted it
            except OSError as error:
                notices.append(f"{file.name} cannot be read: {_reason(error)}.")
            else:
                sets.append(one)
        return StoredPresets(
            tuple(sorted(sets, key=lambda one: (one.name.casefold(), one.name))), tuple(map(visible_line, notices))
        )

    def tools(self) -> list[str]:
        """The names of the tools that may have presets."""
        others = self._shared.tools() if self._shared is not None else set[str]()
        try:
            return sorted({folder.name for folder in self._folder.iterdir() if folder.is_dir()} | others)
        except OSError:
            return sorted(others)

    def find(self, tool: Tool, name: str) -> Preset:
        """The preset with a name.

        Raises:
            PresetError: there is none; names the existing ones.
        """
        kept = self.of(tool)
        found = kept.named(name)
        if found is None:
            there = ", ".join(f"“{one.reference}”" for one in kept.presets)
            raise PresetError(
                f"No preset “{visible_line(name)}” for {tool.name}.",
                f"Presets: {there}." if there else NONE_SAVED,
            )
        return found

    def save(self, tool: Tool, one: Preset, *, replaces: bool = False) -> None:
        """Store a preset.

        Args:
            tool: the preset's tool.
            one: the preset.
            replaces: whether it may replace one with its name.

        Raises:
            NameTaken: there is one with that name.
            PresetError: it cannot be written.
        """
        folder, file = self._of(tool), self._file(tool, one.name)
        content = file_text(tool, one).encode()
        if len(content) > MOST_BYTES:
            raise PresetError(f"The arguments are too large to save: at most {MOST_BYTES // 1024} KiB.")
        try:
            private_folder(folder)
            if not file.exists() and sum(1 for _ in folder.glob(f"*{_ENDING}")) >= MOST_SETS:
                raise PresetError(f"{tool.name} already has {MOST_SETS} presets, the maximum.", "Delete one first.")
            with unnamed_file(folder, file.stem) as new:
                new.file.write(content)
                new.place(file, replace=replaces)
        except FileExistsError:
            raise NameTaken(f"Preset “{one.name}” already exists.", "Choose another name, or overwrite it.") from None
        except OSError as error:
            raise PresetError(f"Cannot save it: {_reason(error)}.") from error

    def rename(self, tool: Tool, one: Preset, name: str) -> Preset:
        """Give a preset another name, which must be free. The old file is removed after the new one was written.

        A preset of a shared folder stays; the user gets a copy with the new name.

        Raises:
            NameTaken, PresetError: as for saving.
        """
        renamed = replace(one, name=checked_name(name), shared="")
        if one.shared:
            self.save(tool, renamed)
        elif renamed.name != one.name:
            self.save(tool, renamed)
            self.delete(tool, one.name)
        return renamed

    def delete(self, tool: Tool, name: str) -> None:
        """Delete one of the user's own presets, by its reference; it is not an error if it does not exist.

        Raises:
            PresetError: it cannot be deleted, or is in a shared folder.
        """
        try:
            file = self._file(tool, name)
            if self._shared is not None and not file.exists() and (one := self.of(tool).named(name)) is not None:
                raise PresetError(
                    f"“{one.name}” is shared from {one.shared} and cannot be deleted here.",
                    "Ask the owner of the folder; a preset of your own with this name replaces it for you.",
                )
            file.unlink(missing_ok=True)
        except OSError as error:
            raise PresetError(f"Cannot delete it: {_reason(error)}.") from error

    def _of(self, tool: Tool) -> Path:
        return self._folder / file_name(tool.name, "tool")

    def _file(self, tool: Tool, name: str) -> Path:
        """The file for a name: readable, and distinct for distinct names, even on file systems that ignore case."""
        return self._of(tool) / f"{file_name(name, 'set')[:40]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}{_ENDING}"

    def _read(self, tool: Tool, file: Path) -> Preset:
        one = read_file(content_of(file), {tool.name: tool})
        if self._file(tool, one.name) != file:
            # A file that was put here by hand may have any name; it is stored under the preset's name.
            self.save(tool, one)
            file.unlink(missing_ok=True)
        return one

    def _put_aside(self, file: Path) -> str:
        aside = put_aside(file, "")
        return f"It was renamed to {aside}." if aside is not None else "The file was left in place."


def content_of(file: Path) -> bytes:
    """The content of a regular file, at most a byte more than the largest preset has. Never waits for a pipe.

    Raises:
        DamagedPreset: it is not a regular file.
        OSError: it cannot be read.
    """
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise DamagedPreset("Not a regular file.")
        return opened.read(MOST_BYTES + 1)


def shared_file(path: Path, tools: Mapping[str, Tool], folder: Path = Path()) -> Preset:
    """The preset in a file from somebody else; relative paths start in `folder`.

    Raises:
        PresetError: there is no such file, or it is refused.
    """
    try:
        check_reach(folder / os.path.expanduser(path))
        return read_file(content_of(folder / os.path.expanduser(path)), tools)
    except RuntimeError:
        raise PresetError(f"{visible_line(str(path))} does not resolve to a home folder.", "Choose another path.") from None
    except OSError as error:
        raise PresetError(f"{visible_line(str(path))} cannot be read: {_reason(error)}.") from error


def _reason(error: OSError) -> str:
    return visible_line((error.strerror or str(error)).lower())
