"""Splits a large JSON text between the objects of its list, without reading it as a whole.

msgspec reads a text in one call, and nothing else in the program runs meanwhile: a third of a second for 100 MB. Most
large texts are one list of objects, and can be split between two of them. Where an object ends is not known without reading
the text, so likely places are tried: a piece starts where a value may start, and if msgspec can read it to its end, after
the open brackets were closed, then a value ends there as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import msgspec

PIECE = 1 << 20
"""Bytes to read at a time, at least."""

_HEAD, _MOST_TRIES = 1 << 14, 8
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\],"]', re.DOTALL)
"""A string, a bracket, a comma; or the quote of a string that does not end."""

CLOSING = {b"{": b"}", b"[": b"]"}

T = TypeVar("T")


class NotApart(Exception):
    """The text cannot be split between the objects of its list."""


class ListOfObjects(NamedTuple):
    """The outermost list of objects in a text.

    Attributes:
        around: the brackets that are open around its objects, outermost first.
        start: the position of its opening bracket.
        before: the text token before that bracket; for a property, its name with quotes.
        name: the property name, with quotes, that its objects start with.
    """

    around: bytes
    start: int
    before: bytes
    name: bytes


def closing(around: bytes) -> bytes:
    """The brackets that close these open ones."""
    return b"".join(CLOSING[around[place : place + 1]] for place in reversed(range(len(around))))


class Piece(NamedTuple):
    """A part of a text: from its start, or after a comma of the list, up to a comma of the list or to the end."""

    start: int
    stop: int


def list_in(body: bytes, piece: int = PIECE) -> ListOfObjects | None:
    """The outermost list with at least two objects starting in the first part of a large text; None for a small text."""
    if len(body) <= 2 * piece:
        return None
    found: ListOfObjects | None = None
    around, before, last = b"", b"", b""
    opened: list[tuple[int, bytes]] = []
    for token in TOKEN.finditer(body, 0, _HEAD):
        letter = token.group()
        if letter == b'"':
            break  # a string that is cut
        begins = before == b"},{" and letter[:1] == b'"' and around[-2:] == b"[{"
        if begins and (found is None or len(around) <= len(found.around)):
            found = ListOfObjects(around[:-1], *opened[-2], letter)
        if letter in CLOSING:
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
    """The pieces of a text in order, each with what `read` returned for it.

    Args:
        body: the text.
        found: its list.
        opening: added before every piece but the first, so that it is JSON: it opens the brackets in `found.around`.
        read: reads a piece.
        piece: how many bytes to read at a time, at least.

    Raises:
        NotApart: it cannot be split.
        msgspec.DecodeError, RecursionError: the last piece cannot be read.
    """
    between = re.compile(rb"\}([ \t\r\n]*,[ \t\r\n]*)\{[ \t\r\n]*" + re.escape(found.name))
    start, view, end = 0, memoryview(body), closing(found.around)
    while start + 2 * piece < len(body):
        for place in _tried(between, body, start + piece):
            try:
                part = read(b"".join((opening if start else b"", view[start : place.start(1)], end)))
            except msgspec.DecodeError:
                continue  # inside a string, or in another list
            yield Piece(start, place.start(1)), part
            start = place.end(1)
            break
        else:
            raise NotApart
    yield Piece(start, len(body)), read(b"".join((opening if start else b"", view[start:])))


def _tried(between: re.Pattern[bytes], body: bytes, start: int) -> list[re.Match[bytes]]:
    """The next positions that look like the end of an object of the list."""
    found: list[re.Match[bytes]] = []
    for place in between.finditer(body, start, start + _HEAD):
        found.append(place)
        if len(found) == _MOST_TRIES:
            break
    return found
