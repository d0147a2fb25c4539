"""A problem in the catalogue, as a value; and the rule for text in toolkits' files: it must be safe to show."""

from __future__ import annotations

from typing import Any, NamedTuple

from registry.text.safe_text import shortened, visible_line

UNFIT = "contains control or invisible characters"


class CatalogProblem(NamedTuple):
    """A mistake: file (relative to the built-in toolkits, or its whole path), tool and field, if it is in one, and the rule."""

    file: str
    tool: str
    field: str
    message: str

    def __str__(self) -> str:
        parts = (self.file, shortened(self.tool, 120), shortened(self.field, 120), shortened(self.message, 600))
        return visible_line(": ".join(part for part in parts if part))


def unfit(value: Any, *path: str) -> str | None:
    """The field of the first text in a value that is not safe to show; None if all are."""
    match value:
        case str():
            return None if visible_line(value) == value else ".".join(path)
        case dict():
            for key, one in value.items():
                if (found := unfit(key, *path, "a name") or unfit(one, *path, key)) is not None:
                    return found
        case list():
            for place, one in enumerate(value):
                if (found := unfit(one, *path, str(place))) is not None:
                    return found
    return None
