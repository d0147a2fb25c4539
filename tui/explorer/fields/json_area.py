"""A text area for JSON: in the colours of results, and with control characters escaped."""

import re

from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Region
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widgets import TextArea

from registry.saved.form_values import TextError
from registry.text.safe_text import exact_json
from tui.widgets.text_line import types_joiner

_PARTS = re.compile(r'("(?:[^"\\]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|(\w+)|([{}\[\],:])')


class JsonArea(TextArea):
    """An editor for JSON.

    Args:
        text: the text at first.
        numbered: whether to show line numbers.
    """

    COMPONENT_CLASSES = {"json--key", "json--string", "json--number", "json--word", "json--mark", "json--wrong"}

    DEFAULT_CSS = """
    JsonArea {
        &> .json--key { color: $text-primary; }
        &> .json--string { color: $text-success; }
        &> .json--number { color: $text-warning; }
        &> .json--word { color: $text-accent; }
        &> .json--mark { color: $foreground-muted; }
        &> .json--wrong { color: $text-error; text-style: bold underline; }
    }
    """

    cursor_blink = Reactive(False, init=False)

    def __init__(self, text: str, *, numbered: bool = True) -> None:
        super().__init__(text, compact=True, soft_wrap=True, show_line_numbers=numbered)
        self._wrong: TextError | None = None

    def mark(self, mistake: TextError | None) -> None:
        if mistake != self._wrong:
            self._wrong = mistake
            self.notify_style_update()  # drawn lines are cached until styles change
            self.refresh()

    def put(self, text: str) -> None:
        """Replace the text; undo brings the old one back, and the cursor stays about where it was."""
        row, column = self.cursor_location
        self.replace(exact_json(text), (0, 0), self.document.end)
        row = min(row, self.document.line_count - 1)
        self.move_cursor((row, min(column, len(self.document.get_line(row)))))

    def render_lines(self, crop: Region) -> list[Strip]:
        """Render blank lines after removal: a frame before the next layout still asks for lines, without styles."""
        return super().render_lines(crop) if self.parent is not None else [Strip.blank(crop.width)] * crop.height

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        for found in _PARTS.finditer(line.plain):
            string, colon, number, word, _ = found.groups()
            if string:
                line.stylize(self._look("key" if colon else "string"), found.start(1), found.end(1))
            else:
                line.stylize(self._look("number" if number else "word" if word else "mark"), found.start(), found.end())
        wrong = self._wrong
        if wrong is not None and wrong.line == line_index + 1:
            start = wrong.column - 1
            token = _PARTS.match(line.plain, start)
            line.stylize(self._look("wrong"), start, max(token.end() if token else 0, start + 1))
        return line

    def _look(self, name: str) -> Style:
        whole = self.get_component_rich_style(f"json--{name}")
        return Style(color=whole.color, bold=whole.bold, underline=whole.underline)

    def on_key(self, event: events.Key) -> None:
        if types_joiner(event):
            self._put(event.character or "")

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._put(exact_json(event.text))

    def _put(self, text: str) -> None:
        """Replace the selection, as typing does."""
        if not self.read_only:
            self.move_cursor(self.replace(text, *self.selection, maintain_selection_offset=False).end_location)
