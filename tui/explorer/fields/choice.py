"""A field whose value is one of a few: all of them are in sight, and one key away."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from registry.catalog.model import Parameter
from tui.explorer.fields.field import Field, Raw

NOT_SET = "not set"


class Options(Widget, can_focus=True):
    """Words in a row, one of them chosen; the row goes on below where it is too long.

    ``●`` marks the chosen one, so that the choice does not depend on colour.
    """

    BINDINGS = [
        Binding("left,up", "step(-1)", "Choose", key_display="← →", show=True),
        Binding("right,down,space", "step(1)", show=False),
        Binding("home,delete,backspace", "choose(0)", show=False),
        Binding("end", "choose(-1)", show=False),
    ]

    class Chosen(Message):
        """Another option was chosen."""

    chosen: reactive[int] = reactive(0)

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self._words = list(words)

    def render(self) -> Content:
        """All options."""
        lines = []
        for line in self._flow(self.size.width or 40):
            parts = []
            for place, _ in line:
                word = f"{'●' if place == self.chosen else '○'} {self._words[place]}"
                style = (
                    "bold $text-accent"
                    if place == self.chosen and place
                    else "$text"
                    if place == self.chosen
                    else "$foreground-muted"
                )
                parts.append(Content.styled(word, style))
            lines.append(Content("  ").join(parts))
        return Content("\n").join(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the words need."""
        return len(self._flow(width))

    def action_step(self, step: int) -> None:
        """Choose the option beside."""
        self._choose(max(0, min(self.chosen + step, len(self._words) - 1)))

    def action_choose(self, place: int) -> None:
        """Choose the first or the last option."""
        self._choose(place % len(self._words))

    def on_key(self, event: events.Key) -> None:
        """A letter chooses the next option that starts with it."""
        letter = event.character
        if not letter or not letter.isalnum():
            return
        count = len(self._words)
        for step in range(1, count + 1):
            place = (self.chosen + step) % count
            if self._words[place].lower().startswith(letter.lower()):
                event.stop()
                self._choose(place)
                return

    def on_click(self, event: events.Click) -> None:
        """Choose the option under the mouse."""
        spot = event.get_content_offset(self)
        if spot is None:
            return
        lines = self._flow(self.size.width)
        if spot.y < len(lines):
            for place, start in lines[spot.y]:
                if start <= spot.x < start + len(self._words[place]) + 2:
                    self._choose(place)

    def _choose(self, place: int) -> None:
        if place != self.chosen:
            self.chosen = place
            self.post_message(self.Chosen())

    def _flow(self, width: int) -> list[list[tuple[int, int]]]:
        """The lines, each with (option, column) from left to right."""
        lines: list[list[tuple[int, int]]] = [[]]
        column = 0
        for place, word in enumerate(self._words):
            length = len(word) + 2
            if lines[-1] and column + length > width:
                lines.append([])
                column = 0
            lines[-1].append((place, column))
            column += length + 2
        return lines


class ChoiceField(Field):
    """A field for a yes/no, or for one of a few values. Not set is one of the choices."""

    def __init__(self, parameter: Parameter) -> None:
        super().__init__(parameter)
        values = ["true", "false"] if parameter.type == "boolean" else list(parameter.enum or ())
        words = ["yes", "no"] if parameter.type == "boolean" else values
        default = parameter.default
        if isinstance(default, bool):
            unset = f"{NOT_SET}: {'yes' if default else 'no'}"
        else:
            unset = NOT_SET if default is None else f"{NOT_SET}: {default}"
        self._values: list[str | None] = [None, *values]
        self._words = [unset, *words]

    def editor(self) -> ComposeResult:
        """The options."""
        yield Options(self._words)

    @property
    def raw(self) -> Raw:
        """The chosen value, or None."""
        return self._values[self.query_one(Options).chosen]

    @raw.setter
    def raw(self, raw: Raw) -> None:
        self.query_one(Options).chosen = self._values.index(raw) if isinstance(raw, str) and raw in self._values else 0

    def focus_editor(self) -> None:
        """Put the keyboard on the options."""
        self.query_one(Options).focus()

    def on_options_chosen(self, event: Options.Chosen) -> None:
        """Another option was chosen."""
        event.stop()
        self.changed()
