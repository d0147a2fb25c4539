"""A field for ids, which knows those that answers have named: by their beginning, or by what people call the object.

A few of them stand below the line while the keyboard is in it. They take no key away from typing: only after ``↓`` has gone
to one of them does Enter take it and not run the tool.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.reactive import reactive
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input

from registry.catalog.model import Parameter
from registry.text import shortened, visible_line
from tui.explorer.fields.text import Editor, TextField

Lookup = Callable[[Parameter, str], "list[tuple[str, str]]"]
"""Ids with labels for a parameter and what was typed, newest first. May block."""

_MOST = 5


class Offers(Widget):
    """A few ids with their labels; one of them may be marked."""

    ids: reactive[list[tuple[str, str]]] = reactive(list, layout=True)
    marked: reactive[int | None] = reactive(None)

    def render(self) -> Content:
        """A line each."""
        room = max(self.size.width, 10)
        width = min(max((len(id_) for id_, _ in self.ids), default=0), room // 2)
        lines = []
        for place, (id_, label) in enumerate(self.ids):
            here = place == self.marked
            name = shortened(visible_line(id_), width).ljust(width)
            words = shortened(visible_line(label), max(room - width - 4, 1))
            style = "bold $text-accent" if here else "$text"
            parts = [Content.styled(f"{'›' if here else ' '} {name}", style), Content.styled(f"  {words}", "$foreground-muted")]
            lines.append(Content.assemble(*parts))
        return Content("\n").join(lines)


class IdEditor(Editor):
    """The line of an id; the arrows go through what is offered below it."""

    BINDINGS = [Binding("down", "mark(1)", show=False), Binding("up", "mark(-1)", show=False)]

    def action_mark(self, step: int) -> None:
        """Go to another of the ids below."""
        if isinstance(self.parent, IdField):
            self.parent.mark(step)

    def action_cursor_right(self, select: bool = False) -> None:
        """Take the marked id; otherwise as ever."""
        if not (isinstance(self.parent, IdField) and self.parent.take()):
            super().action_cursor_right(select)

    async def action_submit(self) -> None:
        """Take the marked id; otherwise as ever."""
        if not (isinstance(self.parent, IdField) and self.parent.take()):
            await super().action_submit()


class IdField(TextField):
    """A field for an id, or for several."""

    DEFAULT_CSS = """
    IdField {
        &> Offers { height: auto; display: none; }
        &.-offers:focus-within > Offers { display: block; }
    }
    """

    def __init__(self, parameter: Parameter, lookup: Lookup) -> None:
        super().__init__(parameter, lambda _: ())
        self._lookup = lookup
        self._taken: str | None = None

    def editor(self) -> ComposeResult:
        """One line, and what is offered below it."""
        yield IdEditor(self.parameter, _Seen(self))
        yield Offers()

    def mark(self, step: int) -> None:
        """Mark another of the ids that are offered; none before the first one."""
        offers = self._offers
        place = step if offers.marked is None else offers.marked + step
        place = place - 1 if offers.marked is None else place
        offers.marked = min(place, len(offers.ids) - 1) if place >= 0 and self.has_class("-offers") else None

    def take(self) -> bool:
        """Put the marked id into the line; tells whether there was one."""
        offers = self._offers
        if offers.marked is None or not self.has_class("-offers"):
            return False
        before, comma, _ = self._parts(self.line.value)
        self._taken = before + comma + (" " if comma else "") + offers.ids[offers.marked][0]
        self.line.value = self._taken
        self.line.cursor_position = len(self._taken)
        self._show([])
        return True

    async def ids(self, value: str) -> list[str]:
        """Look ids up for what stands in the line, and offer them."""
        if value == self._taken:
            return []
        before, comma, last = self._parts(value)
        found = await asyncio.to_thread(self._lookup, self.parameter, last.strip())
        if self._is_whole and self.line.value == value:
            self._show([one for one in found if one[0] != last.strip()] if self.line.has_focus else [])
        start = before + comma + last[: len(last) - len(last.lstrip())]
        return [start + id_ for id_, _ in found]

    @work(group="offers", exclusive=True, exit_on_error=False)
    async def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The keyboard came: offer the newest ids, or those that go on from what stands there."""
        if not self.line.value:
            await self.ids("")

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """The keyboard has gone."""
        self._show([])

    @on(Input.Changed)
    def _emptied(self, event: Input.Changed) -> None:
        """An empty line is not completed; it offers the newest ids."""
        self._offers.marked = None
        if not event.value:
            self.run_worker(self.ids(""), group="offers", exclusive=True, exit_on_error=False)

    def _show(self, ids: list[tuple[str, str]]) -> None:
        for offers in self.query(Offers):  # none any more where the form has changed meanwhile
            offers.ids, offers.marked = ids[:_MOST], None
            self.set_class(bool(ids), "-offers")

    def _parts(self, value: str) -> tuple[str, str, str]:
        """What stands before the id that is typed, the comma, and the id."""
        return value.rpartition(",") if self.parameter.type == "array" else ("", "", value)

    @property
    def _is_whole(self) -> bool:
        """Whether the line and the offers are there; of a form that is changing, they go one after the other."""
        return self.is_attached and bool(self.query("IdEditor")) and bool(self.query("Offers"))

    @property
    def _offers(self) -> Offers:
        return self.query_one(Offers)


class _Seen(Suggester):
    """Completes the line with the newest id that goes on from it."""

    def __init__(self, field: IdField) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._field = field

    async def get_suggestion(self, value: str) -> str | None:
        """The line with the id, if one goes on from it."""
        return next((line for line in await self._field.ids(value) if line.startswith(value) and line != value), None)
