"""Fields for several values: the items of a list, and the entries of an object whose properties have any name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from registry.catalog.model import Parameter
from registry.json_text.values import same
from registry.saved.form_values import raw_given, typed
from tui.explorer.fields.field import Field, Problem, Raw
from tui.explorer.fields.folded import FoldedField
from tui.widgets.text_line import Line

_MOST = 200


class AddLine(Static, can_focus=True):
    """The line that adds one more."""

    BINDINGS = [("enter,space,plus", "add", "Add")]

    DEFAULT_CSS = """
    AddLine { height: 1; color: $text-accent; }
    AddLine:focus { background: $panel; }
    """

    class Pressed(Message):
        """The user adds one more."""

    def on_click(self) -> None:
        """Add one on a click, too."""
        self.action_add()

    def action_add(self) -> None:
        """Ask for one more."""
        self.post_message(self.Pressed())


class SeveralField(Field):
    """A field with a line for each of several values, and one more line that adds a value.

    Args:
        parameter: the list or the object.
        make: makes the field for one of the values.
    """

    DEFAULT_CSS = """
    SeveralField {
        &> .items { height: auto; }
        &> .items FoldedField { margin: 0; }
        &> .items > FoldedField > .label, &> .items > .entry > FoldedField > .label { display: none; }
    }
    """

    adds = ""
    """The text of the last line."""

    def __init__(self, parameter: Parameter, make: Callable[[Parameter], Field]) -> None:
        super().__init__(parameter)
        self._make = make
        self._came: tuple[Raw, Raw] | None = None
        self.items: list[FoldedField] = []
        """The fields of the values, in order."""

    def editor(self) -> ComposeResult:
        """The values, and the line that adds one."""
        yield Vertical(*self._rows(), classes="items")
        yield AddLine(Content(self.adds))

    @property
    def raw(self) -> Raw:
        """The values; None if there are none. Until something is changed, the value is exactly as received."""
        built = self._built()
        if self._came is not None and same(built, self._came[0]):
            return self._came[1]
        return built

    @raw.setter
    def raw(self, raw: Raw) -> None:
        self._came = None
        self.items.clear()
        self._take(raw)
        self._came = (self._built(), raw) if raw is not None else None
        if self.is_mounted:
            place = self.query_one(".items", Vertical)
            place.remove_children()
            place.mount(*self._rows())

    def focus_editor(self) -> None:
        """Focus the first value, or the line that adds one."""
        if self.items:
            self.items[0].focus_editor()
        else:
            self.query_one(AddLine).focus()

    def go_to_wrong(self) -> None:
        """Focus the first value with a mistake."""
        wrong = (item for item in self.items if item.has_class("-wrong") or item.query(".-wrong"))
        item = next(wrong, None)
        if item is not None:
            item.go_to_wrong()
        else:
            self.focus_editor()

    async def on_add_line_pressed(self, event: AddLine.Pressed) -> None:
        """Add a value, and open it."""
        event.stop()
        if len(self.items) >= _MOST:
            self.app.bell()
            return
        item = self._add(None)
        await self.query_one(".items", Vertical).mount(self._row(item))
        self._came = None
        await self._begin(item)
        self.changed()

    async def on_folded_field_removed(self, event: FoldedField.Removed) -> None:
        """Remove a value; those after it move up."""
        if event.field not in self.items:
            return
        event.stop()
        values = [(name, item.raw) for name, item in self._named() if item is not event.field]
        place = self.items.index(event.field)
        self.items.clear()
        for name, raw in values:
            self._add(raw, name)
        self._came = None
        rows = self.query_one(".items", Vertical)
        await rows.remove_children()
        await rows.mount(*self._rows())
        if self.items:
            self.items[min(place, len(self.items) - 1)].focus_editor()
        else:
            self.query_one(AddLine).focus()
        self.changed()

    def on_field_changed(self, event: Field.Changed) -> None:
        """A value has changed, and so this field's."""
        if event.field is not self:
            event.stop()
            self.changed()

    def _rows(self) -> list[Static | Field | Vertical]:
        return [self._row(item) for item in self.items]

    # Different for lists and objects:

    def _built(self) -> Raw:
        raise NotImplementedError

    def _take(self, raw: Raw) -> None:
        raise NotImplementedError

    def _add(self, raw: Raw, name: str = "") -> FoldedField:
        raise NotImplementedError

    def _row(self, item: FoldedField) -> Static | Field | Vertical:
        return item

    def _named(self) -> list[tuple[str, FoldedField]]:
        return [("", item) for item in self.items]

    async def _begin(self, item: FoldedField) -> None:
        await item.unfold()


