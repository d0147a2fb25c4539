"""JSON text, token by token, exactly as received.

Responses are shown and printed from their text and not from parsed values: whole numbers of any size, ``1.10`` and ``1e400``
stay as they are, and duplicate properties are all kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from registry.calling.sensitive import MASKED, is_sensitive

SPACE = r"[ \t\r\n]*+"
STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
"""Parts of JSON texts as regular expressions; they also match indented JSON."""

_TOKEN = re.compile(rf"{SPACE}(?:([{{}}\[\]:,])|({STRING})|({NUMBER})|(true|false|null))")
_SPACE = re.compile(SPACE)


class InvalidJson(ValueError):
    """Text that is not JSON; the message gives the line and column of the error."""


def decode(body: bytes) -> str:
    """A response's body as text. JSON is UTF-8; invalid bytes become replacement characters."""
    return body.decode("utf-8-sig", errors="replace")


def tokens(text: str, *, constants: bool = False) -> Iterator[str]:
    """The tokens of a JSON text in order: punctuation, strings with their quotes, numbers, words.

    Args:
        text: the JSON.
        constants: accept ``NaN`` and ``Infinity`` as well, which some services write although they are not JSON.

    Raises:
        InvalidJson: the text contains something that is not a token. The order of tokens is not checked.
    """
    place, end = 0, len(text)
    match = (_with_constants() if constants else _TOKEN).match
    while found := match(text, place):
        place = found.end()
        yield found[found.lastindex or 0]
    rest = _SPACE.match(text, place)
    place = rest.end() if rest else place
    if place < end:
        line = text.count("\n", 0, place) + 1
        column = place - text.rfind("\n", 0, place)
        raise InvalidJson(f"line {line}, column {column}: {text[place : place + 20]!r} is not JSON")


@cache
def _with_constants() -> re.Pattern[str]:
    return re.compile(_TOKEN.pattern.replace("true|", "NaN|-?Infinity|true|"))


def one_line(text: str, *, masked: bool = False) -> str:
    """JSON text without white space between its tokens.

    Args:
        text: the JSON.
        masked: redact secrets.

    Raises:
        InvalidJson: the text is not JSON.
    """
    parts: list[str] = []
    key: str | None = None
    for part in tokens(text):
        if part == ":":
            key = parts[-1]
        elif masked and is_sensitive(key, part):
            part = MASKED
        parts.append(part)
        if part != ":":
            key = None
    return "".join(parts)
