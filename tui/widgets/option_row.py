"""A few options in a row of which one is chosen: all of them are visible and one key away."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class Options(Widget, can_focus=True):
    """Options in a row, one of them chosen; the row wraps if it is too long.

    ``●`` marks the chosen one, so that the choice does not depend on colour. The first one means no choice, unless `all_count`.
    """

    BINDINGS = [
        Binding("left,up", "step(-1)", "Choose", key_display="← →", show=True),
        Binding("right,down,space", "step(1)", show=False),
        Binding("home,delete,backspace", "choose(0)", show=False),
        Binding("end", "choose(-1)", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """Another option was chosen."""

        options: "Options"

        @property
        def control(self) -> "Options":
            return self.options

    chosen: reactive[int] = reactive(0)

    def __init__(self, words: Sequence[str], *, all_count: bool = False, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._words = list(words)
        self._all_count = all_count

    def offer(self, words: Sequence[str]) -> None:
        """Offer other options, of which the first is chosen."""
        if self._words != list(words):
            self._words, self.chosen = list(words), 0
            self.refresh(layout=True)

    def render(self) -> Content:
        lines = []
        for line in self._flow(self.size.width or 40):
            parts = []
            for place, _ in line:
                word = f"{'●' if place == self.chosen else '○'} {self._words[place]}"
                style = (
                    "bold $text-accent"
                    if place == self.chosen and (place or self._all_count)
                    else "$text"
                    if place == self.chosen
                    else "$foreground-muted"
                )
                parts.append(Content.styled(word, style))
            lines.append(Content("  ").join(parts))
        return Content("\n").join(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._flow(width))

    def action_step(self, step: int) -> None:
        self._choose(max(0, min(self.chosen + step, len(self._words) - 1)))

    def action_choose(self, place: int) -> None:
        self._choose(place % len(self._words))

    def on_key(self, event: events.Key) -> None:
        """Choose the next option that starts with the typed letter."""
        letter, after = (event.character or "").lower(), self.chosen + 1
        places = [*range(after, len(self._words)), *range(after)]
        place = next((one for one in places if letter.isalnum() and self._words[one].lower().startswith(letter)), None)
        if place is not None:
            event.stop()
            self._choose(place)

    def on_click(self, event: events.Click) -> None:
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
            self.post_message(self.Chosen(self))

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
