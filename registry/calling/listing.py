"""The list inside a response, for what shows, compares or saves it."""

from collections.abc import Sequence
from typing import overload

import msgspec

from registry.calling.paging import raw_at
from registry.calling.result import Result
from registry.json_text import NotJson


class Items(Sequence[bytes]):
    """Items as slices of a text. They are copied when read: copying all would double the memory."""

    def __init__(self, slices: Sequence[msgspec.Raw]) -> None:
        self._slices = slices

    def __len__(self) -> int:
        return len(self._slices)

    @overload
    def __getitem__(self, place: int) -> bytes: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[bytes]: ...

    def __getitem__(self, place: int | slice) -> bytes | Sequence[bytes]:
        return bytes(self._slices[place]) if isinstance(place, int) else [bytes(one) for one in self._slices[place]]


class Listing(msgspec.Struct, frozen=True):
    """A list inside a response: the property names that lead to it, empty if the response is the list; and its items."""

    path: tuple[str, ...]
    items: Sequence[bytes]


def listing_of(result: Result) -> Listing | None:
    """The list in a result; None if it is one object. Read once, then kept; may block.

    Raises:
        NotJson: the body is not JSON, or the reader refuses it.
    """
    # Not a cached_property: its lock, shared by all results, would make a screen wait for a thread that reads another one.
    known = vars(result)
    if "listing" not in known:
        if result.items is not None and result.items_at is not None:
            known["listing"] = Listing(tuple(filter(None, result.items_at.split("."))), Items(result.items))
        else:
            known["listing"] = listing_in(result.body, result.items_at)
    found: Listing | None = known["listing"]
    return found


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
            return Listing((), _items_in(body.strip(b" \t\r\n")))
        if start != b"{":
            return None
        if at and (raw := raw_at(body, at)) is not None and bytes(memoryview(raw)[:1]) == b"[":
            return Listing(tuple(at.split(".")), _items_in(raw))
        members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
        name = next(iter(members), "")
        only = members[name] if len(members) == 1 else b""
        return Listing((name,), _items_in(only)) if bytes(memoryview(only)[:1]) == b"[" else None
    except RecursionError:
        raise NotJson("it is nested too deeply to be read") from None
    except msgspec.MsgspecError as error:
        raise NotJson(str(error)) from None


def _items_in(text: bytes | msgspec.Raw) -> Items:
    return Items(msgspec.json.decode(text, type=list[msgspec.Raw]))
