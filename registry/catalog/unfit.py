"""Text in a toolkit's files that is not safe to show."""

from __future__ import annotations

from typing import Any

from registry.text.safe_text import visible_line

UNFIT = "contains control or invisible characters"


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
