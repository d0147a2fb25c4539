"""A large JSON text laid out piece by piece.

The library lays out a text in one call, and nothing else in the program runs meanwhile: a third of a second for 100 MB. Most
large texts are one list of objects, which can be taken apart between two of them. Where one ends is not known without reading
the text, so a place that looks like it is tried: a piece begins where a value may stand, and when the library reads it to its
end, with the brackets closed behind it that are open there, a value has ended there as well.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

_PIECE = 1 << 20
_HEAD, _MOST_TRIES = 1 << 14, 8
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\],]', re.DOTALL)
_CLOSING = {b"{": b"}", b"[": b"]"}


class _ListOfObjects(NamedTuple):
    """The brackets that are open around the objects of a list, outermost first, and the name that these begin with."""

    around: bytes
    name: bytes


def laid_out(body: bytes, piece: int = _PIECE) -> bytes | bytearray:
    """A JSON text laid out with a blank for each level, as the library does it at once.

    Args:
        body: the text.
        piece: how many bytes are laid out at a time, at least.

    Raises:
        msgspec.DecodeError, RecursionError: the library cannot read it.
    """
    found = _list_in(body[:_HEAD]) if len(body) > 2 * piece else None
    in_pieces = _in_pieces(body, piece, found) if found is not None else None
    return msgspec.json.format(body, indent=1) if in_pieces is None else in_pieces


def _in_pieces(body: bytes, piece: int, found: _ListOfObjects) -> bytearray | None:
    """The same, piece by piece; None where the places between objects are not found."""
    brackets = [found.around[place : place + 1] for place in range(len(found.around))]
    opening = b"".join(b'{"":' if bracket == b"{" else bracket for bracket in brackets)
    closing = b"".join(_CLOSING[bracket] for bracket in reversed(brackets))
    ahead, behind = map(len, msgspec.json.format(opening + b"0" + closing, indent=1).split(b"0"))
    between = re.compile(rb"\}([ \t\r\n]*,[ \t\r\n]*)\{[ \t\r\n]*" + re.escape(found.name))
    text, start, view = bytearray(), 0, memoryview(body)
    try:
        while start + 2 * piece < len(body):
            for place in _tried(between, body, start + piece):
                try:
                    taken = b"".join((opening if start else b"", view[start : place.start(1)], closing))
                    part = msgspec.json.format(taken, indent=1)
                except msgspec.DecodeError:
                    continue  # it looked like it inside a string, or in another list
                break
            else:
                return None
            text += memoryview(part)[ahead if start else 0 : len(part) - behind]
            text += b",\n" + b" " * len(brackets)
            start = place.end(1)
        rest = msgspec.json.format(b"".join((opening if start else b"", view[start:])), indent=1)
        text += memoryview(rest)[ahead if start else 0 :]
    except (msgspec.DecodeError, RecursionError):
        return None
    return text


def _tried(between: re.Pattern[bytes], body: bytes, start: int) -> list[re.Match[bytes]]:
    """The next places from one on that look like the end of an object of the list."""
    found: list[re.Match[bytes]] = []
    for place in between.finditer(body, start, start + _HEAD):
        found.append(place)
        if len(found) == _MOST_TRIES:
            break
    return found


def _list_in(head: bytes) -> _ListOfObjects | None:
    """The outermost list of objects in which a second one begins in the first part of a text."""
    found: _ListOfObjects | None = None
    around, before = b"", b""
    for token in _TOKEN.finditer(head):
        letter = token.group()
        if before == b"},{" and letter[:1] == b'"' and (found is None or len(around) <= len(found.around)):
            found = _ListOfObjects(around[:-1], letter)
        if letter in _CLOSING:
            around += letter
        elif letter in (b"}", b"]"):
            around = around[:-1]
        before = (before + letter)[-3:] if len(letter) == 1 else b""
    return found
