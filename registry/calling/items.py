"""The items of a list, each as the JSON text that was received: the input of tables, exports and fetched lists.

Items are a `Sequence[bytes]`, one JSON text each. A page returns slices of its text; a list that was fetched page by page to
disk reads them one by one. No item is decoded until it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import overload

import msgspec
from msgspec import Struct

from registry.json_text.reading import NotJson

_SPACE = b" \t\r\n"

# No engine stores a null character or a half of a surrogate pair, and msgspec refuses halves. Other escapes are stepped over.
_PAIR = rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPES = re.compile(_PAIR + rb"|(?P<bad>\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\u0000)|\\.", re.DOTALL)


class _Identified(msgspec.Struct):
    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_identified = msgspec.json.Decoder(_Identified).decode  # a type is read once: see registry.catalog.reading


class Listing(Struct, frozen=True):
    """A list inside a response: the property names that lead to it, empty if the response is the list; and its items."""

    path: tuple[str, ...]
    items: Sequence[bytes]


class _Items(Sequence[bytes]):
    """Items as slices of a text. They are copied when read: copying all would double the memory."""

    def __init__(self, text: bytes | msgspec.Raw) -> None:
        self._slices = msgspec.json.decode(text, type=list[msgspec.Raw])

    def __len__(self) -> int:
        return len(self._slices)

    @overload
    def __getitem__(self, place: int) -> bytes: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...

    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        return bytes(self._slices[place]) if isinstance(place, int) else [bytes(one) for one in self._slices[place]]


def listing_in(body: bytes, at: str | None = None) -> Listing | None:
    """The list in a response; None if the response is one object.

    `at` is the dotted path of the list, as the tool declares it (`Result.items_at`). Without a path, or if nothing is there,
    the list is the response itself, or its only property.

    Raises:
        NotJson: the text is not JSON, or the reader refuses it.
    """
    start = body.lstrip()[:1]
    try:
        if start == b"[":
            return Listing((), _Items(body.strip(_SPACE)))
        if start != b"{":
            return None
        if at and (raw := raw_at(body, at)) is not None and _begins(raw) == b"[":
            return Listing(tuple(at.split(".")), _Items(raw))
        members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        name = next(iter(members), "")
        only = members[name] if len(members) == 1 else b""
        return Listing((name,), _Items(only)) if _begins(only) == b"[" else None
    except RecursionError:
        raise NotJson("it is nested too deeply to be read") from None
    except msgspec.MsgspecError as error:
        raise NotJson(str(error)) from None


def raw_at(body: bytes, path: str) -> bytes | msgspec.Raw | None:
    """The raw JSON at a dotted path of an object; None if nothing is there.

    Raises:
        msgspec.MsgspecError: the text is not JSON.
    """
    found: bytes | msgspec.Raw | None = body.lstrip()
    for name in path.split("."):
        if found is None or _begins(found) != b"{":
            return None
        found = msgspec.json.decode(found, type=dict[str, msgspec.Raw]).get(name)
    return found


def _begins(text: bytes | msgspec.Raw) -> bytes:
    return bytes(memoryview(text)[:1])


def readable(item: bytes) -> bytes:
    """An item in which null characters and halves of surrogate pairs, which few readers take, are the text of their escapes."""
    if b"\\u" not in item:
        return item
    return _ESCAPES.sub(lambda found: b"\\" + found[0] if found["bad"] is not None else found[0], item)


def id_of(item: bytes) -> bytes | None:
    """The id of an item as JSON text, quotes included; None if it has no id."""
    try:
        value = _identified(readable(item)).id
    except (msgspec.MsgspecError, RecursionError):
        return None
    text = b"null" if value is msgspec.UNSET else bytes(value)
    return text if text.startswith(b'"') or text.lstrip(b"-").isdigit() else None
