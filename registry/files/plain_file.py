"""Files that are read: only regular ones are opened, and damaged ones are renamed, never overwritten.

Opening a named pipe would wait until another program writes into it, perhaps for ever.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from registry.files.folders import check_links

_MOST_ASIDE = 100


def open_plain(file: Path) -> BinaryIO:
    """Open a file to read bytes.

    Raises:
        FileNotFoundError: there is none.
        OSError: it cannot be opened, or is a folder, a pipe, a device or a link to nothing; only the null device counts as an
            empty file.
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

    Another ending is for folders in which every file with the old one is read. None: it could not be renamed, and stays in
    place.
    """
    ending = file.suffix if ending is None else ending
    names = (f"{file.stem}.broken{f'-{number}' if number else ''}" for number in (0, *range(2, _MOST_ASIDE)))
    with suppress(OSError):
        return next((file.replace(one) for name in names if not os.path.lexists(one := file.with_name(name + ending))), None)
    return None
