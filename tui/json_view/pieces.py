"""Lays out a large JSON text piece by piece, so that other work is not blocked."""

from __future__ import annotations

import msgspec

from registry.calling.list_pieces import PIECE, ListOfObjects, NotApart, list_in, read_apart


def laid_out(body: bytes, piece: int = PIECE) -> bytes | bytearray:
    """A JSON text laid out with one space for each level, as the library would do it in one step.

    Args:
        body: the text.
        piece: how many bytes are laid out at a time, at least.

    Raises:
        msgspec.DecodeError, RecursionError: the library cannot read it.
    """
    found = list_in(body, piece)
    in_pieces = _in_pieces(body, piece, found) if found is not None else None
    return _laid_out(body) if in_pieces is None else in_pieces


def _in_pieces(body: bytes, piece: int, found: ListOfObjects) -> bytearray | None:
    """The same, piece by piece; None if the text cannot be split."""
    levels = len(found.around)
    opening = found.around.replace(b"{", b'{"":')
    ahead, after = map(len, _laid_out(opening + b"0" + found.closing).split(b"0"))
    text, comma = bytearray(), b",\n" + b" " * levels
    try:
        for place, part in read_apart(body, found, opening, _laid_out, piece):
            text += memoryview(part)[ahead if place.start else 0 : len(part) if place.stop == len(body) else len(part) - after]
            if place.stop < len(body):
                text += comma
    except (NotApart, msgspec.DecodeError, RecursionError):
        return None
    return text


def _laid_out(text: bytes) -> bytes:
    return msgspec.json.format(text, indent=1)
