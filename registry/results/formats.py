"""The formats of an export, the file to save to, and files in a response; CSV (RFC 4180) is safe to open.

In CSV the beginnings of formulas and control characters are escaped.
"""

import csv
import errno
import io
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from registry.calling.receiving import ENDINGS, UNKNOWN, endings_of
from registry.files.folders import file_name, out_of_reach, put_in_place, unnamed_file
from registry.results.spool import PropertyPath, string
from registry.text.shown import bare, exact_text, visible_line

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# Full-width signs start a formula, too, where such text is written.
_BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
ExportFormat = Literal["json", "ndjson", "csv", "parquet"]

# One JSON text as received, or the items of a list, one JSON text each; they may be on disk and many.
ExportSource = bytes | Sequence[bytes]

TITLES: Mapping[ExportFormat, str] = {"json": "JSON", "ndjson": "NDJSON", "csv": "CSV", "parquet": "Parquet"}

Concern = Literal["path", "taken", "format", "columns", "items"]


class NotExported(Exception):
    """Nothing was saved: why, in words, what to do next, and what must be changed."""

    def __init__(self, cause: str, next_step: str, concern: Concern) -> None:
        super().__init__(f"{cause} {next_step}")
        self.cause = cause
        self.next_step = next_step
        self.concern = concern


class ExportOptions(Struct, frozen=True):
    """How to save a result.

    Attributes:
        laid_out: JSON with one property per line; otherwise exactly as received.
        columns: the properties for CSV and Parquet, as paths of names; None for all.
        items_at: where the list is in one JSON text (`Result.items_at`), for formats that are written item by item.
    """

    format: ExportFormat = "json"
    laid_out: bool = True
    masked: bool = True
    columns: Sequence[PropertyPath] | None = None
    items_at: str | None = None


class Saved(Struct, frozen=True):
    """What was saved: path, size in bytes, number of items (None for one whole response), number of redacted values."""

    path: Path
    size: int
    items: int | None
    masked: int


def line(cells: Iterable[str], *, end: str = "\r\n") -> str:
    """One line of CSV, with an apostrophe before each text that would be a formula."""
    text = io.StringIO()
    safe = [f"'{one}" if one.startswith(_BEGINS_A_FORMULA) and not _NUMBER.fullmatch(one) else one for one in cells]
    csv.writer(text, lineterminator=end).writerow(safe)
    return text.getvalue()


def csv_lines(titles: Sequence[str], rows: Iterable[Sequence[bytes | None]]) -> Iterator[bytes]:
    """A line of column names, and a line for each row of JSON texts.

    Null and missing values are empty cells; control characters are escaped.
    """
    yield line(titles).encode()
    for row in rows:
        yield line(_plain(value) for value in row).encode()


def _plain(value: bytes | None) -> str:
    if value is None or value == b"null":
        return ""
    said = string(value)
    return exact_text(said if said is not None else value.decode("utf-8", errors="replace"))


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


ReturnedFile = tuple[str, bytes]  # a media type, as the server names it, and the bytes

_KNOWN = frozenset(ending for endings in ENDINGS.values() for ending in endings) | {UNKNOWN}


def ending_of(media_type: str) -> str:
    """The file extension of a media type, without the dot; ``bin`` for types that are not on the list."""
    return endings_of(media_type)[0]


def named(file: ReturnedFile) -> str:
    """A file in a few words."""
    kind = bare(file[0])
    return visible_line(kind) if kind in ENDINGS else "other bytes"


def wanted(files: Sequence[ReturnedFile], target: Path) -> list[ReturnedFile]:
    """The files that match the extension of a name; empty if it is not the extension of a file type.

    Raises:
        NotExported: it is the extension of a file type, and there is no file of that type.
    """
    ending = target.suffix.lstrip(".").lower()
    found = [one for one in files if ending in endings_of(one[0])]
    if found or ending not in _KNOWN:
        return found
    there = ", ".join(dict.fromkeys(f".{ending_of(kind)}" for kind, _ in files))
    has = f"It has {there}." if there else "It has no files: save it as .json."
    raise NotExported(f"The response has no .{ending}.", has, "format")


def save_files(files: Sequence[ReturnedFile], target: Path, *, replace: bool = False) -> list[Saved]:
    """Write files, readable only by their owner: the first under the name, further ones under numbered names.

    Raises:
        NotExported: it failed; says why, and what to do.
    """
    saved = []
    for place, (_, content) in enumerate(files):
        path = target if place == 0 else free_name(target)
        try:
            with unnamed_file(path.parent, path.name) as one:
                one.write(content)
                put_in_place(one, path, replace=replace and place == 0)
        except OSError as error:
            raise refused(error, path) from None
        saved.append(Saved(path, len(content), None, 0))
    return saved