class ListField(SeveralField):
    """A field for a list of structured values."""

    adds = "+ Add an item"

    def show_problems(self, problems: Sequence[Problem], *, tried: bool) -> None:
        """Each item shows what is wrong with it."""
        if not self.is_mounted:
            return
        own = [one for one in problems if not one[0] or not isinstance(one[0][0], int) or one[0][0] >= len(self.items)]
        super().show_problems(own, tried=tried)
        for place, item in enumerate(self.items):
            item.show_problems([(one[0][1:], one[1]) for one in problems if one[0] and one[0][0] == place], tried=tried)

    def _built(self) -> Raw:
        built = [_value(item) for item in self.items]
        return built or None

    def _take(self, raw: Raw) -> None:
        for one in raw if isinstance(raw, list) else ():
            self._add(raw_given(self._item, one))

    def _add(self, raw: Raw, name: str = "") -> FoldedField:
        item = FoldedField(self._item, self._make, str(len(self.items) + 1))
        item.raw = raw
        self.items.append(item)
        return item

    @property
    def _item(self) -> Parameter:
        items = self.parameter.items
        assert items is not None
        return replace(items, name=items.name or "item")


class MapField(SeveralField):
    """A field for an object whose properties have any name: a name and a value for each."""

    DEFAULT_CSS = """
    MapField { .entry { height: auto; } .entry > Line { background: $surface; padding: 0 1; } }
    """

    adds = "+ Add a name and a value"

    def __init__(self, parameter: Parameter, make: Callable[[Parameter], Field]) -> None:
        super().__init__(parameter, make)
        self._names: list[Line] = []

    def show_problems(self, problems: Sequence[Problem], *, tried: bool) -> None:
        """Each value shows what is wrong with it."""
        if not self.is_mounted:
            return
        names = [line.value for line in self._names]
        super().show_problems([one for one in problems if not one[0] or one[0][0] not in names], tried=tried)
        for name, item in self._named():
            item.show_problems([(one[0][1:], one[1]) for one in problems if one[0] and one[0][0] == name], tried=tried)

    def on_input_changed(self, event: Input.Changed) -> None:
        """A name has changed."""
        if event.input in self._names:
            event.stop()
            self.changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go from a name to its value on Enter."""
        if event.input in self._names:
            event.stop()
            self.items[self._names.index(event.input)].focus_editor()

    def _built(self) -> Raw:
        built: dict[str, Any] = {}
        for name, item in self._named():
            if name:
                built[name] = _value(item)
        return built or None

    def _take(self, raw: Raw) -> None:
        self._names.clear()
        items = self.parameter.items
        assert items is not None
        for name, one in raw.items() if isinstance(raw, dict) else ():
            self._add(raw_given(items, one), name)

    def _add(self, raw: Raw, name: str = "") -> FoldedField:
        items = self.parameter.items
        assert items is not None
        if not self.items:
            self._names.clear()
        item = FoldedField(items, self._make, "value")
        item.raw = raw
        self.items.append(item)
        self._names.append(Line(name, placeholder="name", compact=True, select_on_focus=False))
        return item

    def _row(self, item: FoldedField) -> Vertical:
        return Vertical(self._names[self.items.index(item)], item, classes="entry")

    def _named(self) -> list[tuple[str, FoldedField]]:
        return [(line.value, item) for line, item in zip(self._names, self.items, strict=True)]

    async def _begin(self, item: FoldedField) -> None:
        self._names[self.items.index(item)].focus()


def _value(item: FoldedField) -> Any:
    """The JSON value of an item; one that is not filled in is an empty object, list or text, or null."""
    raw = item.raw
    if raw is None:
        return {"object": {}, "array": [], "string": ""}.get(item.parameter.type)
    return typed(item.parameter, raw)
