"""Where something is saved: a path as a person types it, checked before anything is written, and a name to propose."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

from registry.display.safe_text import visible_line
from registry.export.formats import NotExported
from registry.storage.atomic_file import file_name
from registry.storage.served import out_of_reach


def suggested_name(subject: str, at: float, ending: str) -> str:
    """A file name that tells what and when: ``ListPaymentsCustomers-20260301-104500.csv``.

    Args:
        subject: what it is about; characters that do not belong into a file name are replaced.
        at: when it came, in Unix seconds; told in local time.
        ending: without the dot.
    """
    return f"{file_name(subject, 'answer')}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(at))}.{ending}"


def free_name(path: Path) -> Path:
    """The path, or, where there is such a file already, the first of ``name-2.csv``, ``name-3.csv`` that is free."""
    names = (path, *(path.with_stem(f"{path.stem}-{number}") for number in range(2, 1_000)))
    return next((one for one in names if not os.path.lexists(one)), path)


def target_of(text: str, folder: Path, *, replace: bool = False) -> Path:
    """The file that a person means. Nothing is made yet.

    Args:
        text: the path; ``~`` is the home folder, and a relative path starts in `folder`.
        folder: where relative paths start.
        replace: whether a file that is there may be written over.

    Raises:
        NotExported: there can be no such file, or it is there already.
    """
    text = text.strip()
    if not text:
        raise NotExported("No file name.", "Enter a path for the file.", "path")
    if "\0" in text:
        raise NotExported("A path cannot contain a null character.", "Remove it.", "path")
    try:
        # A link is followed, so that the file which it names is the one that is told and replaced.
        path = (folder / Path(os.path.expanduser(text))).resolve()
        if out_of_reach(path):
            raise NotExported("A browser downloads what is saved.", f"Enter a name alone: {visible_line(path.name)}.", "path")
        if path.is_symlink():
            raise RuntimeError  # links in a circle: Python 3.13 gives them back, older ones raise this
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
    except RuntimeError:  # a home folder of nobody, or links in a circle
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
