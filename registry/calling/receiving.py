"""Receives everything that a service sends; no other code sees the bytes as received.

Bytes → UTF-8, decoded once (`charset`) → credentials and secret arguments masked, in any encoding (`hide`). Later code
reads JSON strictly (`strict_json`). Output takes two forms: **for eyes** (`registry.text.safe_text`), on screens, terminals
and in messages; and **exact** (`registry.results.export`, the journal), with values unchanged.
`tests/tools/unsafe_output.py` finds output anywhere else.

One thing is read before that: where the next page of a list is (`client`), to request it early. It goes only to the service,
and is used only if masking secrets would not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from registry.calling.charset import decoded


class Response(msgspec.Struct, frozen=True):
    """An HTTP response, decoded and redacted; only `receive` makes one.

    Attributes:
        status: HTTP status.
        headers: by lower-case name, secrets redacted.
        body: UTF-8 text, or the bytes of a file; secrets redacted.
        unreadable: why the body is not the text that it declares to be, in words; empty if it is.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    unreadable: str = ""


def receive(
    status: int, headers: Mapping[str, str], body: bytes, hide: Callable[[bytes], bytes], *, is_file: bool = False
) -> Response:
    """Decode and redact a response.

    Args:
        status: HTTP status.
        headers: as received.
        body: as received, decompressed.
        hide: masks secrets.
        is_file: whether a success is a file, whose bytes are not decoded.
    """
    redacted_headers = {redacted_text(name.lower(), hide): redacted_text(value, hide) for name, value in headers.items()}
    if is_file and 200 <= status < 300:
        return Response(status, redacted_headers, hide(body))
    text, problem = decoded(body, redacted_headers.get("content-type", ""))
    if b"\0" in text:  # text has no null characters; removed, so that what is around them is not read in a second way
        text, problem = text.replace(b"\0", b""), problem or "it contains null characters, which text cannot have"
    return Response(status, redacted_headers, hide(text), problem)


def redacted_text(text: str, hide: Callable[[bytes], bytes]) -> str:
    """A text with its secrets redacted by `hide`, which takes bytes."""
    return hide(text.encode("utf-8", "replace")).decode("utf-8", "replace")
