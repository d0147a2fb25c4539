"""Receives everything that a service sends, and hides what is secret in it; no other code sees the bytes as received.

They stay in the response. On screen, and in the command line's output, their values are redacted unless the user asks for
them. A name matches in any spelling, also inside a string that contains JSON itself.

Bytes → UTF-8, decoded once → credentials and secret arguments masked, in the defended spellings (`hide`). Later code
reads JSON strictly (`registry.json_text`). Output takes two forms: **for eyes** (`registry.text.shown`), on screens,
terminals and in messages; and **exact** (`registry.results.saving`, the journal), with values unchanged.
`tests/tools/unsafe_output.py` finds output anywhere else.

Also here: which media types are JSON, lists of JSON values, text or files, and the JSON that stands for a response that is not.
Lines of JSON and server-sent events become a list, and text becomes a JSON string, so that everything that shows, searches and
saves results can take them.
"""

import codecs
import json
import mimetypes
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache

import msgspec

from registry.accounts.secrets import MASK
from registry.catalog.model import Tool
from registry.json_text import NotJson, read_json
from registry.text.shown import bare

_NAMES = ["access_token", "client_secret", "cvc", "http_cal_url", "private_key", "refresh_token", "secret", "web_cal_url"]
_NUMBER = "number"
"""The property whose value is secret if it is a whole card number."""

MASKED = f'"{MASK}"'
MEMBERS = frozenset((*_NAMES, _NUMBER))
"""The names, for a quick first check."""


def is_sensitive(key: str | None, value: str) -> bool:
    """Whether a property's value should be redacted. Name and value are given as JSON text, quotes included."""
    if not value.startswith('"') or value == '""':
        return False
    return mask(f"{key or MASKED}:{value}".encode("utf-8", "replace"))[1] > 0


def mask(text: bytes) -> tuple[bytes, int]:
    """A JSON text with a mask in place of each secret, otherwise unchanged; and the number of masked values.

    Text that is truncated, or invalid further on, is masked as far as possible.
    """
    text, count = _members(escaped=b"\\u00" in text).subn(lambda found: b'"' + (found[1] or found[2]) + MASKED.encode(), text)
    if b'\\"' in text:
        text, more = _quoted_members().subn(lambda found: found[1] + MASK.encode() + found[3], text)
        count += more
    return text, count


@cache
def _members(*, escaped: bool) -> re.Pattern[bytes]:
    """Properties with values to mask. Compiled on first use: the screens start without it."""
    names = "|".join(_spelling(name) if escaped else name for name in _NAMES).encode()
    number, digit = (_spelling(_NUMBER), r"(?:[0-9]|\\u003[0-9])") if escaped else (_NUMBER, "[0-9]")
    colon = rb"[ \t\r\n]*:[ \t\r\n]*"
    string = rb'"(?!")[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
    card = rb'"%s{12,19}(?:"|\Z)' % digit.encode()
    # A quote after a backslash is inside a string, so what follows is not a property name. The pattern starts with the plain
    # quote, because `re` searches for a plain character ten times as fast.
    pattern = rb'"(?<!\\")(?:((?:%s)"%s)%s|(%s"%s)%s)' % (names, colon, string, number.encode(), colon, card)
    return re.compile(pattern, re.DOTALL)


@cache
def _quoted_members() -> re.Pattern[bytes]:
    """The same inside a string that contains JSON: its quotes are escaped by backslashes, more at each depth."""
    start = rb'((?<!\\)(\\++")(?:%s)\2[ \t]*:[ \t]*\2)(?!\2)' % "|".join(_NAMES).encode()
    return re.compile(start + rb'.*?((?<!\\)(?:\2|")|\Z)', re.DOTALL)


def _spelling(name: str) -> str:
    """A name as a pattern in which each letter may be escaped."""
    codes = ((letter, f"{ord(letter):02x}") for letter in name)
    return "".join(rf"(?:{letter}|\\u00{code[0]}[{code[1]}{code[1].upper()}])" for letter, code in codes)


