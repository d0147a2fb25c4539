"""The items of a fetch, on disk, with eight bytes of memory for each; and values picked out of their JSON text.

Only the requested parts are parsed, so that one column of a million large items costs little more than reading them. An item
that is invalid, or not an object, has no properties. Of duplicate properties the last one counts.

The file has no name: no other program can open it, and nothing is left behind, however the program ends. Items are exactly
the bytes that were received. Appended items can be read at once, also while more are being appended, from any thread.
"""

import json
import tempfile
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import FileIO
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, Self, overload
from weakref import finalize

import msgspec
from platformdirs import user_cache_path

from registry.files.folders import private_folder

PropertyPath = tuple[str, ...]


class Cancelled(Exception):
    """Work on a result was cancelled: a query, a comparison, an export, a table's order or filter."""


_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_LARGEST = 2_000_000


def _read(decoder: msgspec.json.Decoder[Any], text: bytes, otherwise: Any) -> Any:
    try:
        return decoder.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return otherwise


def members(text: bytes) -> dict[str, bytes]:
    """An object's direct properties; empty if the text is invalid or not an object."""
    return {name: bytes(raw) for name, raw in _read(_OBJECT, text, {}).items()} if text.startswith(b"{") else {}


def elements(text: bytes) -> list[bytes]:
    """The items of a list; empty if the text is invalid or not a list."""
    return [bytes(raw) for raw in _read(_LIST, text, [])] if text.startswith(b"[") else []


def string(text: bytes) -> str | None:
    """The text of a JSON string; None for any other value."""
    if not text.startswith(b'"'):
        return None
    inside = text[1:-1].decode("utf-8", errors="replace")
    return str(json.loads(f'"{inside}"', strict=False)) if "\\" in inside else inside


def values_of(text: bytes) -> dict[str, Any]:
    """An object's properties as values; empty if the text is very large, invalid or not an object."""
    if len(text) > _LARGEST:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def pick(item: bytes, paths: Sequence[PropertyPath]) -> list[bytes | None]:
    """The value at each path, None if there is none. The empty path is the item itself; a number is a place in a list."""
    inside = _read(_OBJECT, item, {}) if item.startswith(b"{") else {}
    return [_at(inside, path) if path else item for path in paths]


def _at(inside: Mapping[str, msgspec.Raw], path: PropertyPath) -> bytes | None:
    first, *further = path
    value = bytes(inside[first]) if first in inside else None
    for name in further:
        if value is None:
            return None
        is_place = value.startswith(b"[") and name.isdecimal()
        value = next(iter(elements(value)[int(name) :]), None) if is_place else members(value).get(name)
    return value


_BETWEEN = b","
_READ_AHEAD = 1_000_000


class Spool(Sequence[bytes]):
    """Items in the order in which they were appended.

    Args:
        folder: the folder of the file; by default the user's cache, because a temporary folder is often in memory.

    Raises:
        OSError: the file cannot be created.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._file = _unnamed(folder or user_cache_path("callboard"))
        # Garbage collection closes it as well.
        self._close = finalize(self, self._file.close)
        self._lock = Lock()
        # The start of each item, then the start of the next one.
        self._starts = array("Q", [0])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete the items."""
        self._close()

    def append(self, items: Sequence[bytes]) -> None:
        """Append items: all of them, or none.

        Raises:
            OSError: the disk is full, or cannot be written.
        """
        if not items:
            return
        text = memoryview(_BETWEEN.join(items) + _BETWEEN)
        place = self._starts[-1]
        with self._lock:
            self._file.seek(place)
            while text:
                text = text[self._file.write(text) :]
        starts = []
        for item in items:
            place += len(item) + len(_BETWEEN)
            starts.append(place)
        # In one step at the end, so that readers see only complete items.
        self._starts.extend(starts)

    def drain(self) -> list[bytes]:
        """Return all items, and remove them."""
        items = self[:]
        with self._lock:
            self._file.truncate(0)
        self._starts = array("Q", [0])
        return items

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> list[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | list[bytes]:
        wanted = range(len(self))[place]
        if isinstance(wanted, int):
            return self._text(wanted, wanted + 1)
        return list(self._between(wanted.start, wanted.stop)) if wanted.step == 1 else [self[one] for one in wanted]

    def __iter__(self) -> Iterator[bytes]:
        place = 0
        while place < len(self):
            end = self.reach(place, len(self), _READ_AHEAD)
            yield from self._between(place, end)
            place = end

    def reach(self, start: int, most_items: int, most_bytes: int) -> int:
        """The end of a window that starts at an item: the position after its last item.

        A window has at least one item, of any size; it is empty only after the last one.
        """
        end = min(start + most_items, len(self))
        if start >= end:
            return start
        behind = bisect_right(self._starts, self._starts[start] + most_bytes, start, end + 1) - 1
        return max(behind, start + 1)

    def window(self, start: int, most_items: int, most_bytes: int) -> bytes:
        """Some of the items as one JSON list, from `start` to the end that `reach` returns."""
        end = self.reach(start, most_items, most_bytes)
        return b"[" + self._text(start, end) + b"]"

    def _between(self, start: int, end: int) -> Iterable[bytes]:
        text, origin = self._text(start, end), self._starts[start]
        starts = self._starts[start : end + 1]
        for place, following in pairwise(starts):
            yield text[place - origin : following - origin - len(_BETWEEN)]

    def _text(self, start: int, end: int) -> bytes:
        """The bytes of some items with the separators between them."""
        if start >= end:
            return b""
        place, length = self._starts[start], self._starts[end] - self._starts[start] - len(_BETWEEN)
        with self._lock:
            self._file.seek(place)
            text = self._file.read(length)
        assert text is not None, "a file on disk never has to be waited for"
        if len(text) != length:
            raise OSError(f"{length} bytes were kept at {place}, and {len(text)} are there")
        return text


def _unnamed(folder: Path) -> FileIO:
    with suppress(OSError):
        return tempfile.TemporaryFile(dir=private_folder(folder), buffering=0)
    return tempfile.TemporaryFile(buffering=0)  # the home folder is not writable, but the system's temporary folder is
