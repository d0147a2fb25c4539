"""A field with completions: it completes the line, and shows a few values below.

Typing is not affected: Enter takes a value, instead of running the tool, only after ``↓`` has marked it.
"""

import asyncio
from dataclasses import dataclass

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input

from registry.catalog.model import Parameter
from registry.text.safe_text import shortened, visible_line
from tui.explorer.fields.aids import Aids
from tui.explorer.fields.text import TextField
from tui.keyboard.key_order import LOOKUP

_MOST = 5
_GAP = 2


class Offers(Widget):
    """A few values with their labels, one of which may be marked; and a line on how to find others."""

    @dataclass
    class Taken(Message):
        """A value was clicked."""

        value: str

    ALLOW_SELECT = False

    whole_values = False
    """Whether values get their full width before their labels get any."""

    values: reactive[list[tuple[str, str]]] = reactive(list, layout=True)
    marked: reactive[int | None] = reactive(None)
    hint: reactive[str] = reactive("", layout=True)

    def render(self) -> Content:
        room = max(self.size.width, 10)
        named = any(label for _, label in self.values)
        longest = max((len(value) for value, _ in self.values), default=0)
        width = min(longest, room // 2 if named and not self.whole_values else room - 2)
        named = named and room - width - 2 - _GAP > 0
        lines = []
        for place, (value, label) in enumerate(self.values):
            here = place == self.marked
            name = shortened(visible_line(value), width).ljust(width)
            words = shortened(visible_line(label), max(room - width - 2 - _GAP, 1)) if label and named else ""
            style = "bold $text-accent" if here else "$text"
            parts = [Content.styled(f"{'›' if here else ' '} {name}", style)]
            parts.append(Content.styled(" " * _GAP + words if words else "", "$foreground-muted"))
            # Some letters are two cells wide, so a line may be wider than its letters count; each value has one line.
            lines.append(Content.assemble(*parts).truncate(room, ellipsis=True))
        if self.hint:
            lines.append(Content.styled(f"  {shortened(self.hint, room - 2)}", "$foreground-muted"))
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        if 0 <= event.y < len(self.values):
            event.stop()
            self.post_message(self.Taken(self.values[event.y][0]))


class OfferField(TextField):
    """A field for a value or a list of values, of which many are known; in a list, the last entry is completed."""

    DEFAULT_CSS = """
    OfferField {
        &> Offers { height: auto; display: none; column-span: 2; }
        &.-offers.-focused > Offers, &.-hint.-focused > Offers { display: block; }
    }
    """

    BINDINGS = [Binding("down", "mark(1)", show=False), Binding("up", "mark(-1)", show=False)]

    def __init__(self, parameter: Parameter, aids: Aids, hint: str = "") -> None:
        super().__init__(parameter, aids)
        self.line.suggester = _Completion(self)
        self._taken: str | None = None
        self._offers = Offers()
        self._offers.hint = hint
        self.set_class(bool(hint), "-hint")  # before it is mounted: after that, it would be styled anew

    def editor(self) -> ComposeResult:
        yield self.line
        yield self._offers

    @on(Offers.Taken)
    def _clicked(self, event: Offers.Taken) -> None:
        event.stop()
        self.take(event.value)
        self.line.focus()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        """Take the marked value; otherwise the form is run."""
        if self._offers.marked is not None:
            event.stop()
            self.take(self._offers.values[self._offers.marked][0])

    def action_mark(self, step: int) -> None:
        """Mark another of the offered values; before the first one, unmark."""
        offers = self._offers
        place = (-1 if offers.marked is None else offers.marked) + step
        offers.marked = min(place, len(offers.values) - 1) if place >= 0 and offers.values else None

    def take(self, value: str) -> None:
        """Put a value into the line; in a list, in place of the entry being typed."""
        before, comma, _ = self._parts(self.line.value)
        self._taken = before + comma + (" " if comma else "") + value
        self.line.value = self._taken
        self.line.cursor_position = len(self._taken)
        self._show([])

    @property
    def typed(self) -> str:
        return self._parts(self.line.value)[2].strip()

    async def completed(self, value: str) -> list[str]:
        """Look up and offer values for the text of the line; returns the lines completed with them."""
        if value == self._taken:
            return []
        before, comma, last = self._parts(value)
        entries = [part.strip() for part in before.split(",")] if before else []
        found = await asyncio.to_thread(self.aids.lookup, self.parameter, entries, last.strip())
        if self.is_in_form and self.line.value == value:
            self._show([one for one in found if one[0] != last.strip()] if self.line.has_focus else [])
            if self.parameter.refers_to:
                self.read_again()  # the lookup may have found the name of the id's object
        start = before + comma + last[: len(last) - len(last.lstrip())]
        return [start + one for one, _ in found]

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self._offer_for(self.line.value)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        self._show([])

    @on(Input.Changed)
    def _emptied(self, event: Input.Changed) -> None:
        """Offer values for an empty line, which Textual does not complete."""
        self._offers.marked = None
        self._offer_for(event.value)

    def _offer_for(self, value: str) -> None:
        if not value:
            self._offer_first()

    @work(group=LOOKUP, exclusive=True, exit_on_error=False)
    async def _offer_first(self) -> None:
        await self.completed("")

    def _show(self, values: list[tuple[str, str]]) -> None:
        offers, few = self._offers, values[:_MOST]
        if few != offers.values:  # a repeated lookup of the same values must not remove the mark just before Enter is pressed
            offers.values, offers.marked = few, None
        self.set_class(bool(values), "-offers")

    def _parts(self, value: str) -> tuple[str, str, str]:
        """The text before the value being typed, the comma, and the value."""
        return value.rpartition(",") if self.parameter.type == "array" else ("", "", value)


class IdField(OfferField):
    """A field for an id, or for several: `hint` says how to open the service's own list of such objects."""


class _Completion(Suggester):
    """Completes the line with the best value that continues it."""

    def __init__(self, field: OfferField) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._field = field

    async def get_suggestion(self, value: str) -> str | None:
        """The line with the value, if one continues it, ignoring case."""
        lines = await self._field.completed(value)
        return next((line for line in lines if len(line) > len(value) and line.lower().startswith(value.lower())), None)
