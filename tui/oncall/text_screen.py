"""A screen of scrolling lines, with a title and a line of keys: timelines, pages, and the like."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from registry.oncall.words import Line, Piece
from tui.dialogs.dialog import Dialog
from tui.oncall.pieces import PieceList, content_of, wrapped


class TextLines(PieceList):
    """The lines; long ones wrap, indented."""

    def __init__(self) -> None:
        super().__init__(id="text-lines")
        self._given: list[Line] = []
        self._shown: list[Line] = []

    @property
    def line_count(self) -> int:
        """How many lines there are; at least 1."""
        return max(len(self._shown), 1)

    def show(self, lines: Sequence[Line]) -> None:
        """Show lines."""
        self._given = list(lines)
        self._lay_out()

    def on_resize(self) -> None:
        """Wrap the lines again."""
        self._lay_out()
        super().on_resize()

    def line(self, number: int, width: int) -> Line:
        """A line."""
        return self._shown[number] if number < len(self._shown) else []

    def _lay_out(self) -> None:
        width = max(self.scrollable_content_region.width, 40)
        self._shown = [part for line in self._given for part in wrapped(line, width, 6)]
        self.lines_changed()


class TextScreen(Dialog[None]):
    """The screen.

    Args:
        title: the title; in the past it starts with PAST.
        keys: keys besides those that scroll and go back.
    """

    DEFAULT_CSS = """
    TextScreen {
        background: $background;
        #box { width: 100%; max-width: 100%; height: 100%; max-height: 100%; border: none; padding: 0; }
        #title { height: 1; padding: 0 1; background: $surface; text-wrap: nowrap; text-overflow: ellipsis; }
        .keys-here { margin: 0; padding: 0 1; }
    }
    """

    def __init__(self, title: Line, keys: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        self._title = title
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Title, lines, keys."""
        with Vertical(id="box"):
            yield Static(content_of(self._title), id="title")
            yield TextLines()
            yield self.keys_line(*self._keys, ("↑ ↓", "Scroll"), ("Esc", "Back"))

    def on_mount(self) -> None:
        """Focus the text, which scrolls."""
        self.query_one(TextLines).focus()

    def show(self, lines: Sequence[Line]) -> None:
        """Show lines."""
        self.query_one(TextLines).show(lines)

    def say(self, words: str) -> None:
        """Show a message in place of the lines, for instance while loading."""
        self.query_one(TextLines).show([[Piece(f" {words}", "warn")]])


def heading(words: str) -> Line:
    """The heading of a section."""
    return [Piece(f" {words}", "strong")]
