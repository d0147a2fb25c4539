"""Media types: which are JSON, lists of JSON values, text or files; and the JSON that stands for a response that is none.

Lines of JSON and server-sent events become a list, and text becomes a JSON string, so that everything that shows, searches and
saves results can take them.
"""

import json
import mimetypes
from collections.abc import Iterable, Iterator, Mapping

from registry.catalog.model import Tool
from registry.json_text.reading import NotJson, read_json
from registry.text.readings import bare

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
