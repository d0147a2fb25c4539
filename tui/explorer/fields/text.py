"""Fields with a line of text: text, numbers, lists, times, zones, secrets; and those that complete the line.

A field with completions shows a few values below. Typing is not affected: Enter takes a value, instead of running the tool,
only after ``↓`` has marked it.
"""

import asyncio
from dataclasses import dataclass
from functools import partial

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
from registry.json_text import NULL
from registry.references.targets import wrong_kind
from registry.text.shown import shortened, visible_line
from tui.explorer.fields.field import Aids, Field, Raw, facts_of
from tui.explorer.found import may_count
from tui.keyboard.key_order import LOOKUP
from tui.state.settings import key_of
from tui.widgets.texts import Line

_MOST = 5
_GAP = 2


class TextField(Field):
    """A field with one line of text; for a list, entries separated by commas. Shows what the value means, or advice (⚠)."""

    DEFAULT_CSS = """
    TextField.-advised > .reading { color: $text-warning; }
    """

    def __init__(self, parameter: Parameter, aids: Aids) -> None:
        super().__init__(parameter)
        self.set_class(self.is_inside, "-line")
        self.aids = aids
        self._untyped: Raw = None
        """The value while the line is empty: None (not set), the empty value, or null."""
        self._exact: tuple[str, Raw] | None = None
        self._retyped = False
        # Kept here instead of queried: `raw` can be read while the field is being removed.
        self.line = Line(
            placeholder=_placeholder(parameter), password=parameter.role == "secret", compact=True, select_on_focus=False
        )
        """The line with the text."""
        self.line.most = 100_000
        self.line.separator = ", " if parameter.type == "array" else " "

    def editor(self) -> ComposeResult:
        yield self.line

    @property
    def raw(self) -> Raw:
        """Text, or the entries of a list; None when nothing was typed."""
        text = self.line.value
        if self._exact is not None and self._exact[0] == text:
            return self._exact[1]
        if not text:
            return self._untyped
        if self.parameter.type == "array":
            # Commas alone have no entries; they must not count as a list that is empty on purpose.
            return [part.strip() for part in text.split(",") if part.strip()] or text
        return text

    @raw.setter
    def raw(self, raw: Raw) -> None:
        self._hold(self._nothing if raw in ("", []) else NULL if raw is NULL else None)
        self._exact, self._retyped = None, False
        text = "" if raw is NULL else raw or ""
        self.line.value = ", ".join(map(str, text)) if isinstance(text, list) else str(text)
        # A line cannot show line breaks, or commas inside an entry: until it is edited, the value is as received.
        if isinstance(raw, list if self.parameter.type == "array" else str) and self.raw != raw:
            self._exact = (self.line.value, raw)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if event.value:
            self._hold(None)
        if self._exact is not None and self._exact[0] != self.line.value:
            self._exact, self._retyped = None, True
        self.read_again()
        self.changed()

    def read_again(self) -> None:
        """Update the meaning of the value, because relative times change."""
        text = self.line.value
        reading = "= only spaces" if text.isspace() else self.aids.session.reading(self.parameter, text)
        reading = reading or wrong_kind(self.aids.tool.toolkit, self.parameter, text)
        if self._retyped and text:
            key = key_of(self.app, "raw")
            reading = f"⚠ Sent exactly as shown, escapes as text. {key} edits line breaks and commas as JSON."
        self.set_class(reading.startswith("⚠"), "-advised")
        self.show_reading(reading)

    @property
    def _nothing(self) -> Raw:
        return [] if self.parameter.type == "array" else ""

    @property
    def empties(self) -> list[Raw]:
        parameter = self.parameter
        return [None, *([self._nothing] * (parameter.when_empty != "refuse")), *([NULL] * parameter.nullable)]

    def _hold(self, untyped: Raw) -> None:
        self._untyped = untyped
        self.set_class(untyped is not None, "-empty")
        empty = {"omit": "empty: not sent", "null": "null"}.get(self.parameter.when_empty, "empty")
        shown = _placeholder(self.parameter) if untyped is None else empty
        self.line.placeholder = "null" if untyped is NULL else shown


class Offers(Widget):
    """A few values with their labels, one of which may be marked; and a line on how to find others."""

    @dataclass
    class Taken(Message):
        """A value was clicked."""

        value: str

    ALLOW_SELECT = False

    whole_values = False
    """Whether values get their full width before their labels get any."""

    names_first = False  # labels are names, and come before the values, which are ids

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
            if self.names_first and label:
                words = shortened(visible_line(label), max(room - len(value) - 2 - _GAP, room // 2))
                sign = Content.styled(f"{'›' if here else ' '} {words}", "bold $text-accent" if here else "$text")
                line = Content.assemble(sign, (" " * _GAP + visible_line(value), "$foreground-muted"))
                lines.append(line.truncate(room, ellipsis=True))
                continue
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
        self._offers.hint, self._offers.names_first = hint, bool(parameter.refers_to)
        self.set_class(bool(hint), "-hint")  # before it is mounted: after that, it would be styled anew

    def editor(self) -> ComposeResult:
        yield self.line
        yield self._offers

    @on(Offers.Taken)
    def _clicked(self, event: Offers.Taken) -> None:
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

    async def completed(self, value: str) -> list[str]:
        """Look up and offer values for the text of the line; returns the lines completed with them."""
        if value == self._taken:
            return []
        before, comma, last = self._parts(value)
        entries = [part.strip() for part in before.split(",")] if before else []
        asked = partial(self.aids.session.offers, self.aids.tool, self.parameter, entries, last.strip())
        found = await asyncio.to_thread(asked)
        session, tool = self.aids.session, self.aids.tool
        # A short list may have the names of ids.
        unnamed = self.parameter.refers_to and any(not label for _, label in found) and may_count(session, tool.toolkit)
        if unnamed and await session.name_types(tool, self.parameter.refers_to):
            found = await asyncio.to_thread(asked)
        if self.is_in_form and self.line.value == value:
            self._show([one for one in found if one[0] != last.strip()] if self.line.has_focus else [])
            if self.parameter.refers_to:
                self.read_again()  # the lookup may have found the name of the id's object
        start = before + comma + last[: len(last) - len(last.lstrip())]
        return [start + one for one, _ in found]

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if not self.line.value:
            self._offer_first()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        self._show([])

    @on(Input.Changed)
    def _emptied(self, event: Input.Changed) -> None:
        self._offers.marked = None
        if not event.value:
            self._offer_first()

    @work(group=LOOKUP, exclusive=True)
    async def _offer_first(self) -> None:
        """Offer values for an empty line, which Textual does not complete."""
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


def _placeholder(parameter: Parameter) -> str:
    if parameter.place == "inside":
        return " · ".join(["required" if parameter.required else "not set", *facts_of(parameter)])
    if parameter.default is not None:
        return f"not set: {parameter.default}"
    return "" if parameter.required else "not set"
