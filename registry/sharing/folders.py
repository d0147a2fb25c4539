"""Finds and reads the files of shared folders, within limits."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from registry.files.reasons import reason
from registry.sharing.folder import ENDING, MOST_BYTES, MOST_FILES, MOST_IN_ALL, Kind, SharedFolder
from registry.sharing.setting import shared
from registry.text.safe_text import visible_line

_DEEPEST, _MOST_ENTRIES = 3, 5_000
_OLD = 86_400.0


class SharedFile(NamedTuple):
    """A file of a shared folder: the folder's name, its path, and its bytes."""

    folder: str
    path: Path
    content: bytes

    @property
    def shown(self) -> str:
        """The file in words."""
        return f"{self.folder}: {visible_line(self.path.name)}"


class SharedFiles(NamedTuple):
    """The files of one kind in all shared folders, in the order of the setting, and notices about files that were not read."""

    files: tuple[SharedFile, ...] = ()
    notices: tuple[str, ...] = ()


def shared_folders(environment: Mapping[str, str] = os.environ) -> tuple[SharedFolder, ...]:
    """The current shared folders on this machine. Never waits for a network."""
    sources = shared(environment).sources
    if not any(one.is_git for one in sources):
        return tuple(SharedFolder(one, Path(one.address)) for one in sources)
    from registry.sharing.git_copy import copy_of  # imported late: only repositories need it

    return tuple(copy_of(one) if one.is_git else SharedFolder(one, Path(one.address)) for one in sources)


def shared_files(kind: Kind, folders: Sequence[SharedFolder]) -> SharedFiles:
    """Every file of a kind. Files that cannot be read are reported, never raised."""
    found: list[SharedFile] = []
    notices: list[str] = []
    for folder in folders:
        notices += ages([folder])
        if folder.path is None:
            continue
        problems: list[str] = []
        size = 0
        try:
            # Raise if the folder is missing: an empty list would look as if nothing were shared.
            os.stat(folder.path)
            for place, path in enumerate(_paths(folder.path / kind, problems)):
                if place >= MOST_FILES:
                    problems.append(f"only the first {MOST_FILES} files in {kind} are read")
                    break
                came = list(_file(folder, path, problems))
                size += sum(len(one.content) for one in came)
                if size > MOST_IN_ALL:
                    problems.append(
                        f"{path.name} and what follows is not read: {kind} has more than {MOST_IN_ALL // 1_000_000} MB"
                    )
                    break
                found += came
        except OSError as error:
            problems.append(f"cannot be read: {reason(error)}")
        notices += [visible_line(f"{folder.name}: {words}") for words in problems]
    return SharedFiles(tuple(found), tuple(notices))


def ages(folders: Sequence[SharedFolder], now: float | None = None) -> list[str]:
    """Notices about copies of repositories: those that do not exist yet, or are at least a day old."""
    now = time.time() if now is None else now
    notices = []
    for one in folders:
        if one.source.is_git and one.path is None:
            notices.append(f"{one.name}: not fetched yet. Fetch it: callboard share update")
        elif one.updated is not None and now - one.updated >= _OLD:
            notices.append(f"{one.name}: last updated {age_in_words(now - one.updated)} ago. Update it: callboard share update")
    return notices


def age_in_words(seconds: float) -> str:
    """A number of seconds in words: ``3 h``."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return f"{max(int(seconds), 0)} s"


def _file(folder: SharedFolder, path: Path, notices: list[str]) -> Iterator[SharedFile]:
    """The file, if it may be read; otherwise the reason is added to `notices`."""
    try:
        content = content_of(path)
    except FileNotFoundError:
        return  # somebody has just deleted it
    except (OSError, ValueError) as error:
        notices.append(f"{path.name} {reason(error) if isinstance(error, OSError) else error}")
    else:
        yield SharedFile(folder.name, path, content)


def content_of(path: Path) -> bytes:
    """The bytes of a regular file that is not a link. Never waits for a pipe.

    Raises:
        OSError: it cannot be read, or is a link.
        ValueError: it is not a regular file, or too large.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(handle, "rb") as opened:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise ValueError("is not a regular file")
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"is too large: at most {MOST_BYTES // 1024} KiB")
    return content


def _paths(folder: Path, notices: list[str], depth: int = 1) -> Iterator[Path]:
    """The files below a folder by name. Symbolic links are reported and not followed."""
    if folder.is_symlink():
        notices.append(f"{folder.name} is a link, and links are not followed")
        return
    try:
        with os.scandir(folder) as entries:
            # A folder with very many entries is cut before it is sorted.
            found = sorted((one for one, _ in zip(entries, range(_MOST_ENTRIES), strict=False)), key=lambda one: one.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    for one in found:
        if one.name.startswith("."):
            continue
        if one.is_symlink():
            notices.append(f"{one.name} is a link, and links are not followed")
        elif one.is_dir(follow_symlinks=False):
            if depth < _DEEPEST:
                yield from _paths(folder / one.name, notices, depth + 1)
        elif one.name.endswith(ENDING):
            yield folder / one.name
