"""Stores playbooks: one file each in a folder, written completely or not at all; also reads and writes shared ones.

Those of shared folders are listed beside the user's own. If both have a name, it means the user's own; ``FOLDER/NAME`` means
the other.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from registry.catalog.loader import Catalog
from registry.files.atomic_file import file_name, unnamed_file
from registry.files.folders import names_in, private_folder
from registry.files.reasons import reason
from registry.files.served import check_reach
from registry.playbooks.checking import problems_of
from registry.playbooks.file import MOST_BYTES, checked_name, file_text, read_file, wrong
from registry.playbooks.playbook import Playbook, PlaybookError
from registry.presets.preset import PresetError
from registry.presets.store import content_of
from registry.presets.store import usual_folder as of_presets
from registry.results.export.target import refused, target_of
from registry.sharing.folders import SharedFolder, shared_files, shared_folders
from registry.text.safe_text import visible_line

MOST = 500
_ENDING = ".json"


class NameTaken(PlaybookError):
    """There is a playbook with that name."""


@dataclass(frozen=True, slots=True)
class StoredPlaybooks:
    """The stored playbooks by name, and the problems of those that cannot be read, in words.

    Of several with one name, the user's own comes first. If `is_readable` is false, their folder could not be read.
    """

    playbooks: tuple[Playbook, ...] = ()
    notices: tuple[str, ...] = ()
    is_readable: bool = True


def usual_folder() -> Path:
    """The folder of playbooks: beside the presets."""
    return of_presets().parent / "playbooks"


def usual_store(catalog: Catalog) -> PlaybookStore:
    """The user's own playbooks, and those of the shared folders."""
    return PlaybookStore(usual_folder(), catalog, shared_folders)


