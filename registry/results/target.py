"""The file to save to: a path as typed, checked before anything is written, and a suggested name."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

from registry.files.atomic_file import file_name
from registry.files.served import out_of_reach
from registry.results.formats import NotExported
from registry.text.safe_text import visible_line


def suggested_name(subject: str, at: float, ending: str) -> str:
    """A file name from subject and time: ``ListPaymentsCustomers-20260301-104500.csv``.

    Args:
        subject: its first part; characters that are invalid in file names are replaced.
        at: when the result was received, in Unix seconds; written in local time.
        ending: the extension without the dot.
    """
    return f"{file_name(subject, 'answer')}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(at))}.{ending}"


def free_name(path: Path) -> Path:
    """The path, or, if that file exists, the first free one of ``name-2.csv``, ``name-3.csv``."""
    names = (path, *(path.with_stem(f"{path.stem}-{number}") for number in range(2, 1_000)))
    return next((one for one in names if not os.path.lexists(one)), path)


def target_of(text: str, folder: Path, *, replace: bool = False) -> Path:
    """The file for a typed path. Creates nothing.

    Args:
        text: the path; ``~`` is the home folder, and a relative path starts in `folder`.
        folder: where relative paths start.
        replace: whether an existing file may be overwritten.

    Raises:
        NotExported: such a file is not possible, or exists already.
    """
    text = text.strip()
    if not text:
        raise NotExported("No file name.", "Enter a path for the file.", "path")
    if "\0" in text:
        raise NotExported("A path cannot contain a null character.", "Remove it.", "path")
    try:
        # Follow symbolic links, so that messages name the file that is replaced.
        path = (folder / Path(os.path.expanduser(text))).resolve()
        if out_of_reach(path):
            raise NotExported("A browser downloads what is saved.", f"Enter a name alone: {visible_line(path.name)}.", "path")
        if path.is_symlink():
            raise RuntimeError  # a loop of links: Python 3.13 returns it, older versions raise this
        if text.endswith(("/", os.sep)) or path.is_dir():
            raise NotExported(f"{_shown(path)} is a folder.", "Add a file name.", "path")
        if not path.parent.exists():
            raise NotExported(f"No such folder: {_shown(path.parent)}.", "Create it, or choose another folder.", "path")
        if not path.parent.is_dir():
            raise NotExported(f"{_shown(path.parent)} is not a folder.", "Choose another one.", "path")
        if path.exists() and not path.is_file():
            raise NotExported(f"{_shown(path)} is not a regular file.", "Choose another name.", "path")
        if path.exists() and not replace:
            free = visible_line(free_name(path).name)
            raise NotExported(f"{_shown(path)} already exists.", f"{free} is free; or allow overwriting.", "taken")
    except RuntimeError:  # a home folder of an unknown user, or a loop of links
        raise NotExported(f"{visible_line(text)} is not a valid path.", "Choose another path.", "path") from None
    except OSError as error:
        raise refused(error, Path(text)) from None
    return path


def refused(error: OSError, path: Path) -> NotExported:
    """The error for a file that cannot be written, from the system's error."""
    where = _shown(path.parent)
    match error.errno:
        case errno.EEXIST:
            return NotExported(f"{_shown(path)} already exists.", "Choose another name, or allow overwriting.", "taken")
        case errno.ENOSPC | errno.EDQUOT:
            return NotExported(f"No space left in {where}.", "Free some space, or choose another folder.", "path")
        case errno.EACCES | errno.EPERM:
            return NotExported(f"No permission to write in {where}.", "Choose another folder.", "path")
        case errno.EROFS:
            return NotExported(f"{where} is read-only.", "Choose another folder.", "path")
        case errno.ENAMETOOLONG:
            return NotExported("The name is too long.", "Choose a shorter one.", "path")
        case errno.EISDIR:
            return NotExported(f"{_shown(path)} is a folder.", "Add a file name.", "path")
        case errno.EFBIG:
            return NotExported(f"The file is too large for {where}.", "Choose another folder.", "path")
    reason = visible_line(error.strerror or str(error))
    return NotExported(f"Cannot write {_shown(path)}: {reason}.", "Choose another path.", "path")


def _shown(path: Path) -> str:
    return visible_line(str(path))
