"""A pasted path or address that may be an API document, which could be added as a toolkit."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple
from urllib.parse import urlsplit

_ENDINGS = (".json", ".yaml", ".yml")
_NAMES = re.compile(r"openapi|swagger|api-docs", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_PATH = re.compile(r"(?:~?/|\.{1,2}/|[A-Za-z]:\\).+|[^\s'\"]\S*")


class NamedDocument(NamedTuple):
    """Where a document may be; `sure` if its name also says so."""

    source: str
    sure: bool


def document_in(text: str) -> NamedDocument | None:
    """The document that a text names; None if the text is neither a path nor an address. Reads no file."""
    text = _plain(text.strip())
    if _ADDRESS.fullmatch(text):
        try:
            path = urlsplit(text).path
        except ValueError:
            return None
        return NamedDocument(text, path.lower().endswith(_ENDINGS) or bool(_NAMES.search(text)))
    if text.isprintable() and text.lower().endswith(_ENDINGS) and len(text) > 5 and _PATH.fullmatch(text):
        return NamedDocument(text, True)
    return None


def _plain(text: str) -> str:
    """A path as terminals paste it, without quotes, escapes or ``file://``."""
    text = text.removeprefix("file://")
    if text[:1] in "'\"" or "\\ " in text:
        try:
            words = shlex.split(text)
        except ValueError:
            return text
        return words[0] if len(words) == 1 else text
    return text