_DECLARED = re.compile(r""";\s*charset\s*=\s*["']?([^\s;"']*)""", re.IGNORECASE)
_READ = ("ascii", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "iso8859-1", "cp1252")


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

    A success that `is_file` is not decoded. Bytes that are invalid in the character set are replaced; the text is empty if that
    set is not read.
    """
    if is_file and 200 <= status < 300:
        return Response(status, headers, hide(body), True)
    name, problem = "utf-8", ""
    if (declared := _DECLARED.search(headers.get("content-type", ""))) is not None:
        with suppress(LookupError, ValueError):
            name = codecs.lookup(declared[1] or name).name
            declared = None if name in _READ else declared
    if declared is not None:
        return Response(status, headers, b"", unreadable=f"its character set, {declared[1][:40]!r}, is not read")
    text = body.removeprefix(codecs.BOM_UTF8)
    try:
        decoded = text.decode(name)
    except UnicodeDecodeError as error:
        problem = f"it is not {name.upper()}: byte 0x{text[error.start]:02x} at {error.start:,}"
        decoded = text.decode(name, "replace")
    if problem or name not in ("utf-8", "ascii"):
        text = decoded.encode()
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


_LINES = ("ndjson", "jsonl", "jsonlines", "json-lines", "json-seq", "stream+json")
_EVENTS = "text/event-stream"
UNKNOWN = "bin"
"""The extension of a file of another type."""

_TEXTS = ("xml", "yaml", "yml", "javascript", "graphql", "csv", "html", "toml", "sql", "x-www-form-urlencoded", "jwt")


ENDINGS = {
    "image/png": ("png",),
    "image/jpeg": ("jpg", "jpeg"),
    "image/gif": ("gif",),
    "image/webp": ("webp",),
    "audio/wav": ("wav",),
    "audio/mpeg": ("mp3",),
    "audio/ogg": ("ogg",),
    "video/mp4": ("mp4",),
    "application/pdf": ("pdf",),
    "application/zip": ("zip",),
    "application/gzip": ("gz",),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ("xlsx",),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ("docx",),
}
"""The extensions of files by their media types. They come from here and never from a server, so that no response is saved as an
executable file."""


def is_json(media_type: str) -> bool:
    """Whether content of this type is one JSON value; so is content of any type, as far as a document says."""
    name = bare(media_type)
    known = ("application/json", "text/json", "*/*", "application/*")
    return name in known or (name.endswith("+json") and not is_list(name))


def is_list(media_type: str) -> bool:
    """Whether content of this type is a sequence of values: lines of JSON, or server-sent events."""
    name = bare(media_type)
    lines = name.removeprefix("application/").removeprefix("x-") in _LINES or name.endswith("+json-seq")
    return lines or name == _EVENTS


def is_text(media_type: str) -> bool:
    """Whether content of this type is for people to read as text."""
    name = bare(media_type)
    return (name.startswith("text/") and name != _EVENTS) or name.endswith(_TEXTS)


def is_file(media_type: str) -> bool:
    """Whether content of this type is neither JSON nor text."""
    return bare(media_type) not in ("", "*/*") and not (is_json(media_type) or is_list(media_type) or is_text(media_type))


def comes_as_file(tool: Tool, headers: Mapping[str, str]) -> bool:
    """Whether a successful response of a tool is a file: always, or because of the type that it has."""
    kind = headers.get("content-type", "")
    return tool.returns.kind == "file" or (bool(tool.accepts) and is_file(kind) and accepted(tool.accepts, kind))


def accepted(declared: Iterable[str], media_type: str) -> bool:
    """Whether a type is among those that an operation declares, of which some may have a wildcard."""
    name = bare(media_type)
    return any(name == one or (one.endswith("/*") and name.startswith(one[:-1])) or one == "*/*" for one in map(bare, declared))


def endings_of(media_type: str) -> tuple[str, ...]:
    """The file extensions of a media type, the usual one first; ``bin`` for types that are not on the list."""
    return ENDINGS.get(bare(media_type), (UNKNOWN,))


def type_of_file(name: str, declared: str) -> str:
    """The media type of a file to send: of the declared ones, with commas between, that of its name; otherwise the first."""
    own = mimetypes.guess_type(name)[0] or "application/octet-stream"
    types = [one.strip() for one in declared.split(",")]
    if not declared or accepted(types, own) or "*" in types[0]:
        return own
    return types[0]


def as_json(media_type: str, content: bytes) -> bytes:
    """The JSON that stands for text, lines of JSON or server-sent events.

    Raises:
        NotJson: a line is not JSON.
    """
    if not is_list(media_type):
        return json.dumps(content.decode("utf-8", "replace"), ensure_ascii=False).encode()
    if bare(media_type) == _EVENTS:
        events = [json.dumps(one, ensure_ascii=False) for one in _events(content.decode("utf-8", "replace"))]
        return f"[{', '.join(events)}]".encode()
    # RFC 7464 puts a record separator before each value; values of JSON never contain one.
    lines = [line.strip() for line in content.replace(b"\x1e", b"\n").split(b"\n") if line.strip()]
    for line in lines:
        read_json(line)
    return b"[" + b",\n".join(lines) + b"]"


def _events(text: str) -> Iterator[dict[str, object]]:
    """Server-sent events, as the HTML standard reads them: data that is JSON as its value."""
    event: dict[str, object] = {}
    data: list[str] = []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name in ("event", "id", "retry"):
            event[name] = value
        elif not line and (data or event):
            if data:
                event["data"] = _value("\n".join(data))
            yield event
            event, data = {}, []


def _value(text: str) -> object:
    try:
        return read_json(text.encode())
    except NotJson:
        return text
