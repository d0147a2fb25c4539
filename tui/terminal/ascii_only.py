"""Draws the screen with ASCII characters only, for terminals and fonts without others.

Lines and signs are replaced by similar characters, letters lose their accents, and anything else becomes ``?``. No character
changes its width, so nothing moves. Copied and saved text is not changed.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_SIGNS = str.maketrans(
    {
        "·": ".",
        "•": "*",
        "✗": "X",
        "✓": "v",
        "†": "%",
        "∅": "0",
        "★": "*",
        "▾": "-",
        "▸": "+",
        "▼": "-",
        "►": "+",
        "▲": "^",
        "◆": "*",
        "◌": "o",
        "⚒": "%",
        "↻": "@",
        "⌫": "<",
        "␛": "^",
        "€": "E",
        "£": "L",
        "¥": "Y",
        "₹": "R",
        "₩": "W",
        "▶": ">",
        "…": "~",
        "‹": "<",
        "›": ">",
        "↑": "^",
        "↓": "v",
        "←": "<",
        "→": ">",
        "↕": "%",
        "≈": "~",
        "⏎": "<",
        "–": "-",
        "—": "-",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "■": "$",
        "□": "#",
        "●": "@",
        "▪": "#",
        "○": "o",
        "◦": "o",
        "◐": "o",
        "◷": "o",
        "√": "v",
        "»": ">",
        "«": "<",
        "≥": ">",
        "≤": "<",
        "⚠": "!",
        "×": "x",
    }
)
_UPRIGHT, _LEVEL, _FILLED = "│┃║▏▕▌▐▎▊▍▋▉", "─━═╌┄▔", "█▀▓▒░"
# Bars in eight steps keep their steps.
_STEPS = dict(zip("▁▂▃▄▅▆▇", "_,-=+*%", strict=True))


class Ascii(LineFilter):
    """Replaces every other character by ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """A line with ASCII characters only, with the same width."""
        return [Segment(plain(text), style, control) for text, style, control in segments]


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """A text in ASCII with the same width in cells."""
    return text if text.isascii() else "".join(_plain(letter) for letter in text.replace(" ⏎ ", "<- ").translate(_SIGNS))


def _plain(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter in _STEPS:
        return _STEPS[letter]
    if "\u2800" <= letter <= "\u28ff":
        return "*"  # the turning dots of a progress sign
    if letter in _UPRIGHT:
        return "|"
    if letter in _LEVEL:
        return "-"
    if letter in _FILLED:
        return "#"
    if "\u2500" <= letter <= "\u257f":
        return "+"
    width = cell_len(letter)
    base = unicodedata.normalize("NFKD", letter)[:1]
    return base if base.isascii() and base.isprintable() and width == 1 else "?" * width
