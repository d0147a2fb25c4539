"""A field for several values: the items of a list, or the entries of an object whose properties have any name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from registry.catalog.model import Parameter
from registry.json_text.values import same
from registry.saved.form_values import raw_given, typed
from tui.explorer.fields.field import Composite, Field, Raw
from tui.explorer.fields.folded import FoldedField
from tui.widgets.text_line import Line

_MOST = 200


class AddLine(Static, can_focus=True):
    """The line that adds one more."""

    DEFAULT_CSS = """
    AddLine { height: 1; color: $text-accent; }
    AddLine:focus { background: $panel; }
    """


class SeveralField(Composite):
    """A field with a line for each of several values (in an object, with its name), and one more line that adds a value.

    Args:
        parameter: the list or the object.
        make: makes the field for one of the values.
    """

    DEFAULT_CSS = """
    SeveralField {
        &> .items { height: auto; }
        &> .items FoldedField { margin: 0; }
        &> .items > FoldedField > .label, &> .items > .entry > FoldedField > .label { display: none; }
        .entry { height: auto; }
        .entry > Line { background: $surface; padding: 0 1; }
    }
    """

    BINDINGS = [("enter,space,plus", "add", "Add")]

    def __init__(self, parameter: Parameter, make: Callable[[Parameter], Field]) -> None:
        super().__init__(parameter)
        assert parameter.items is not None
        self._named = parameter.type == "object"
        self._item = replace(parameter.items, name=parameter.items.name or "item")
        self._make = make
        self.items: list[FoldedField] = []
        """The fields of the values, in order."""
        self._names: list[Line] = []

    def editor(self) -> ComposeResult:
        yield Vertical(*self._rows, classes="items")
        yield AddLine(Content("+ Add a name and a value" if self._named else "+ Add an item"))

    @property
    def parts(self) -> list[tuple[str | int, Field]]:
        names = [line.value for line in self._names] if self._named else range(len(self.items))
        return list(zip(names, self.items, strict=True))

    @property
    def raw(self) -> Raw:
        built = self._built
        return self.received[1] if self.received is not None and same(built, self.received[0]) else built

    @raw.setter
    def raw(self, raw: Raw) -> None:
        given = raw if isinstance(raw, dict if self._named else list) else ()
        named = given.items() if isinstance(given, dict) else [("", one) for one in given]
        self._fill([(name, raw_given(self._item, one)) for name, one in named])
        self.received = (self._built, raw) if raw is not None else None
        if self.is_mounted:
            rows = self.query_one(".items", Vertical)
            rows.remove_children()
            rows.mount(*self._rows)

    def focus_editor(self) -> None:
        (self.items[0].focus_editor if self.items else self.query_one(AddLine).focus)()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key that adds is that of the line for it."""
        return action != "add" or self.query_children(AddLine).first().has_focus

    async def on_click(self, event: events.Click) -> None:
        """Add one on a click on the line, too."""
        if isinstance(event.widget, AddLine) and event.widget.parent is self:
            event.stop()
            await self.action_add()

    async def action_add(self) -> None:
        """Add a value, and open it or begin with its name."""
        if len(self.items) >= _MOST:
            self.app.bell()
            return
        self._add("", None)
        await self.query_one(".items", Vertical).mount(self._row(-1))
        self.received = None
        if self._named:
            self._names[-1].focus()
        else:
            await self.items[-1].unfold()
        self.changed()

    async def on_folded_field_removed(self, event: FoldedField.Removed) -> None:
        if event.field not in self.items:
            return
        event.stop()
        place = self.items.index(event.field)
        self._fill([(str(name), item.raw) for name, item in self.parts if item is not event.field])
        self.received = None
        rows = self.query_one(".items", Vertical)
        await rows.remove_children()
        await rows.mount(*self._rows)
        if self.items:
            self.items[min(place, len(self.items) - 1)].focus_editor()
        else:
            self.query_one(AddLine).focus()
        self.changed()

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input in self._names:
            event.stop()
            self.changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input in self._names:
            event.stop()
            self.items[self._names.index(event.input)].focus_editor()

    def _row(self, place: int) -> Widget:
        item = self.items[place]
        return Vertical(self._names[place], item, classes="entry") if self._named else item

    @property
    def _rows(self) -> list[Widget]:
        return [self._row(place) for place in range(len(self.items))]

    @property
    def _built(self) -> Raw:
        if self._named:
            return {str(name): _value(item) for name, item in self.parts if name} or None
        return [_value(item) for item in self.items] or None

    def _fill(self, values: Iterable[tuple[str, Raw]]) -> None:
        self.items.clear()
        self._names.clear()
        for name, raw in values:
            self._add(name, raw)

    def _add(self, name: str, raw: Raw) -> None:
        item = FoldedField(self._item, self._make, "value" if self._named else str(len(self.items) + 1))
        item.raw = raw
        self.items.append(item)
        if self._named:
            self._names.append(Line(name, placeholder="name", compact=True, select_on_focus=False))


def _value(item: Field) -> Any:
    """The JSON value of an item; one that is not filled in is an empty object, list or text, or null."""
    raw = item.raw
    if raw is None:
        return {"object": {}, "array": [], "string": ""}.get(item.parameter.type)
    return typed(item.parameter, raw)
