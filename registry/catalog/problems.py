"""A problem in the catalogue, as a value."""

from __future__ import annotations

from typing import NamedTuple

from registry.text.safe_text import shortened, visible_line


class CatalogProblem(NamedTuple):
    """A mistake: file, tool, field, the broken rule, and the line if it is known.

    `file` is relative to the built-in toolkits, or the whole path of another file. `tool` and `field` are empty if
    the mistake is not in one; `line` is 0 if it is not known.
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
