"""Breaks words that are longer than a line between their parts: before a capital, after ``_``, ``/`` and ``?``.

Names of tools and parameters, and addresses, have no spaces; otherwise they would break at any letter.
"""

from __future__ import annotations

import re
from itertools import pairwise

from rich.cells import cell_len
from textual import events
from textual.content import Content

from tui.widgets.words import Words

_WORD = re.compile(r"\S+")
_PART = re.compile(r"(?<=[_/?&=.+-])(?=[^\s_/?&=.+-])|(?<=[a-z0-9])(?=[A-Z&?/])|(?=%[0-9A-F]{2})(?<!%)|(?<=%[0-9A-F]{2})")


def broken(content: Content, width: int) -> Content:
    """The same content with line breaks between the parts of words that are longer than `width` cells."""
    if width < 1:
        return content
    places = [place for found in _WORD.finditer(content.plain) for place in _places(found[0], found.start(), width)]
    return Content("\n").join([content[start:end] for start, end in zip([0, *places], [*places, len(content)], strict=True)])


def _places(word: str, start: int, width: int) -> list[int]:
    """Where a word is broken, as positions in the text in which it begins at `start`."""
    if cell_len(word) <= width:
        return []
    places, line = [], 0
    parts = [0, *(found.start() for found in _PART.finditer(word) if 0 < found.start() < len(word)), len(word)]
    for part, end in pairwise(parts):
        if part > line and cell_len(word[line:end]) > width:
            places.append(start + part)
            line = part
    return places


class BrokenWords(Words):
    """Shows a content with long words broken between their parts, at any width."""

    def __init__(self, content: Content, *, classes: str | None = None) -> None:
        super().__init__(content, classes=classes)
        self._whole, self._shown = content, content.plain

    def on_resize(self, event: events.Resize) -> None:
        """Break the words again for the new width."""
        shown = broken(self._whole, event.size.width)
        if shown.plain != self._shown:
            self._shown = shown.plain
            self.update(shown)
