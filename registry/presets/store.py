"""The stored presets: a file for each, in a folder for each tool, readable by its owner only.

A file is written whole and put in place at once, so two programs may save at the same time: neither spoils what the other has
saved, and a name that is taken stays taken unless somebody says that it is to be replaced. A damaged file is renamed and
reported; one that a newer version wrote, or whose tool takes other arguments now, is reported and stays.

Presets of shared folders are listed beside one's own. One's own is meant by a name that both have; ``FOLDER/NAME`` means the
other.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from registry.catalog.model import Tool
from registry.display.safe_text import visible_line
from registry.presets.preset import MOST_BYTES, DamagedPreset, Preset, PresetError, checked_name, file_text, read_file
from registry.storage.atomic_file import file_name, unnamed_file
from registry.storage.damaged_file import put_aside
from registry.storage.folders import private_folder
from registry.storage.served import check_reach

if TYPE_CHECKING:
    from registry.presets.shared import SharedPresets

_ENDING = ".json"
MOST_SETS = 200


class NameTaken(PresetError):
    """There is a set of that name."""


@dataclass(frozen=True, slots=True)
class StoredPresets:
    """The presets of a tool by name, and the problems of those that cannot be read, in words. The user's own come first."""

    presets: tuple[Preset, ...] = ()
    notices: tuple[str, ...] = ()

    def named(self, name: str) -> Preset | None:
        """The set of a name, one's own before those of shared folders; or the one of a reference: ``FOLDER/NAME``."""
        name = name.strip()
        found = next((one for one in self.presets if one.name == name), None)
        return found or next((one for one in self.presets if one.reference == name), None)


def usual_folder() -> Path:
    """Where sets are kept: in the folder that the system has for what programs remember of their runs."""
    from platformdirs import user_state_path

    return user_state_path("callboard") / "arguments"


def usual_store() -> PresetStore:
    """The sets that are kept, and those of the shared folders."""
    from registry.presets.shared import SharedPresets  # the explorer does without where nothing is shared
    from registry.sharing.folders import shared_folders

    return PresetStore(usual_folder(), SharedPresets(shared_folders))


class PresetStore:
    """All sets in a folder. Safe from any thread; everything reads or writes files, so nothing is for an event loop.

    Args:
        folder: where one's own are.
        shared: those of shared folders.
    """

    def __init__(self, folder: Path, shared: SharedPresets | None = None) -> None:
        self._folder = folder
        self._shared = shared

    def at_once(self) -> PresetStore:
        """The same for reading many tools: shared files are read once."""
        return self if self._shared is None else PresetStore(self._folder, self._shared.at_once())

    def of(self, tool: Tool) -> StoredPresets:
        """The sets of a tool, by name. What cannot be read is told, never raised."""
        own = self._own(tool)
        if self._shared is None:
            return own
        others, notices = self._shared.of(tool)
        # Sorting keeps the order of those that have one name: one's own first, then the folders' as they were set.
        sets = sorted((*own.presets, *others), key=lambda one: (one.name.casefold(), one.name))
        return StoredPresets(tuple(sets), (*own.notices, *map(visible_line, notices)))

    def notices(self) -> tuple[str, ...]:
        """What is to be known of the shared folders, in words."""
        return tuple(map(visible_line, self._shared.notices())) if self._shared is not None else ()

    def _own(self, tool: Tool) -> StoredPresets:
        sets, notices = [], []
        try:
            files = sorted(self._of(tool).glob(f"*{_ENDING}"))
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
        """The names of the tools for which something may be kept."""
        others = self._shared.tools() if self._shared is not None else set[str]()
        try:
            return sorted({folder.name for folder in self._folder.iterdir() if folder.is_dir()} | others)
        except OSError:
            return sorted(others)

    def find(self, tool: Tool, name: str) -> Preset:
        """The set of a name.

        Raises:
            PresetError: there is none; tells those that there are.
        """
        kept = self.of(tool)
        found = kept.named(name)
        if found is None:
            there = ", ".join(f"“{one.reference}”" for one in kept.presets)
            raise PresetError(
                f"No preset “{visible_line(name)}” for {tool.name}.",
                f"Presets: {there}." if there else "No presets saved yet.",
            )
        return found

    def save(self, tool: Tool, one: Preset, *, replaces: bool = False) -> None:
        """Keep a set.

        Args:
            tool: whose arguments they are.
            one: the set.
            replaces: whether it may take the place of one that has its name.

        Raises:
            NameTaken: there is one of that name.
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
        """Give a set another name, which must be free. The old file goes when the new one is there.

        One of a shared folder stays: what gets the name is a copy of one's own.

        Raises:
            NameTaken, SetError: as for saving.
        """
        renamed = replace(one, name=checked_name(name), shared="")
        if one.shared:
            self.save(tool, renamed)
        elif renamed.name != one.name:
            self.save(tool, renamed)
            self.delete(tool, one.name)
        return renamed

    def delete(self, tool: Tool, name: str) -> None:
        """Delete a set of one's own, by its reference; one that is gone already is no error.

        Raises:
            PresetError: it cannot be deleted, or is of a shared folder.
        """
        try:
            file = self._file(tool, name)
            if self._shared is not None and not file.exists() and (one := self.of(tool).named(name)) is not None:
                raise PresetError(
                    f"“{one.name}” is shared from {one.shared} and cannot be deleted here.",
                    "Ask whoever keeps the folder; a preset of your own with its name takes its place for you.",
                )
            file.unlink(missing_ok=True)
        except OSError as error:
            raise PresetError(f"Cannot delete it: {_reason(error)}.") from error

    def _of(self, tool: Tool) -> Path:
        return self._folder / file_name(tool.name, "tool")

    def _file(self, tool: Tool, name: str) -> Path:
        """The file of a name: readable, and one of its own also where file systems take two names for the same."""
        return self._of(tool) / f"{file_name(name, 'set')[:40]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}{_ENDING}"

    def _read(self, tool: Tool, file: Path) -> Preset:
        one = read_file(content_of(file), {tool.name: tool})
        if self._file(tool, one.name) != file:
            # Whoever puts a file here by hand may call it as they like; it is kept under the name that it holds.
            self.save(tool, one)
            file.unlink(missing_ok=True)
        return one

    def _put_aside(self, file: Path) -> str:
        aside = put_aside(file, "")
        return f"It was renamed to {aside}." if aside is not None else "The file was left in place."


def content_of(file: Path) -> bytes:
    """The content of a regular file, up to the largest size of a preset. Never waits for a pipe. Raises OSError or Damaged."""
    handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise DamagedPreset("Not a regular file.")
        return opened.read(MOST_BYTES + 1)


def shared_file(path: Path, tools: Mapping[str, Tool], folder: Path = Path()) -> Preset:
    """The set in a file that somebody has handed on; relative paths start in `folder`.

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
