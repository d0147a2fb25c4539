"""Work on responses in threads, so that the screen is not blocked; their libraries are imported there as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tui.json_view.document import Document
    from tui.json_view.rows import Indexes
    from tui.json_view.search import TextSearch

BEGINNING = 16_384
"""Bytes of a large text that are laid out first."""


def load() -> None:
    """Import what the first response needs."""
    import tui.json_view.document
    import tui.json_view.search  # noqa: F401


def document_of(body: bytes) -> Document:
    """The document of a JSON text. Raises NotJson where it is none."""
    from tui.json_view.document import Document

    return Document.of(body)


def beginning_of(body: bytes) -> Document | None:
    """What a long text begins with; None when nothing of it can be shown."""
    from tui.json_view.document import Document

    return Document.beginning_of(body[:BEGINNING])


def hits_in(document: Document, query: TextSearch, given_up: Callable[[], bool]) -> Indexes:
    """The rows in which a query finds something, in order."""
    from tui.json_view.search import hits

    return hits(document.rows, query, given_up)
