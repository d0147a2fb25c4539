"""Receives everything that a service sends; no other code sees the bytes as received.

Bytes → UTF-8, decoded once → credentials and secret arguments masked, in the defended spellings (`hide`). Later code
reads JSON strictly (`registry.json_text`). Output takes two forms: **for eyes** (`registry.text.safe_text`), on screens,
terminals and in messages; and **exact** (`registry.results.saving`, the journal), with values unchanged.
`tests/tools/unsafe_output.py` finds output anywhere else.
"""

import codecs
import re
from collections.abc import Callable, Mapping
from contextlib import suppress

import msgspec

_DECLARED = re.compile(r""";\s*charset\s*=\s*["']?([^\s;"']*)""", re.IGNORECASE)
_READ = ("ascii", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "iso8859-1", "cp1252")


def decoded(body: bytes, content_type: str) -> tuple[bytes, str]:
    """A body in UTF-8, and why it does not match its declared character set; empty if it does.

    Bytes that are invalid in the character set are replaced. The text is empty if the character set is not read.
    """
    name = "utf-8"
    if (declared := _DECLARED.search(content_type)) is not None:
        with suppress(LookupError, ValueError):
            name = codecs.lookup(declared[1] or name).name
            declared = None if name in _READ else declared
    if declared is not None:
        return b"", f"its character set, {declared[1][:40]!r}, is not read"
    body = body.removeprefix(codecs.BOM_UTF8)
    try:
        text = body.decode(name)
        return body if name in ("utf-8", "ascii") else text.encode(), ""
    except UnicodeDecodeError as error:
        where = f"byte 0x{body[error.start]:02x} at {error.start:,}"
        return body.decode(name, "replace").encode(), f"it is not {name.upper()}: {where}"


class Response(msgspec.Struct, frozen=True):
    """An HTTP response, decoded and redacted; only `receive` makes one.

    Attributes:
        status: HTTP status.
        headers: by lower-case name, secrets redacted.
        body: UTF-8 text, or the bytes of a file; secrets redacted.
        is_file: whether it is the bytes of a file.
        unreadable: why the body is not the text that it declares to be, in words; empty if it is.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_file: bool = False
    unreadable: str = ""


def receive(
    status: int, headers: Mapping[str, str], body: bytes, hide: Callable[[bytes], bytes], *, is_file: bool = False
) -> Response:
    """Decode and redact a response: its headers as `redacted_headers` returns them, its body as received, decompressed.

    A success that `is_file` is not decoded.
    """
    if is_file and 200 <= status < 300:
        return Response(status, headers, hide(body), True)
    text, problem = decoded(body, headers.get("content-type", ""))
    if b"\0" in text:  # text has no null characters; removed, so that what is around them is not read in a second way
        text, problem = text.replace(b"\0", b""), problem or "it contains null characters, which text cannot have"
    return Response(status, headers, hide(text), unreadable=problem)


def redacted_headers(headers: Mapping[str, str], hide: Callable[[bytes], bytes]) -> dict[str, str]:
    """Headers by lower-case name, secrets redacted: all at once, because each search for secrets takes its time."""
    parts = "\0".join(part for name, value in headers.items() for part in (name.lower(), value))
    names_and_values = redacted_text(parts, hide).split("\0")
    return dict(zip(names_and_values[::2], names_and_values[1::2], strict=False))


def redacted_text(text: str, hide: Callable[[bytes], bytes]) -> str:
    """A text with its secrets redacted by `hide`, which takes bytes."""
    return hide(text.encode("utf-8", "replace")).decode("utf-8", "replace")


class ResponseLimits(msgspec.Struct, frozen=True):
    """How long a response may take, and how large it may be.

    Attributes:
        connecting: seconds until a connection is open.
        silence: seconds without a byte.
        whole: seconds for one attempt, from sending the request to the last byte; against responses that trickle in.
        size: bytes of the body, decompressed.
    """

    connecting: float = 10.0
    silence: float = 60.0
    whole: float = 300.0
    size: int = 128_000_000
