"""pyte's terminal with fast paths for the most frequent output: letters of one cell, colours and cursor moves.

pyte itself handles everything else, and sequences that are cut in the middle. `tests/test_emulator.py` compares the two.
"""

from __future__ import annotations

import re

import pyte
from pyte import charsets, modes
from pyte.screens import Char, wcwidth

_CONTROL = re.compile(r"\x1b\[(\??)([0-9;]*)([@-Z`a-z])")


class _Cells(dict[str, Char]):
    """The cells for letters with the same attributes."""

    def __init__(self, attributes: Char) -> None:
        super().__init__()
        self._attributes = attributes

    def __missing__(self, letter: str) -> Char:
        cell = self[letter] = self._attributes._replace(data=letter)
        return cell


class Screen(pyte.Screen):
    """A screen that makes one cell for each letter with its attributes and reuses it."""

    def __init__(self, columns: int, lines: int) -> None:
        self._narrow: set[str] = set()
        self._cells: dict[Char, _Cells] = {}
        self._renditions: dict[tuple[Char, bool, tuple[int, ...]], Char] = {}
        super().__init__(columns, lines)

    def draw(self, data: str) -> None:
        """Draw a text at the cursor."""
        column, plain = self.cursor.x, not self.charset and self.g0_charset is charsets.LAT1_MAP and modes.IRM not in self.mode
        if not plain or column + len(data) > self.columns or not self._is_narrow(data):
            super().draw(data)
            return
        attributes = self.cursor.attrs
        cells = self._cells.get(attributes)
        if cells is None:
            cells = self._cells[attributes] = _Cells(attributes)
        line = self.buffer[self.cursor.y]
        for offset, letter in enumerate(data):
            line[column + offset] = cells[letter]
        self.cursor.x = column + len(data)
        self.dirty.add(self.cursor.y)

    def _is_narrow(self, data: str) -> bool:
        if not self._narrow.issuperset(data):
            self._narrow.update(letter for letter in data if wcwidth(letter) == 1)
        return self._narrow.issuperset(data)

    def select_graphic_rendition(self, *attrs: int) -> None:
        """Set the colours and styles of the text that follows."""
        key = self.cursor.attrs, modes.DECSCNM in self.mode, attrs
        known = self._renditions.get(key)
        if known is None:
            super().select_graphic_rendition(*attrs)
            self._renditions[key] = self.cursor.attrs
        else:
            self.cursor.attrs = known


class Stream(pyte.ByteStream):
    """Reads whole control sequences at once."""

    def feed(self, data: bytes) -> None:  # type: ignore[override]
        """Draw a program's output on the screen."""
        text, offset = self.utf8_decoder.decode(data), 0
        screen = self.listener
        assert screen is not None
        while offset < len(text):
            if not self._taking_plain_text:
                self._taking_plain_text = self._send_to_parser(text[offset])
                offset += 1
            elif match := self._text_pattern.match(text, offset):
                screen.draw(match[0])
                offset = match.end()
            elif match := _CONTROL.match(text, offset):
                private, numbers, final = match.groups()
                act = getattr(screen, self.csi.get(final, "debug"))
                act(*(min(int(number or 0), 9999) for number in numbers.split(";")), **({"private": True} if private else {}))
                offset = match.end()
            else:
                self._taking_plain_text = False
