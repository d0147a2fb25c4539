"""Folders and files of the program: read, written atomically, locked for one process; and why that failed, in words.

All of them are in folders that only their owner can read, which are created only here: `Path.mkdir` sets its mode only on the
last folder. Only regular files are opened, because opening a named pipe would wait for another program, perhaps for ever.
Damaged files are renamed, never overwritten.

A reader sees the old file or the new one, never a part: a temporary file is written in the same folder, readable by its owner
only, and renamed when it is complete. An existing file is replaced only on request.

``callboard serve`` starts a run for each tab with its own folder in `VARIABLE`. Saved files go there, and the browser gets them
as downloads. ``callboard mcp`` has the folder that its user named for agents in `AGENTS`; none at all if that is empty.
"""

import errno
import fcntl
import math
import os
import re
import shlex
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from platformdirs import user_config_path

_LONGEST = 160
_DAMAGED = ("NOTADB", "CORRUPT")
"""SQLite's names for errors of a file that only its user can repair."""

_PYTHONS = re.compile(
    r"\[Errno -?\d+\] |\s?\(_ssl\.c:\d+\)|Error -?\d+ while decompressing data: |:? (?:bytearray\()?b['\"].*", re.DOTALL
)
"""What Python adds around the system's own error messages."""


def reason(error: Exception, file: Path | None = None) -> str:
    """Why something failed: ``/home/ada/x.json: Permission denied``; `file` is for errors that do not name it.

    For types other than `OSError`, for instance a database's, the error's own message is used.
    """
    words, named = str(error), file
    if isinstance(error, OSError):
        words = error.strerror or (os.strerror(error.errno) if error.errno else "it cannot be read or written")
        if words.startswith("No usable temporary directory"):  # Python's message, which lists all folders that it tried
            words = "no folder for temporary files can be written; set TMPDIR"
        if isinstance(error.filename, str | bytes):
            named = Path(os.fsdecode(error.filename))
    if getattr(error, "sqlite_errorname", "").partition("_")[2].startswith(_DAMAGED):
        words += "; move it away, and a new one is made"
    name = str(named)
    name = name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 :]}"
    return words if named is None else f"{name}: {words}"


def network_words(error: BaseException) -> str:
    """The message of an error of the network, without what Python adds to the system's: ``Name or service not known``."""
    return _PYTHONS.sub("", str(error))


def is_local(error: BaseException) -> bool:
    """Whether an error's cause is an existing file or folder that cannot be used."""
    return isinstance(error.__cause__, OSError) and not isinstance(error.__cause__, FileNotFoundError)


def how_to_install(extra: str) -> str:
    """The extra and the command, to follow on "install": ``the extra callboard[mcp]: …/python -m pip install 'mcp>=2.3'``.

    It names the libraries and the running Python, so it works in a checkout, with uv and for a wheel, and takes no package that
    happens to be called callboard in an index. pipx keeps what it injected when it upgrades Callboard.
    """
    python = shlex.quote(sys.executable)
    if Path(sys.prefix, "pipx_metadata.json").exists():
        installer = "pipx inject callboard"
    elif find_spec("pip") is not None:
        installer = f"{python} -m pip install"
    else:
        installer = f"uv pip install --python {python}"
    of_it = re.compile(rf"""(.*?)\s*;\s*extra\s*==\s*["']{extra}["']""")
    libraries = [found[1] for one in metadata.requires("callboard") or [] if (found := of_it.fullmatch(one))]
    return f"the extra callboard[{extra}]: {installer} {shlex.join(libraries)}"


_VARIABLES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def private_folder(folder: Path) -> Path:
    """Create a folder and its missing parents, for its owner only (mode 0700); return it.

    Raises:
        OSError: it cannot be created, or is not a folder.
    """
    missing = [folder, *folder.parents]
    missing = missing[: next((place for place, one in enumerate(missing) if one.exists()), len(missing))]
    for one in reversed(missing):
        with suppress(FileExistsError):  # another program was first
            one.mkdir(mode=0o700)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    return folder


def names_in(folder: Path) -> list[str]:
    """The names in a folder, sorted; none if it does not exist yet.

    Raises:
        OSError: it cannot be read, is not a folder, or is a link to nothing.
    """
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        check_links(folder)
        return []


def check_links(path: Path) -> None:
    """Call this for a path that does not exist: what a link leads to, for instance on another disk, must not look empty.

    Raises:
        OSError: it, or a folder above it, is a link to nothing.
    """
    there = next((one for one in (path, *path.parents) if os.path.lexists(one)), None)
    if there is not None and not there.exists():
        raise OSError(errno.ENOLINK, "it is a link to something that does not exist", str(there))


def exists(file: Path) -> bool:
    """Whether there is a file.

    Raises:
        OSError: it cannot be found out, for instance for a link to nothing: what cannot be read must not look empty.
    """
    with suppress(FileNotFoundError):
        file.stat()
        return True
    check_links(file)
    return False


def open_plain(file: Path) -> BinaryIO:
    """Open a file to read bytes.

    Raises:
        FileNotFoundError: there is none.
        OSError: it cannot be opened, or is a folder, a pipe, a device or a link to nothing; the null device is an empty file.
    """
    try:
        about = file.stat()
    except FileNotFoundError:
        check_links(file)
        raise
    if not (stat.S_ISREG(about.st_mode) or stat.S_ISDIR(about.st_mode)) and not os.path.samestat(about, os.stat(os.devnull)):
        raise OSError(errno.EINVAL, "it is not a regular file", str(file))
    return file.open("rb")  # a folder is refused by the system


