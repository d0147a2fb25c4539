"""A single-line text input, used everywhere in the program."""

from textual import events
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input

from registry.text.safe_text import exact_line

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
    """One line of text. Pasted lines are joined into one; control characters become visible escapes.

    Every key reads and draws all of the line, so a paste that would make it very long is refused, never cut: what was cut could
    be sent.
    """

    # In Textual's default colours the placeholder is too pale in the light and high contrast themes, and the background with
    # the focus is not one of the theme's.
    DEFAULT_CSS = """
    Line:focus { background-tint: $background 0%; }
    Line > .input--placeholder, Line > .input--suggestion { color: $foreground-muted; text-style: italic; }
    """

    separator = " "
    most = 10_000
    """The most characters that a paste may lead to."""

    # The width of the text inside. The line's size never depends on it, so typing must not cause a new layout.
    virtual_size = Reactive(Size(0, 0), layout=False)

    # A cursor that blinks would be drawn twice a second for as long as the program is open.
    cursor_blink = Reactive(False, init=False)

    def validate_value(self, value: str) -> str:
        return exact_line(value)

    def on_key(self, event: events.Key) -> None:
        if types_joiner(event):
            self.replace(event.character or "", *self.selection)

    def on_paste(self, event: events.Paste) -> None:
        """Put in what is pasted, made safe."""
        self._put(event.text)
        event.stop()
        event.prevent_default()

    def action_paste(self) -> None:
        self._put(self.app.clipboard)

    def _put(self, pasted: str) -> None:
        text = self.separator.join(line for one in pasted.splitlines() if (line := one.strip()))
        start, end = sorted(self.selection)
        length = len(self.value) - (end - start) + len(text)
        if length > self.most:
            words = f"Not pasted: the line would have {length:,} characters, and at most {self.most:,} can be pasted."
            self.notify(words, severity="warning")
            return
        self.replace(exact_line(text), *self.selection)
