"""A single-line text input, used everywhere in the program."""

from __future__ import annotations

from textual import events
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input

from registry.display.safe_text import exact_line

_JOINERS = "\u200c\u200d"


def types_joiner(event: events.Key) -> bool:
    """Whether a key types a joiner, which is then this caller's to insert.

    Joiners have no width and count as unprintable, so Textual drops them; but they are letters of emoji and of living scripts.
    """
    if event.character is None or event.character not in _JOINERS:
        return False
    event.stop()
    event.prevent_default()
    return True


class Line(Input):
    """One line of text. What is pasted over several lines becomes one; control characters become visible escapes."""

    # In the usual colours of a line, what is not typed yet is too pale to be read on paper and with high contrast, and the
    # ground with the focus is none of the theme's.
    DEFAULT_CSS = """
    Line:focus { background-tint: $background 0%; }
    Line > .input--placeholder, Line > .input--suggestion { color: $foreground-muted; text-style: italic; }
    """

    separator = " "

    # The width of the text inside. The line's own size never depends on it, so a letter must not lay out the whole screen.
    virtual_size = Reactive(Size(0, 0), layout=False)

    def on_mount(self) -> None:
        """Nothing blinks where nothing may move."""
        if self.app.animation_level == "none":
            self.cursor_blink = False

    def validate_value(self, value: str) -> str:
        """Never hold a character that a terminal would obey."""
        return exact_line(value)

    async def _on_key(self, event: events.Key) -> None:
        if types_joiner(event):
            self.replace(event.character or "", *self.selection)

    def _on_paste(self, event: events.Paste) -> None:
        lines = [line.strip() for line in event.text.splitlines()]
        self.replace(exact_line(self.separator.join(line for line in lines if line)), *self.selection)
        event.stop()
        event.prevent_default()