def put_aside(file: Path, ending: str | None = None) -> Path | None:
    """Rename a damaged file to ``NAME.broken.json``, or to ``NAME.broken-2.json`` if that name is taken; returns its new name.

    Another ending is for folders in which every file with the old one is read. None: it could not be renamed.
    """
    ending = file.suffix if ending is None else ending
    names = (f"{file.stem}.broken{f'-{number}' if number else ''}" for number in (0, *range(2, 100)))
    with suppress(OSError):
        return next((file.replace(one) for name in names if not os.path.lexists(one := file.with_name(name + ending))), None)
    return None


def config_file(environment: Mapping[str, str]) -> Path:
    """The path of the settings: ``CALLBOARD_CONFIG``, or ``config.toml`` in the user's folder for settings."""
    named = environment.get("CALLBOARD_CONFIG")
    return Path(named) if named else user_config_path("callboard") / "config.toml"


def without_relative(environment: MutableMapping[str, str] = os.environ) -> Iterator[str]:
    """Ignore folders that are not absolute, as the XDG Base Directory Specification says; yields a sentence for each.

    A relative folder would give each working directory its own history and audit log.
    """
    for name in _VARIABLES:
        if (value := environment.get(name)) and not os.path.isabs(value):
            del environment[name]
            yield f"{name} is ignored: {value!r} is not an absolute path."


_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_BETWEEN_TRIES = 0.02
_LONGEST_STEM = 56
"""Characters of a target's name in that of its temporary file, which may have 255 bytes."""


def file_name(text: str, otherwise: str) -> str:
    """A text as a file's name without ending: invalid characters are replaced; `otherwise` if nothing remains."""
    return _UNFIT.sub("-", text).strip("-.")[:100] or otherwise


@contextmanager
def unnamed_file(folder: Path, stem: str) -> Iterator[BinaryIO]:
    """A temporary file in an existing folder, to write bytes to; it is removed at the end unless it was `put_in_place`.

    Raises:
        OSError: the file cannot be created or written.
    """
    handle, name = tempfile.mkstemp(".unfinished", f".{stem[:_LONGEST_STEM]}-", folder)
    try:
        with open(name, "wb", opener=lambda *_: handle) as file:  # the same file, whoever may write in its folder
            yield file
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def put_in_place(file: BinaryIO, final: Path, *, replace: bool = False) -> None:
    """Give an `unnamed_file` its final name, in the folder in which it was created.

    Raises:
        FileExistsError: the name is taken, and the file may not be replaced.
        OSError: it could not be renamed.
    """
    if not file.closed:  # it may be called again if the first name was taken
        file.flush()
        os.fsync(file.fileno())
        file.close()
    if not replace:
        try:
            os.link(file.name, final)  # fails if the name is taken, so no file is ever overwritten
            return
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            os.close(os.open(final, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    os.replace(file.name, final)


def replace_text(file: Path, content: str) -> None:
    """Write a text file, or replace it; readable by its owner only.

    Raises:
        OSError: it could not be written; the file is unchanged.
    """
    with unnamed_file(file.parent, file.name) as written:
        written.write(content.encode("utf-8"))
        put_in_place(written, file, replace=True)


@contextmanager
def file_lock(file: Path, patience: float = math.inf) -> Iterator[None]:
    """Create the file's folder, and hold the lock of this file. Waits so many seconds while another process holds it.

    Raises:
        TimeoutError: another process held it all the time.
        OSError: the folder or the lock cannot be created.
    """
    private_folder(file.parent)
    lock, until = file.with_suffix(".lock"), time.monotonic() + patience
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if _is_locked(handle, lock):
                yield
                return
            if time.monotonic() > until:
                raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
            time.sleep(_BETWEEN_TRIES)
        finally:
            os.close(handle)


def _is_locked(handle: int, lock: Path) -> bool:
    """Lock an open file; whether that was possible, and it still has this path: others would lock a new one."""
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(handle), os.stat(lock))
    return False


VARIABLE = "CALLBOARD_SERVED"
AGENTS = "CALLBOARD_AGENTS_FILES"
_REFUSALS = {
    VARIABLE: "in a browser, only names of files of this tab are taken",
    AGENTS: "agents send files only from the folder that callboard mcp --files names",
}


def served_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The folder for the files of a run in a browser; None for a run in a terminal."""
    named = environment.get(VARIABLE, "")
    return Path(named) if named else None


def out_of_reach(path: str | Path, environment: Mapping[str, str] = os.environ) -> str:
    """Why a path must not be read or written; empty if it may. Follows links.

    Raises:
        OSError, RuntimeError, ValueError: the path cannot be followed.
    """
    for variable, refusal in _REFUSALS.items():
        folder = environment.get(variable)
        if folder is not None and not Path(os.path.expanduser(path)).resolve().is_relative_to(
            Path(folder or os.devnull).resolve()
        ):
            return refusal
    return ""


def check_reach(path: str | Path) -> None:
    """Raise PermissionError if a path is `out_of_reach`."""
    if refusal := out_of_reach(path):
        raise PermissionError(errno.EACCES, refusal)
