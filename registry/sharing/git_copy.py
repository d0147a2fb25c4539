"""Copies of shared git repositories, below the cache folder: made and updated here, read as folders.

A copy is a folder of plain files; ``current.json`` beside it names the current one. A newer copy is made beside the older one
and becomes current in one step, so a reader sees one state or the other, and a failed update changes nothing. Nothing is
checked out: the wanted files are read from git's objects one by one, so that links, attributes, filters, hooks and submodules
of the repository have no effect.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from registry.files.atomic_file import file_lock, replace_text
from registry.files.folders import private_folder
from registry.files.reasons import reason
from registry.sharing.folder import ENDING, KINDS, MOST_BYTES, MOST_FILES, MOST_IN_ALL, SharedFolder
from registry.sharing.git import GitFailed, git
from registry.sharing.setting import SharedSource
from registry.text.safe_text import visible_line

FRESH = 3_600.0
"""Seconds after an update, or a failed one, before the next update in the background."""

_CURRENT = "current.json"
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._ -]{0,149}", re.ASCII)
_COMMIT = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64})\b")
_COPY = re.compile(r"[0-9a-f]{12}-[0-9a-f]{8}")
_MOST_SKIPPED = 10
_PATIENCE = 120.0
_ODD = "git printed what this program does not understand"


class NotUpdated(Exception):
    """A copy could not be updated; the text says why. The existing copy stays."""


@dataclass(frozen=True, slots=True)
class _State:
    """The content of ``current.json``."""

    copy: str = ""
    commit: str = ""
    updated: float = 0.0
    tried: float = 0.0
    failed: str = ""
    skipped: tuple[str, ...] = ()


def copy_of(source: SharedSource) -> SharedFolder:
    """The current copy of a repository."""
    state = _read(source)
    notices = [f"{source.name}: {words}" for words in state.skipped]
    if state.failed:
        notices.append(f"{source.name}: the last update failed: {state.failed}")
    path = _folder(source) / state.copy if state.copy else None
    return SharedFolder(source, path, state.updated if path is not None else None, tuple(notices))


def update(source: SharedSource, clock: Callable[[], float] = time.time) -> str:
    """Update the copy of a repository; returns what was done, in words. Blocks.

    Raises:
        NotUpdated: it could not be updated; the existing copy stays.
    """
    place = _folder(source)
    try:
        with file_lock(place / "update", _PATIENCE):
            return _update(source, place, clock)
    except TimeoutError:
        raise NotUpdated("another program is updating it") from None
    except OSError as error:
        raise NotUpdated(reason(error)) from None


def update_in_background(folders: Sequence[SharedFolder], clock: Callable[[], float] = time.time) -> threading.Thread | None:
    """Update the copies that are due, in a thread that nothing waits for; None if no copy is due."""
    due = [one.source for one in folders if one.source.is_git and clock() - _last(one.source) >= FRESH]
    if not due or not _background.acquire(blocking=False):
        return None

    def work() -> None:
        try:
            for one in due:
                with suppress(NotUpdated):  # shown with the copy
                    update(one, clock)
        finally:
            _background.release()

    thread = threading.Thread(target=work, name="shared folders", daemon=True)
    thread.start()
    return thread


_background = threading.Lock()


def _last(source: SharedSource) -> float:
    state = _read(source)
    return max(state.updated, state.tried)


def _update(source: SharedSource, place: Path, clock: Callable[[], float]) -> str:
    state = _read(source)
    try:
        work = private_folder(place / f"work-{secrets.token_hex(4)}")
        try:
            commit = _newest(source, work)
            if commit == state.commit and state.copy:
                _write(place, _State(state.copy, commit, clock(), clock(), skipped=state.skipped))
                return "already up to date"
            name, skipped = _fetched(source, place, work)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except (GitFailed, OSError, ValueError, IndexError) as error:
        words = str(error) if isinstance(error, GitFailed) else reason(error) if isinstance(error, OSError) else _ODD
        why = _without_address(words, source)
        _write(place, _State(state.copy, state.commit, state.updated, clock(), why, state.skipped))
        raise NotUpdated(why) from None
    _write(place, _State(name, commit, clock(), clock(), skipped=tuple(skipped[:_MOST_SKIPPED])))
    for other in place.iterdir():
        # Another program may still read the previous copy.
        if _COPY.fullmatch(other.name) and other.name not in (name, state.copy):
            shutil.rmtree(other, ignore_errors=True)
    count = sum(1 for _ in (place / name).rglob(f"*{ENDING}"))
    return f"updated to {commit[:10]}, {count} {'file' if count == 1 else 'files'}"


def _newest(source: SharedSource, work: Path) -> str:
    """The newest commit of the branch."""
    wanted = f"refs/heads/{source.branch}" if source.branch else "HEAD"
    said = git("ls-remote", "--", source.address, wanted, folder=work)
    found = _COMMIT.match(said)
    if found is None:
        raise GitFailed(f"no branch {source.branch}" if source.branch else "the repository is empty")
    return found[1].decode()


def _fetched(source: SharedSource, place: Path, work: Path) -> tuple[str, list[str]]:
    """Fetch the newest commit and extract the wanted files; returns the copy's name, and notices about skipped files."""
    branch = ("--branch", source.branch) if source.branch else ()
    repository = work / "repository"
    options = ("--bare", "--depth=1", "--single-branch", "--no-tags", "--quiet", "--template=", *branch)
    git("clone", *options, "--", source.address, str(repository), folder=work)
    inside = (f"--git-dir={repository}",)
    commit = git(*inside, "rev-parse", "--verify", "HEAD", folder=work).decode().strip()
    listed = git(*inside, "ls-tree", "-r", "-z", "-l", "HEAD", "--", *KINDS, folder=work)
    skipped: list[str] = []
    wanted = _wanted(listed, skipped)
    name = f"{commit[:12]}-{secrets.token_hex(4)}"
    copy = private_folder(place / name)
    objects = git(*inside, "cat-file", "--batch", folder=work, fed="".join(f"{one}\n" for one in wanted.values()).encode())
    for path, content in zip(wanted, _objects(objects), strict=True):
        file = copy / path
        private_folder(file.parent)
        with open(file, "wb", opener=_for_its_owner) as written:
            written.write(content)
    return name, skipped


