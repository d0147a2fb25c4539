"""Problems of a document as values: where, and why."""

from __future__ import annotations

from typing import NamedTuple

from registry.display.safe_text import shortened, visible_line


class Remark(NamedTuple):
    """A remark on a place of a document: a part was left out, or differs from the document.

    Attributes:
        document: the file or address.
        pointer: JSON pointer (RFC 6901) to the place; empty for the whole document.
        reason: what is the matter, in words.
    """

    document: str
    pointer: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.document}#{self.pointer}" if self.pointer else self.document
        return visible_line(f"{shortened(place, 300)}: {shortened(self.reason, 400)}")


class DocumentRefused(ValueError):
    """A document, or a part of it, that cannot be used; `remark` names document, place and reason."""

    def __init__(self, document: str, pointer: str, reason: str) -> None:
        self.remark = Remark(document, pointer, reason)
        super().__init__(str(self.remark))
