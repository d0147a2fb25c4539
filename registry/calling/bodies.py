"""The body of a request: JSON, a form, multipart, or one raw value."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from urllib.parse import urlencode

import msgspec

from registry.accounts.secrets import MASK
from registry.calling.scalars import LARGEST_FILE, Value
from registry.calling.styles import is_nested, pairs_of, styled_pairs, text_of
from registry.catalog.model import BodyKind, Style
from registry.files.served import check_reach
from registry.json_text.values import dumps

_TYPES = {"json": "application/json", "form": "application/x-www-form-urlencoded", "multipart": "multipart/form-data"}


class FileUnreadable(Exception):
    """A file to send cannot be read; the text says which and why."""


class FilePath(str):
    """The path of a file whose content is sent."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The file name that is sent."""
        return os.path.basename(self)

    def read(self) -> bytes:
        """The content. Blocks.

        Raises:
            FileUnreadable: it cannot be read, or has become too large.
        """
        try:
            check_reach(self)
            with open(os.path.expanduser(self), "rb") as file:
                content = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise FileUnreadable(f"{self}: {error.strerror or error}") from None
        if len(content) > LARGEST_FILE:
            raise FileUnreadable(f"{self}: has more than {LARGEST_FILE // 1_000_000} MB by now")
        return content


class Writing(msgspec.Struct, frozen=True):
    """How a body is written.

    Attributes:
        kind: ``json``, ``form``, ``multipart`` or ``raw``.
        content_type: its media type; None for the usual one.
        nested: how an object is sent where a body consists of pairs: ``brackets`` or ``json``.
        styles: the properties with a style of their own, by name.
    """

    kind: BodyKind = "json"
    content_type: str | None = None
    nested: str = "brackets"
    styles: Mapping[str, Style] = msgspec.field(default_factory=dict)

    @property
    def media_type(self) -> str:
        """The Content-Type; for a multipart body without its boundary."""
        return self.content_type or _TYPES.get(self.kind, "application/octet-stream")


def form_pairs(members: Mapping[str, Value], writing: Writing) -> list[tuple[str, Value]]:
    """The fields of a form or the parts of a multipart body, each with a scalar: text, or the path of a file."""
    found: list[tuple[str, Value]] = []
    for name, value in members.items():
        style: Style | None = writing.styles.get(name, None if is_nested(value) else "repeat")
        found += pairs_of(name, value, writing.nested) if style is None else styled_pairs(name, value, style)
    return found


def content_of(members: Mapping[str, Value], writing: Writing) -> bytes:
    """The bytes of a body that is not multipart. A raw body may be a file, which is then read.

    Raises:
        FileUnreadable: a file cannot be read.
    """
    match writing.kind:
        case "form":
            return urlencode([(name, text_of(value)) for name, value in form_pairs(members, writing)]).encode()
        case "raw":
            value = next(iter(members.values()), "")
            return value.read() if isinstance(value, FilePath) else _raw(value, writing).encode()
        case _:
            return dumps(members).encode()


def part_files(members: Mapping[str, Value], writing: Writing) -> list[tuple[str, tuple[str | None, bytes | str]]]:
    """The parts of a multipart body in httpx's form.

    Raises:
        FileUnreadable: a file cannot be read.
    """
    return [
        (name, (value.name, value.read()) if isinstance(value, FilePath) else (None, text_of(value)))
        for name, value in form_pairs(members, writing)
    ]


def shown(members: Mapping[str, Value], writing: Writing, secret: Collection[str] = ()) -> str:
    """A body to show: indented JSON, a form or parts by line, files by their paths; secret properties redacted."""
    members = {name: MASK if name in secret else value for name, value in members.items()}
    match writing.kind:
        case "raw":
            value = next(iter(members.values()), "")
            return f"(the file {value})" if isinstance(value, FilePath) else _raw(value, writing)
        case "form" | "multipart":
            return "\n".join(
                f"{name}={'@' if isinstance(value, FilePath) else ''}{text_of(value)}"
                for name, value in form_pairs(members, writing)
            )
        case _:
            return dumps(members, indent=2)


def files_in(members: Mapping[str, Value]) -> bool:
    """Whether a body contains files, so that building it blocks."""
    values = (one for value in members.values() for one in (value if isinstance(value, tuple) else (value,)))
    return any(isinstance(one, FilePath) for one in values)


def _raw(value: Value, writing: Writing) -> str:
    is_json = isinstance(value, tuple | Mapping) or "json" in writing.styles.values()
    return dumps(value) if is_json else text_of(value)