def _wanted(listed: bytes, skipped: list[str]) -> Mapping[str, str]:
    """Path → object of the wanted files, from git's list: mode, type, object, size and path of each."""
    found: dict[str, str] = {}
    counts = dict.fromkeys(KINDS, 0)
    size = 0
    for line in filter(None, listed.split(b"\0")):
        head, _, raw = line.partition(b"\t")
        mode, type_, object_, length = head.decode("ascii").split()
        path = raw.decode("utf-8", "replace")
        parts = path.split("/")
        if not path.endswith(ENDING) or any(part.startswith(".") for part in parts):
            continue
        kind = next((one for one in KINDS if one == parts[0]), None)
        shown = visible_line(path)[:120]
        if type_ != "blob" or mode == "120000":
            skipped.append(f"{shown} is a link, and links are not followed")
        elif kind is None or not 2 <= len(parts) <= 3 or not all(_PART.fullmatch(part) for part in parts):
            skipped.append(f"{shown} has a name that is not used: letters, digits, “.”, “_”, “-”, at most one folder deep")
        elif int(length) > MOST_BYTES:
            skipped.append(f"{shown} is too large: at most {MOST_BYTES // 1024} KiB")
        elif counts[kind] >= MOST_FILES or size + int(length) > MOST_IN_ALL:
            skipped.append(f"{shown} is one file too many")
        else:
            found[path] = object_
            counts[kind] += 1
            size += int(length)
    return found


def _objects(printed: bytes) -> Iterable[bytes]:
    """The contents that ``git cat-file --batch`` printed, in the order of the request."""
    at = 0
    while at < len(printed):
        end = printed.index(b"\n", at)
        length = int(printed[at:end].split()[2])
        yield printed[end + 1 : end + 1 + length]
        at = end + 1 + length + 1


def _for_its_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _folder(source: SharedSource) -> Path:
    from platformdirs import user_cache_path

    digest = hashlib.sha256(f"{source.address}#{source.branch}".encode()).hexdigest()[:24]
    return user_cache_path("callboard") / "shared" / digest


def _read(source: SharedSource) -> _State:
    """The state of a copy; an empty state if there is no copy, or its file is invalid."""
    place = _folder(source)
    try:
        found: dict[str, Any] = json.loads((place / _CURRENT).read_text("utf-8"))
        state = _State(
            str(found["copy"]),
            str(found["commit"]),
            float(found["updated"]),
            float(found["tried"]),
            str(found["failed"]),
            tuple(map(str, found["skipped"])),
        )
    except (OSError, ValueError, TypeError, KeyError):
        return _State()
    is_there = _COPY.fullmatch(state.copy) and (place / state.copy).is_dir()
    return state if is_there else _State(tried=state.tried, failed=state.failed)


def _write(place: Path, state: _State) -> None:
    content = {name: getattr(state, name) for name in ("copy", "commit", "updated", "tried", "failed", "skipped")}
    replace_text(place / _CURRENT, json.dumps(content))


def _without_address(words: str, source: SharedSource) -> str:
    """Git's message with the name instead of the address, which should not be shown to others."""
    return words.replace(source.address, source.name)
