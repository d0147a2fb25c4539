"""Marks the numbers in a tool's structured content before the protocol's library reads it, so that they keep their digits.

Only there: the protocol's own numbers, such as progress, have to be numbers for the library.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec

from registry.text.exact_numbers import marked_text

_CONTENT = "structuredContent"
_DATA = b"data:"
_LONG = 100_000


def with_marks(message: bytes) -> bytes:
    """A message of a server with the numbers in its structured content marked; other text unchanged."""
    if _CONTENT.encode() not in message:
        return message
    try:
        members = msgspec.json.decode(message, type=dict[str, msgspec.Raw])
        result = msgspec.json.decode(members["result"], type=dict[str, msgspec.Raw])
        content = bytes(result[_CONTENT])
        if (marked := marked_text(content)) == content:
            return message
        members["result"] = msgspec.Raw(msgspec.json.encode(result | {_CONTENT: msgspec.Raw(marked)}))
        return msgspec.json.encode(members)
    except (msgspec.MsgspecError, KeyError, ValueError, RecursionError):
        return message  # no result, or no JSON: the library says so


async def with_marks_soon(message: bytes) -> bytes:
    """The same for a message of any length, without holding other work."""
    return with_marks(message) if len(message) < _LONG else await asyncio.to_thread(with_marks, message)


async def marked_lines(chunks: AsyncIterator[bytes], largest: int) -> AsyncIterator[bytes]:
    """A stream of events, line by line, with the messages in it marked. Lines above a size are passed on in pieces."""
    rest = bytearray()
    async for chunk in chunks:
        rest += chunk
        whole = rest.rfind(b"\n") + 1
        if whole:
            yield b"".join([await _marked_line(line) for line in bytes(rest[:whole]).splitlines(keepends=True)])
            del rest[:whole]
        if len(rest) > largest:
            yield bytes(rest)
            rest.clear()
    if rest:
        yield await _marked_line(bytes(rest))


async def _marked_line(line: bytes) -> bytes:
    text = line.rstrip(b"\r\n")
    return _DATA + await with_marks_soon(text[len(_DATA) :]) + line[len(text) :] if text.startswith(_DATA) else line
