"""A single-line text input, used everywhere in the program."""

from __future__ import annotations

from textual import events
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input

from registry.display.safe_text import exact_line

_JOINERS = "\u200c\u200d"


def types_joiner(event: events.Key) -> bool:
    """Whether a key types a joiner; if so, the caller must insert it.

    Joiners have no width and count as unprintable, so Textual drops them; but emoji and several scripts need them.
    """
    if event.character is None or event.character not in _JOINERS:
        return False
    event.stop()
    event.prevent_default()
    return True


class Line(Input):
    """One line of text. Pasted lines are joined into one; control characters become visible escapes."""

    # In Textual's default colours the placeholder is too pale in the light and high contrast themes, and the background with
    # the focus is not one of the theme's.
    DEFAULT_CSS = """
    Line:focus { background-tint: $background 0%; }
    Line > .input--placeholder, Line > .input--suggestion { color: $foreground-muted; text-style: italic; }
    """

    separator = " "

    # The width of the text inside. The line's size never depends on it, so typing must not cause a new layout.
    virtual_size = Reactive(Size(0, 0), layout=False)

    def on_mount(self) -> None:
        """Switch off blinking if nothing may move."""
        if self.app.animation_level == "none":
            self.cursor_blink = False

    def validate_value(self, value: str) -> str:
        """Escape control characters."""
        return exact_line(value)

    async def _on_key(self, event: events.Key) -> None:
        if types_joiner(event):
            self.replace(event.character or "", *self.selection)

    def _on_paste(self, event: events.Paste) -> None:
        lines = [line.strip() for line in event.text.splitlines()]
        self.replace(exact_line(self.separator.join(line for line in lines if line)), *self.selection)
        event.stop()
        event.prevent_default()
