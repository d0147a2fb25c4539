"""Lays JSON text out exactly as it came: numbers keep their digits, properties their order, duplicates are all kept.

msgspec does it from bytes to bytes; the text is never turned into values.
"""

from __future__ import annotations

import re

import msgspec

from registry.json_text.reading import NotJson, read_json

_ESCAPE = re.compile(rb"\\(?:u([dDeE])|.)", re.DOTALL)
_BLOCK, _MOST_BLANKS, _SMALL = 1 << 14, 8, 4 << 20


def lay_out(text: bytes, indent: int = 2) -> bytes:
    """A JSON text with one property or item in each line.

    Raises:
        NotJson: the text is not JSON, or nested so deeply that its spaces would fill the memory.
    """
    _refuse_depth(text, indent)
    text = text.removeprefix(b"\xef\xbb\xbf")
    try:
        return msgspec.json.format(text, indent=indent)
    except RecursionError:
        raise NotJson("it is nested too deeply to be laid out") from None
    except msgspec.DecodeError:
        pass  # perhaps because of halves of surrogate pairs, which JSON allows
    try:
        return _with_halves(text, indent)
    except (msgspec.DecodeError, RecursionError) as error:
        read_json(text)  # says where, in words
        raise NotJson(str(error)) from None


def in_one_line(text: bytes) -> bytes:
    """A JSON text without white space between its tokens.

    Raises:
        NotJson: the text is not JSON.
    """
    return lay_out(text, indent=-1)


def as_text(body: bytes) -> str:
    """A response's body as text. JSON is UTF-8; invalid bytes become replacement characters."""
    return body.decode("utf-8-sig", errors="replace")


def _with_halves(text: bytes, indent: int) -> bytes:
    """A text laid out with its escaped surrogates, which the library rejects: meanwhile they are private-use characters."""
    letters: list[bytes] = []

    def hide(found: re.Match[bytes]) -> bytes:
        if not found[1]:
            return found[0]
        letters.append(found[1])
        return b"\\ue"

    hidden = iter(letters)
    laid_out = msgspec.json.format(_ESCAPE.sub(hide, text), indent=indent)
    return _ESCAPE.sub(lambda found: b"\\u" + next(hidden) if found[1] else found[0], laid_out)


def _refuse_depth(text: bytes, indent: int) -> None:
    """Refuse a text whose indentation would fill the memory; the spaces are estimated block by block, rows times depth.

    Raises:
        NotJson: it is nested too deeply.
    """
    depth = blanks = 0
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK]
        opens, closes = (block.count(one) + block.count(other) for one, other in ((b"[", b"{"), (b"]", b"}")))
        after = max(depth + opens - closes, 0)
        blanks += max(depth, after) * (opens + closes + block.count(b","))
        depth = after
    if indent * blanks > _MOST_BLANKS * len(text) + _SMALL:
        raise NotJson("it is nested too deeply to be laid out")
