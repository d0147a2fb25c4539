"""A problem in the catalogue, as a value."""

from __future__ import annotations

from typing import NamedTuple

from registry.display.safe_text import shortened, visible_line


class CatalogProblem(NamedTuple):
    """A mistake: file, tool, field, the rule that is broken, and the line where it is known.

    `file` is relative to the toolkits that ship, or the whole path of a file from elsewhere. `tool` and `field` are empty where
    the mistake belongs to none; `line` is 0 where it is not known.
    """

    file: str
    tool: str
    field: str
    message: str
    line: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        parts = (place, shortened(self.tool, 120), shortened(self.field, 120), shortened(self.message, 600))
        return visible_line(": ".join(part for part in parts if part))
