"""A large JSON text taken apart between the objects of its list, without reading it as a whole.

The library reads a text in one call, and nothing else in the program runs meanwhile: a third of a second for 100 MB. Most
large texts are one list of objects, which can be taken apart between two of them. Where one ends is not known without reading
the text, so a place that looks like it is tried: a piece begins where a value may stand, and when the library reads it to its
end, with the brackets closed behind it that are open there, a value has ended there as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import msgspec

PIECE = 1 << 20
"""Bytes that are read at a time, at least."""

_HEAD, _MOST_TRIES = 1 << 14, 8
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\],]', re.DOTALL)
_CLOSING = {b"{": b"}", b"[": b"]"}

T = TypeVar("T")


class NotApart(Exception):
    """The places between the objects of a list are not found."""


class ListOfObjects(NamedTuple):
    """The outermost list of objects in a text.

    Attributes:
        around: the brackets that are open around its objects, outermost first.
        start: the place of its own bracket.
        before: the text token before that bracket; of a member, its name with the quotes.
        name: what its objects begin with.
    """

    around: bytes
    start: int
    before: bytes
    name: bytes

    @property
    def closing(self) -> bytes:
        """The brackets that close behind an object of it."""
        return b"".join(_CLOSING[self.around[place : place + 1]] for place in reversed(range(len(self.around))))


class Piece(NamedTuple):
    """A part of a text: from its beginning or behind a comma of the list, up to a comma of the list or to the end."""

    start: int
    stop: int


def list_in(body: bytes, piece: int = PIECE) -> ListOfObjects | None:
    """The outermost list of objects in which a second one begins in the first part of a large text; None in a small one."""
    if len(body) <= 2 * piece:
        return None
    found: ListOfObjects | None = None
    around, before, last = b"", b"", b""
    opened: list[tuple[int, bytes]] = []
    for token in _TOKEN.finditer(body, 0, _HEAD):
        letter = token.group()
        begins = before == b"},{" and letter[:1] == b'"' and around[-2:] == b"[{"
        if begins and (found is None or len(around) <= len(found.around)):
            found = ListOfObjects(around[:-1], *opened[-2], letter)
        if letter in _CLOSING:
            around += letter
            opened.append((token.start(), last))
        elif letter in (b"}", b"]"):
            around = around[:-1]
            del opened[-1:]
        before, last = (before + letter)[-3:] if len(letter) == 1 else b"", letter
    return found


def read_apart(
    body: bytes, found: ListOfObjects, opening: bytes, read: Callable[[bytes], T], piece: int = PIECE
) -> Iterator[tuple[Piece, T]]:
    """The pieces of a text, in order, and what each of them was read as.

    Args:
        body: the text.
        found: its list.
        opening: what stands before a piece in the middle, so that it is JSON: it opens what `found.around` names.
        read: what reads a piece.
        piece: how many bytes are read at a time, at least.

    Raises:
        NotApart: it cannot be taken apart.
        msgspec.DecodeError, RecursionError: the last piece cannot be read.
    """
    between = re.compile(rb"\}([ \t\r\n]*,[ \t\r\n]*)\{[ \t\r\n]*" + re.escape(found.name))
    start, view, closing = 0, memoryview(body), found.closing
    while start + 2 * piece < len(body):
        for place in _tried(between, body, start + piece):
            try:
                part = read(b"".join((opening if start else b"", view[start : place.start(1)], closing)))
            except msgspec.DecodeError:
                continue  # it looked like it inside a string, or in another list
            yield Piece(start, place.start(1)), part
            start = place.end(1)
            break
        else:
            raise NotApart
    yield Piece(start, len(body)), read(b"".join((opening if start else b"", view[start:])))


def _tried(between: re.Pattern[bytes], body: bytes, start: int) -> list[re.Match[bytes]]:
    """The next places from one on that look like the end of an object of the list."""
    found: list[re.Match[bytes]] = []
    for place in between.finditer(body, start, start + _HEAD):
        found.append(place)
        if len(found) == _MOST_TRIES:
            break
    return found
