"""Draws pieces of text in their tones: as lines of a list, and as content of a widget."""

import re
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.content import Content

from registry.oncall.words import Line, Piece, Tone
from tui.oncall.watching import Watching
from tui.widgets.line_list import LineList, component_css

RowT = TypeVar("RowT")
_WORD = re.compile(r"^[^ ]+| [^ ]*")  # with the space before it

COLOURS: dict[Tone, str] = {
    "plain": "$foreground",
    "strong": "bold $foreground",
    "quiet": "$foreground-muted",
    "good": "$text-success",
    "warn": "$text-warning",
    "bad": "bold $text-error",
    "mine": "bold $text-accent",
    "filled": "bold $background",
    "live": "bold $live reverse",
}


def _css(style: str) -> str:
    """A style as CSS: ``bold $text-error`` is a colour and a style of the text."""
    *text, colour = sorted(style.split(), key=lambda word: word.startswith("$"))
    return f"color: {colour}; text-style: {' '.join(text) or 'none'}"


def content_of(pieces: Iterable[Piece]) -> Content:
    """Pieces as the content of a widget."""
    return Content.assemble(*(Content.styled(piece.words, COLOURS[piece.tone]) for piece in pieces))


def cell(words: str, width: int, tone: Tone = "plain", *, right: bool = False) -> Piece:
    """A text in a column of so many cells: padded with spaces, or cut with an ellipsis."""
    if width <= 0:
        return Piece("")
    length = cell_len(words)
    if length > width:
        words = set_cell_size(words, width - 1).rstrip() + "…"
        length = cell_len(words)
    blanks = " " * (width - length)
    return Piece(blanks + words if right else words + blanks, tone)


def width_of(line: Iterable[Piece]) -> int:
    """The width of a line in cells."""
    return sum(cell_len(piece.words) for piece in line)


def wrapped(line: Line, width: int, indent: int) -> list[Line]:
    """A line wrapped between its pieces if it is too long, and long pieces between words; rows after the first are indented."""
    if width_of(line) <= width:
        return [line]
    lines: list[Line] = [[]]
    room = width
    for piece in line:
        fits = cell_len(piece.words.lstrip(" ")) <= width - indent
        for word in [piece.words] if fits else _WORD.findall(piece.words):
            length = cell_len(word)
            if length > room and lines[-1] and room < width - (indent if len(lines) > 1 else 0):
                lines.append([Piece(" " * indent)])
                room = width - indent
                word = word.lstrip(" ")
                length = cell_len(word)
            lines[-1].append(Piece(word, piece.tone))
            room -= length
    return lines


class PieceList(LineList, Generic[RowT]):
    """A list of a watch's rows, each a line of pieces. Subclasses set `rows`, and implement `drawn` and `without_rows`."""

    COMPONENT_CLASSES = {*(f"tone--{tone}" for tone in COLOURS)}

    DEFAULT_CSS = component_css("PieceList", "tone", {tone: _css(style) for tone, style in COLOURS.items()}, own="width: 100%")

    dimmed = False
    """Whether everything is drawn muted, because the data is stale."""

    def __init__(self, watching: Watching, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.watching = watching
        self.rows: Sequence[RowT] = ()
        self._drawn: dict[int, tuple[Piece, ...]] = {}

    def watch_over(self, watching: Watching) -> None:
        self.watching = watching

    def show(self) -> None:
        """Show the watch's rows as they are now; those that also depend on a row elsewhere are shown with it."""

    @property
    def line_count(self) -> int:
        return max(len(self.rows), 1)

    @property
    def here(self) -> RowT | None:
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def drawn(self, row: RowT, width: int) -> Sequence[Piece]:
        raise NotImplementedError

    def without_rows(self) -> Piece:
        return Piece("Not loaded yet.", "warn")

    def line(self, number: int, width: int) -> Sequence[Piece]:
        return self.drawn(self.rows[number], width) if number < len(self.rows) else [Piece(" "), self.without_rows()]

    def struck(self, number: int) -> bool:
        """Whether a line is struck through, because its object is gone or closed."""
        return False

    def refresh_changed(self) -> None:
        """After time has passed, draw only those lines on screen again whose text has changed, which are few."""
        width, height = self.scrollable_content_region.size
        first = self.scroll_offset.y
        for line in range(first, min(first + height, self.line_count)):
            if self._drawn.get(line) != tuple(self.line(line, width)):
                self.refresh_line(line)

    def draw(self, line: int, width: int) -> list[Segment]:
        struck = Style(strike=True) if self.struck(line) else None
        segments, pieces = [], tuple(self.line(line, width))
        self._drawn[line] = pieces
        for piece in pieces:
            style = self.style("tone--quiet" if self.dimmed else f"tone--{piece.tone}")
            segments.append(Segment(piece.words, style + struck if struck is not None and piece.words.strip() else style))
        return segments

    @property
    def cursor_always_shown(self) -> bool:
        """Never: the cursor is marked only with the focus."""
        return False
