"""JSON and NDJSON, piece by piece. Numbers, escapes and duplicate properties stay as received."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from registry.calling.json_layout import indentation_size, pretty
from registry.calling.json_text import InvalidJson
from registry.results.export.formats import NotExported

_INDENT = 2
_MOST_BLANKS, _SMALL, _MOST_BY_HAND = 8, 4_000_000, 8_000_000


def laid_out(text: bytes) -> bytes:
    """A JSON text with one property per line.

    Raises:
        NotExported: the text is not JSON.
    """
    if _INDENT * indentation_size(text) <= _MOST_BLANKS * len(text) + _SMALL:
        try:
            return msgspec.json.format(text, indent=_INDENT)
        except (msgspec.MsgspecError, RecursionError):
            pass  # nested too deeply for the library, or invalid: reading it token by token tells which
    if len(text) > _MOST_BY_HAND:
        raise NotExported("The response is too large to format.", "Save it unchanged (raw).", "format")
    try:
        # Without indentation: a thousand levels would mean a thousand spaces in every line.
        return pretty(text.decode("utf-8", errors="surrogateescape"), 0).encode("utf-8", "surrogateescape")
    except InvalidJson as error:
        raise NotExported(f"The response is not valid JSON: {error}.", "Save it unchanged (raw).", "format") from None


def json_list(items: Iterable[bytes], *, lay_out: bool) -> Iterator[bytes]:
    """A list of these items, each indented or as received."""
    yield b"["
    some = False
    for item in items:
        yield b",\n" if some else b"\n"
        # A line break in JSON text is never inside a string, so spaces may be added after each.
        yield b" " * _INDENT + laid_out(item).replace(b"\n", b"\n" + b" " * _INDENT) if lay_out else item
        some = True
    yield b"\n]\n" if some else b"]\n"


def lines(items: Iterable[bytes]) -> Iterator[bytes]:
    """One item per line."""
    for item in items:
        yield (item if b"\n" not in item and b"\r" not in item else _in_one_line(item)) + b"\n"


def _in_one_line(item: bytes) -> bytes:
    # Line breaks are only outside strings, where they are white space.
    return item.strip(b" \t\r\n").replace(b"\r", b" ").replace(b"\n", b" ")
