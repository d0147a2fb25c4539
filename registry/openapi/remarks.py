"""Problems of a document as values: position and reason."""

from __future__ import annotations

from typing import NamedTuple

from registry.text.safe_text import shortened, visible_line


class Remark(NamedTuple):
    """A remark on a part of a document: it was omitted, or changed.

    Attributes:
        document: the file or address.
        pointer: JSON pointer (RFC 6901) to the part; empty for the whole document.
        reason: the problem in words.
    """

    document: str
    pointer: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.document}#{self.pointer}" if self.pointer else self.document
        return visible_line(f"{shortened(place, 300)}: {shortened(self.reason, 400)}")


class DocumentRefused(ValueError):
    """A document, or a part of it, that cannot be used; `remark` has the document, the position and the reason."""

    def __init__(self, document: str, pointer: str, reason: str) -> None:
        self.remark = Remark(document, pointer, reason)
        super().__init__(str(self.remark))
