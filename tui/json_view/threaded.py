"""Work on responses in threads, so that the screen is not blocked; the libraries for it are imported there as well.

The first rows of the first response are drawn without most of these libraries: loading them takes longer than drawing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from registry.catalog.model import Tool
from tui.json_view.document import Document
from tui.json_view.links import Links
from tui.session import Session

BEGINNING = 16_384
"""Bytes of a large text that are laid out first."""


_loaded = threading.Event()


def is_loaded() -> bool:
    """Whether everything is imported that a response needs after its first rows."""
    return _loaded.is_set()


def load(links: Callable[[], Links] | None) -> Links | None:
    """Import what a response needs after its first rows, and make its links."""
    found = links() if links is not None else None
    _loaded.set()
    return found


def links_of(tool: Tool, arguments: Mapping[str, object], session: Session) -> Links:
    """What the rows of a tool's response lead to."""
    return Links(tool, arguments, session.routes)


def document_of(body: bytes) -> Document:
    """The document of a JSON text. Raises InvalidJson if it is not JSON."""
    return Document.of(body)


def beginning_of(body: bytes) -> Document | None:
    """The document of the beginning of a long text; None when none of it can be shown."""
    return Document.beginning_of(body[:BEGINNING])
