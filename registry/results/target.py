"""The file to save to: a path as typed, checked before anything is written, and a suggested name."""

import errno
import os
import time
from collections.abc import Mapping
from pathlib import Path

from registry.files.folders import file_name
from registry.files.served import out_of_reach
from registry.results.formats import NotExported
from registry.text.safe_text import visible_line


def suggested_name(subject: str, at: float, ending: str) -> str:
    """A file name from subject and (local) time: ``ListPaymentsCustomers-20260301-104500.csv``."""
    return f"{file_name(subject, 'answer')}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(at))}.{ending}"


def free_name(path: Path) -> Path:
    """The path, or, if that file exists, the first free one of ``name-2.csv``, ``name-3.csv``."""
    names = (path, *(path.with_stem(f"{path.stem}-{number}") for number in range(2, 1_000)))
    return next((one for one in names if not os.path.lexists(one)), path)


def target_of(text: str, folder: Path, *, replace: bool = False) -> Path:
    """The file for a typed path; ``~`` is the home folder, and a relative path starts in `folder`. Creates nothing.

    Raises:
        NotExported: such a file is not possible, or exists already.
    """
    text = text.strip()
    if not text:
        raise NotExported("No file name.", "Enter a path for the file.", "path")
    try:
        # Follow symbolic links, so that messages name the file that is replaced.
        path = (folder / Path(os.path.expanduser(text))).resolve()
        if "\0" in text or path.is_symlink():  # a loop; from Python 3.13 on, neither is an error
            raise ValueError
        if out_of_reach(path):
            raise NotExported("A browser downloads what is saved.", f"Enter a name alone: {visible_line(path.name)}.", "path")
        if text.endswith(("/", os.sep)) or path.is_dir():
            raise NotExported(f"{_shown(path)} is a folder.", "Add a file name.", "path")
        if not path.parent.is_dir():
            raise NotExported(f"No such folder: {_shown(path.parent)}.", "Create it, or choose another folder.", "path")
        if path.exists() and not path.is_file():
            raise NotExported(f"{_shown(path)} is not a regular file.", "Choose another name.", "path")
        if path.exists() and not replace:
            free = visible_line(free_name(path).name)
            raise NotExported(f"{_shown(path)} already exists.", f"{free} is free; or allow overwriting.", "taken")
    except (RuntimeError, ValueError):  # a home folder of an unknown user, a loop of links, a null character
        raise NotExported(f"{visible_line(text)} is not a valid path.", "Choose another path.", "path") from None
    except OSError as error:
        raise refused(error, Path(text)) from None
    return path


_REFUSED: Mapping[int, tuple[str, str]] = {
    errno.ENOSPC: ("No space left in {folder}.", "Free some space, or choose another folder."),
    errno.EDQUOT: ("No space left in {folder}.", "Free some space, or choose another folder."),
    errno.EACCES: ("No permission to write in {folder}.", "Choose another folder."),
    errno.EPERM: ("No permission to write in {folder}.", "Choose another folder."),
    errno.EROFS: ("{folder} is read-only.", "Choose another folder."),
    errno.ENAMETOOLONG: ("The name is too long.", "Choose a shorter one."),
    errno.EISDIR: ("{file} is a folder.", "Add a file name."),
}


def refused(error: OSError, path: Path) -> NotExported:
    """The error for a file that cannot be written, from the system's error."""
    if error.errno == errno.EEXIST:
        return NotExported(f"{_shown(path)} already exists.", "Choose another name, or allow overwriting.", "taken")
    reason = visible_line(error.strerror or str(error))
    cause, way_out = _REFUSED.get(error.errno or 0, (f"Cannot write {{file}}: {reason}.", "Choose another path."))
    return NotExported(cause.format(folder=_shown(path.parent), file=_shown(path)), way_out, "path")


def _shown(path: Path) -> str:
    return visible_line(str(path))
