"""The items of a list, each as the JSON text that was received: the input of tables, exports and fetched lists.

Items are a `Sequence[bytes]`, one JSON text each. A page returns slices of its text; a list that was fetched page by page to
disk reads them one by one. No item is decoded until it is needed.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, chain, count
from operator import add
from typing import NamedTuple, overload

import msgspec

from registry.json_text.pieces import PIECE, ListOfObjects, NotApart, list_in, read_apart
from registry.json_text.reading import NotJson

# Nearly every item begins with its id: reading that far is five times as fast as reading the item.
_AT_FIRST = re.compile(rb'\s*\{\s*"id"\s*:\s*("[^"\\]*"|-?[0-9]+(?=[\s,}]))')
_BETWEEN, _SPACE = re.compile(rb"[ \t\r\n,]*"), b" \t\r\n"


class _Identified(msgspec.Struct):
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_identified = msgspec.json.Decoder(_Identified).decode  # a type is read once: see registry.catalog.reading


@dataclass(frozen=True, slots=True)
class Listing:
    """A list inside a response: the property names that lead to it, empty if the response is the list; and its items."""

    path: tuple[str, ...]
    items: Sequence[bytes]


def listing_in(body: bytes, at: str | None = None) -> Listing | None:
    """The list in a response; None if the response is one object.

    Args:
        body: the response.
        at: the dotted path of the list, as the tool declares it (`Result.items_at`). Without a path, or if nothing is there,
            the list is the response itself, or its only property.

    Raises:
        NotJson: the text is not JSON, or the reader refuses it.
    """
    start = body.lstrip()[:1]
    name = "" if start == b"[" else at
    if name is not None and (large := cut(body, name)) is not None:
        return Listing((name,) if name else (), large.items)
    try:
        if start == b"[":
            return Listing((), _texts(body.strip(_SPACE)))
        if start != b"{":
            return None
        if at and (raw := _part_at(body, at)) is not None and _begins(raw) == b"[":
            return Listing(tuple(at.split(".")), _texts(raw))
        members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        name = next(iter(members), "")
        only = members[name] if len(members) == 1 else b""
        return Listing((name,), _texts(only)) if _begins(only) == b"[" else None
    except RecursionError:
        raise NotJson("it is nested too deeply to be read") from None
    except msgspec.MsgspecError as error:
        raise NotJson(str(error)) from None


def raw_at(body: bytes, path: str) -> bytes | None:
    """The raw JSON at a dotted path of an object; None if nothing is there.

    Raises:
        msgspec.MsgspecError: the text is not JSON.
    """
    found = _part_at(body, path)
    return None if found is None else bytes(found)


def _part_at(body: bytes, path: str) -> bytes | msgspec.Raw | None:
    found: bytes | msgspec.Raw | None = body.lstrip()
    for name in path.split("."):
        if found is None or _begins(found) != b"{":
            return None
        found = msgspec.json.decode(found, type=dict[str, msgspec.Raw]).get(name)
    return found


def _begins(text: bytes | msgspec.Raw) -> bytes:
    return bytes(memoryview(text)[:1])


def _texts(text: bytes | msgspec.Raw) -> Sequence[bytes]:
    items = _Items(text)
    items.add(text, 0)
    return items


class Cut(NamedTuple):
    """A large page, split into items.

    Attributes:
        items: the items of its list.
        rest: the page's text with only the first and the last item.
    """

    items: Sequence[bytes]
    rest: bytes


def cut(body: bytes, at: str, piece: int = PIECE) -> Cut | None:
    """Split a large page piece by piece, so that other code runs in between.

    Args:
        body: the response.
        at: the name of the property that is the list; empty if the response is the list.
        piece: how many bytes to read at a time, at least.

    Returns:
        None if the page is not large, or cannot be split without reading it as a whole.
    """
    found = list_in(body, piece)
    if found is None or found.around != (b"{[" if at else b"[") or found.before != (json.dumps(at).encode() if at else b""):
        return None
    if "." in at:  # a path, not a name
        return None
    with suppress(NotApart, msgspec.MsgspecError, RecursionError):
        return _cut(body, found, at, piece)
    return None


def _cut(body: bytes, found: ListOfObjects, at: str, piece: int) -> Cut:
    opening = b'{"":[' if at else b"["

    def read(text: bytes) -> msgspec.Raw:
        """The list in a piece."""
        if not at:
            return msgspec.json.decode(text.strip(_SPACE), type=msgspec.Raw)
        members = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        is_first = not text.startswith(opening)
        if not is_first and at in members:
            raise NotApart  # of properties with the same name, the last one counts
        return members[at if is_first else ""]

    items, end = _Items(body), 0
    for place, part in read_apart(body, found, opening, read, piece):
        start = place.start or found.start + 1
        end = start + len(part) - 2  # without the brackets
        is_last = place.stop == len(body)
        if end != place.stop if not is_last else memoryview(body)[start:end] != memoryview(part)[1:-1]:
            raise NotApart
        items.add(part, start - 1)
    if body[end : end + 1] != b"]":
        raise NotApart
    return Cut(items, b"".join((body[: found.start + 1], items[0], b",", items[-1], memoryview(body)[end:])))


class _Items(Sequence[bytes]):
    """Items as positions in a text, twelve bytes each. Items are copied when read: copying all would double the memory."""

    __slots__ = ("_sizes", "_starts", "_text")

    def __init__(self, text: bytes | msgspec.Raw) -> None:
        self._text = text if isinstance(text, bytes) else memoryview(text)
        self._starts, self._sizes = array("Q"), array("I")

    def add(self, whole: bytes | msgspec.Raw, start: int) -> None:
        """Add the items of a list that begins at this position of the text."""
        if not (parts := msgspec.json.decode(whole, type=list[msgspec.Raw])):
            return
        sizes = array("I", map(len, parts))
        if sum(sizes) + len(sizes) + 1 == len(whole):  # only a comma between them
            self._starts.extend(map(add, accumulate(chain((start,), sizes[:-1])), count(1)))
        else:
            text, place = bytes(whole), 1
            for size in sizes:
                place = found.end() if (found := _BETWEEN.match(text, place)) is not None else place
                self._starts.append(start + place)
                place += size
        self._sizes.extend(sizes)

    def __len__(self) -> int:
        return len(self._sizes)

    @overload
    def __getitem__(self, place: int) -> bytes: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...

    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        start = self._starts[place]
        return bytes(self._text[start : start + self._sizes[place]])

    def __iter__(self) -> Iterator[bytes]:
        text = self._text
        return (bytes(text[start : start + size]) for start, size in zip(self._starts, self._sizes, strict=True))


def id_of(item: bytes) -> bytes | None:
    """The id of an item as JSON text, quotes included; None if it has no id."""
    if found := _AT_FIRST.match(item):
        return found[1]
    try:
        value = _identified(item).id
    except (msgspec.MsgspecError, RecursionError):
        return None
    text = b"null" if value is msgspec.UNSET else bytes(value)
    return text if text.startswith(b'"') or text.lstrip(b"-").isdigit() else None
