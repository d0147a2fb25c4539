"""Saves a result or a list in a format, or returns it as text. Lists of any length are read piece by piece.

As rows, nested properties become separate columns (``address.city``) and arrays stay JSON inside a cell. Values are the JSON
texts that were received, so nothing is rounded. An item that is not an object is one cell in a separate column.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from registry.accounts.secrets import MASK
from registry.calling.listing import listing_in
from registry.calling.receiving import is_sensitive, mask
from registry.calling.result import Result
from registry.files.folders import put_in_place, unnamed_file
from registry.json_text import NotJson, lay_out
from registry.results.arrow import library, write_parquet
from registry.results.formats import ExportOptions, ExportSource, NotExported, Saved, csv_lines, refused
from registry.results.spool import PropertyPath, members, pick
from registry.results.table import Check, go_on, watched
from registry.text.shown import exact_json, visible_line

_DEEPEST, _MOST_COLUMNS = 6, 2_000
_MASK = MASK.encode()
MOST_TO_COPY = 16_000_000


def save(source: ExportSource, target: Path, wish: ExportOptions, *, replace: bool = False, check: Check = go_on) -> Saved:
    """Write a file, readable only by its owner. It gets its name, from `target_of`, only when it is complete.

    For CSV, Parquet and NDJSON, one JSON text means the list inside it, or itself as the only item. `check` is called from time
    to time with the number of written items, and may raise to cancel, which leaves nothing behind.

    Raises:
        NotExported: it failed; says why, and what to do.
    """
    writer = _Writer(source, wish, check)
    try:
        with unnamed_file(target.parent, target.name) as one:
            if wish.format == "parquet":
                writer.write_parquet(one)
            else:
                one.writelines(writer.pieces())
            size = one.tell()
            check(writer.count or 0)
            put_in_place(one, target, replace=replace)
    except OSError as error:
        raise refused(error, target) from None
    return Saved(target, size, writer.count, writer.masked)


def as_text(
    source: ExportSource, wish: ExportOptions, *, most: int | None = MOST_TO_COPY, check: Check = go_on
) -> tuple[str, int]:
    """The same as a text, of at most `most` bytes; and the number of redacted values.

    Raises:
        NotExported: the format is not text, or the text is too long to copy.
    """
    if wish.format == "parquet":
        cause = "Parquet is a binary format and cannot be printed or copied."
        raise NotExported(cause, "Save it to a file, or choose another format.", "format")
    writer, text = _Writer(source, wish, check), bytearray()
    for piece in writer.pieces():
        text += piece
        if most is not None and len(text) > most:
            raise NotExported("Too long to copy.", "Save it to a file.", "format")
    return text.decode("utf-8", errors="replace"), writer.masked


def items_of(source: ExportSource, at: str | None = None) -> Sequence[bytes]:
    """The items of a list; for one JSON text the items of the list inside it, perhaps at the path `at`, or the text itself.

    Raises:
        NotExported: the text is not JSON.
    """
    if not isinstance(source, bytes):
        return source
    try:
        listing = listing_in(source, at)
    except NotJson as error:
        raise NotExported(f"The response cannot be laid out: {error}.", "Save it unchanged instead (raw).", "format") from None
    return listing.items if listing is not None else [source]


_SPACES = bytes.maketrans(b"\r\n", b"  ")
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class _Writer:
    """Writes one source, and counts its items (None for one text that is written as a whole) and its secrets."""

    def __init__(self, source: ExportSource, wish: ExportOptions, check: Check) -> None:
        self.masked, self.count = 0, None if isinstance(source, bytes) and wish.format == "json" else 0
        self._source, self._wish, self._check = source, wish, check

    def pieces(self) -> Iterator[bytes]:
        """It as text, piece by piece."""
        wish = self._wish
        if isinstance(self._source, bytes) and wish.format == "json":
            text = self._safe(self._source)
            yield laid_out(text) + b"\n" if wish.laid_out else text
            return
        items = self._items()
        if wish.format == "csv":
            columns = self._columns(items)
            yield from csv_lines(titles(columns), self._rows(items, columns, counting=True))
            return
        safe = map(self._safe, watched(items, self._check))
        if wish.format == "json":
            yield b"["
            for place, item in enumerate(safe):
                yield b",\n" if place else b"\n"
                # A line break in JSON text is never inside a string, so spaces may be added after each.
                yield _INDENT + laid_out(item).replace(b"\n", b"\n" + _INDENT) if wish.laid_out else item
            yield b"\n]\n" if items else b"]\n"
        else:  # line breaks are only outside strings, where they are white space
            yield from (item.strip(b" \t\r\n").translate(_SPACES) + b"\n" for item in safe)

    def write_parquet(self, file: BinaryIO) -> None:
        """Write it as Parquet."""
        library()
        items = self._items()
        columns = self._columns(items)
        passes = iter((False, True))
        write_parquet(file, titles(columns), lambda: self._rows(items, columns, counting=next(passes)))

    def _items(self) -> Sequence[bytes]:
        items = items_of(self._source, self._wish.items_at)
        self.count = len(items)
        return items

    def _columns(self, items: Sequence[bytes]) -> Sequence[PropertyPath]:
        """The chosen columns, or all properties of all items, in order of appearance; too many make no table."""
        if self._wish.columns is not None:
            return self._wish.columns
        found: dict[PropertyPath, None] = {}
        for item in watched(items, self._check):
            found |= dict.fromkeys(path for path, _ in _leaves(item, ()))
            if len(found) > _MOST_COLUMNS:
                cause = f"The items have more than {_MOST_COLUMNS:,} different properties, too many for a table."
                raise NotExported(cause, "Choose columns, or save them as NDJSON.", "columns")
        return list(found)

    def _rows(self, items: Sequence[bytes], columns: Sequence[PropertyPath], *, counting: bool) -> Iterator[list[bytes | None]]:
        # Chosen columns may be whole objects; found ones are leaves, and an item that is none has a column of its own.
        is_chosen = self._wish.columns is not None
        for item in watched(items, self._check):
            text = mask(item)[0] if self._wish.masked else item
            row = pick(text, columns) if is_chosen else [*map(dict(_leaves(text, ())).get, columns)]
            if counting and self._wish.masked:
                self.masked += sum(value.count(_MASK) for value in row if value is not None)
            yield row

    def _safe(self, text: bytes) -> bytes:
        """JSON for the output: redacted if wanted, with unsafe characters escaped."""
        if self._wish.masked:
            text, count = mask(text)
            self.masked += count
        if text.isascii() and not _CONTROLS.search(text):
            return text
        return exact_json(text.decode("utf-8", "replace")).encode()


# JSON and NDJSON, piece by piece: numbers, escapes and duplicate properties stay as received

_INDENT = b"  "


def laid_out(text: bytes) -> bytes:
    """A JSON text with one property per line.

    Raises:
        NotExported: the text is not JSON.
    """
    try:
        return lay_out(text)
    except NotJson as error:
        raise NotExported(f"The response cannot be laid out: {error}.", "Save it unchanged (raw).", "format") from None


_SESSIONS = ("set-cookie", "cookie", "authorization", "proxy-authorization", "www-authenticate")


def header_lines(result: Result) -> list[str]:
    """A line for each header, by name."""
    lines = []
    for name, value in sorted(result.headers.items()):
        is_secret = name in _SESSIONS or is_sensitive(json.dumps(name), json.dumps(value))
        lines.append(visible_line(f"{name}: {MASK if is_secret else value}"))
    return lines


def titles(columns: Iterable[PropertyPath]) -> list[str]:
    """A unique name for each column."""
    used: Counter[str] = Counter()
    named = []
    for path in columns:
        title = visible_line(".".join(path)) or "value"
        used[title] += 1
        named.append(title if used[title] == 1 else f"{title} ({used[title]})")
    return named


def _leaves(value: bytes, path: PropertyPath) -> Iterator[tuple[PropertyPath, bytes]]:
    inside = members(value) if len(path) < _DEEPEST else {}
    if not inside:
        yield path, value
    for name, one in inside.items():
        if one.startswith(b"{"):
            yield from _leaves(one, (*path, name))
        else:
            yield (*path, name), one