class PlaybookStore:
    """All playbooks in a folder. Safe from any thread; all methods read or write files: do not call them in an event loop.

    Args:
        folder: their folder; created when the first one is saved.
        catalog: the tools that they may call.
        shared: returns the current shared folders.
    """

    def __init__(self, folder: Path, catalog: Catalog, shared: Callable[[], Sequence[SharedFolder]] = tuple) -> None:
        self._folder = folder
        self._catalog = catalog
        self._shared = shared

    def all(self) -> StoredPlaybooks:
        """All playbooks, by name. Files that cannot be read are reported, never raised, and stay where they are."""
        own, others = self._own(), self._others()
        # Sorting keeps the order of equal names: the user's own first, then the folders in the order of the setting.
        found = sorted((*own.playbooks, *others.playbooks), key=lambda one: (one.name.casefold(), one.name))
        return StoredPlaybooks(tuple(found), (*own.notices, *others.notices), own.is_readable)

    def _others(self) -> StoredPlaybooks:
        """The playbooks of the shared folders."""
        folders = self._shared()
        if not folders:
            return StoredPlaybooks()
        files = shared_files("playbooks", folders)
        found: dict[tuple[str, str], Playbook] = {}
        notices = list(files.notices)
        for file in files.files:
            try:
                one = replace(read_file(file.content, self._catalog), shared=file.folder)
            except PlaybookError as error:
                notices.append(f"{file.shown} cannot be used: {error}")
                continue
            if found.setdefault((one.shared, one.name), one) is not one:
                notices.append(f"{file.shown} is left out: the folder has another playbook “{one.name}”.")
        return StoredPlaybooks(tuple(found.values()), tuple(map(visible_line, notices)))

    def _own(self) -> StoredPlaybooks:
        found, notices = [], []
        try:
            files = [self._folder / name for name in names_in(self._folder) if name.endswith(_ENDING)]
        except OSError as error:
            return StoredPlaybooks(notices=(f"Cannot read playbooks: {reason(error, self._folder)}",), is_readable=False)
        for file in files:
            try:
                found.append(self._kept(file))
            except FileNotFoundError:
                continue  # another program has just deleted it
            except (PlaybookError, OSError) as error:
                why = _reason(error) if isinstance(error, OSError) else str(error)
                notices.append(visible_line(f"{file.name} cannot be used: {why}"))
        return StoredPlaybooks(tuple(sorted(found, key=lambda one: (one.name.casefold(), one.name))), tuple(notices))

    def find(self, name: str) -> Playbook:
        """The playbook with a name, the user's own before those of shared folders; or with a reference: ``FOLDER/NAME``.

        Raises:
            PlaybookError: there is none; names the existing ones.
        """
        kept, name = self.all(), name.strip()
        found = next((one for one in kept.playbooks if one.name == name), None)
        found = found or next((one for one in kept.playbooks if one.reference == name), None)
        if found is None:
            there = ", ".join(f"“{one.reference}”" for one in kept.playbooks)
            way_out = f"Playbooks: {there}." if there else "Record one: callboard playbooks record NAME."
            raise PlaybookError(f"No playbook “{visible_line(name)}”.", " ".join([way_out, *kept.notices]))
        return found

    def save(self, playbook: Playbook, *, replaces: bool = False) -> Path:
        """Store a playbook; returns its file.

        Raises:
            NameTaken: there is one with that name, and it may not be replaced.
            PlaybookError: something is wrong with it, or it cannot be written.
        """
        content, file = self.content(playbook), self._file(playbook.name)
        try:
            private_folder(self._folder)
            if not file.exists() and sum(1 for _ in self._folder.glob(f"*{_ENDING}")) >= MOST:
                raise PlaybookError(f"There are already {MOST} playbooks, the maximum.", "Delete one first.")
            with unnamed_file(self._folder, file.stem) as new:
                new.file.write(content)
                new.place(file, replace=replaces)
        except FileExistsError:
            raise NameTaken(f"Playbook “{playbook.name}” already exists.", "Choose another name, or overwrite it.") from None
        except OSError as error:
            raise PlaybookError(f"Cannot save it: {_reason(error)}.") from error
        return file

    def delete(self, name: str) -> None:
        """Delete one of the user's own playbooks, by its reference.

        Raises:
            PlaybookError: there is none with that name, it is in a shared folder, or it cannot be deleted.
        """
        one = self.find(name)
        if one.shared:
            raise PlaybookError(
                f"“{one.name}” is shared from {one.shared} and cannot be deleted here.",
                "Ask the owner of the folder; a playbook of your own with this name replaces it for you.",
            )
        try:
            self._file(one.name).unlink(missing_ok=True)
        except OSError as error:
            raise PlaybookError(f"Cannot delete it: {_reason(error)}.") from error

    def share(self, playbook: Playbook, path: str, folder: Path = Path(), *, replaces: bool = False) -> Path:
        """Write a playbook to a file that somebody else can run; returns its path.

        Raises:
            NotExported: the path is invalid, or the file exists.
            PlaybookError: something is wrong with it.
        """
        target = target_of(path, folder, replace=replaces)
        content = self.content(playbook)
        try:
            with unnamed_file(target.parent, target.stem) as new:
                new.file.write(content)
                new.place(target, replace=replaces)
        except OSError as error:
            raise refused(error, target) from error
        return target

    def shared(self, path: str, folder: Path = Path()) -> Playbook:
        """The playbook in a file from somebody else; relative paths start in `folder`.

        Raises:
            PlaybookError: there is no such file, or it is refused.
        """
        try:
            check_reach(folder / os.path.expanduser(path))
            return self._read(folder / os.path.expanduser(path))
        except RuntimeError:
            raise PlaybookError(f"{visible_line(path)} does not resolve to a home folder.", "Choose another path.") from None
        except OSError as error:
            raise PlaybookError(f"{visible_line(path)} cannot be read: {_reason(error)}.") from error

    def content(self, playbook: Playbook) -> bytes:
        """A playbook as the bytes of its file.

        Raises:
            PlaybookError: something is wrong with it.
        """
        checked_name(playbook.name)
        if problems := problems_of(playbook, self._catalog):
            raise wrong(problems)
        content = file_text(playbook).encode()
        if len(content) > MOST_BYTES:
            raise PlaybookError(f"It is too large to save: at most {MOST_BYTES // 1024} KiB.")
        return content

    def _file(self, name: str) -> Path:
        """The file for a name; distinct names get distinct files, even on file systems that ignore case."""
        return self._folder / f"{file_name(name, 'playbook')[:40]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}{_ENDING}"

    def _kept(self, file: Path) -> Playbook:
        one = self._read(file)
        if self._file(one.name) != file:
            # A file that was put here by hand may have any name; it is stored under the playbook's name.
            self.save(one)
            file.unlink(missing_ok=True)
        return one

    def _read(self, file: Path) -> Playbook:
        try:
            content = content_of(file)
        except PresetError as error:
            raise PlaybookError(error.cause, error.way_out) from None
        return read_file(content, self._catalog)


def _reason(error: OSError) -> str:
    return visible_line((error.strerror or str(error)).lower())
