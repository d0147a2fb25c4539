"""Draws the screen with ASCII characters only, for terminals and fonts without others.

Lines and signs are replaced by similar characters, letters lose their accents, and anything else becomes ``?``. No character
changes its width, so nothing moves. Copied and saved text is not changed.
"""

import unicodedata
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_SIGNS = str.maketrans(
    "·•✗✓†∅★▾▸▼►▲◆◌⚒↻⌫␛€£¥₹₩▶…‹›↑↓←→↕≈⏎–—“”‘’■□●▪○◦◐◷√»«≥≤⚠×" + "▁▂▃▄▅▆▇" + "│┃║▏▕▌▐▎▊▍▋▉" + "─━═╌┄▔" + "█▀▓▒░",
    ".*Xv%0*-+-+^*o%@<^ELYRW>~<>^v<>%~<--\"\"''$#@#oooov><><!x" + "_,-=+*%" + "|" * 12 + "-" * 6 + "#" * 5,
)
"""Signs; bars in eight steps, which keep their steps; upright lines, level lines, and filled cells."""


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
    if "\u2800" <= letter <= "\u28ff":
        return "*"  # the turning dots of a progress sign
    if "\u2500" <= letter <= "\u257f":
        return "+"  # corners of boxes
    width = cell_len(letter)
    base = unicodedata.normalize("NFKD", letter)[:1]
    return base if base.isascii() and base.isprintable() and width == 1 else "?" * width
