"""The screen with ASCII characters only, for terminals and fonts that have no others.

Lines and signs get characters that look like them, letters lose their accents, and what is left becomes ``?``. Nothing changes
its width, so nothing moves. What is copied or saved is not touched.
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
# What grows in eight steps grows in these as well.
_STEPS = dict(zip("▁▂▃▄▅▆▇", "_,-=+*%", strict=True))


class Ascii(LineFilter):
    """Puts ASCII in the place of every other character."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """A line with ASCII characters only, as wide as it was."""
        return [Segment(plain(text), style, control) for text, style, control in segments]


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """A text in ASCII that takes as many cells."""
    return text if text.isascii() else "".join(_plain(letter) for letter in text.replace(" ⏎ ", "<- ").translate(_SIGNS))


def _plain(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter in _STEPS:
        return _STEPS[letter]
    if "\u2800" <= letter <= "\u28ff":
        return "*"  # dots that turn while something is under way
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
