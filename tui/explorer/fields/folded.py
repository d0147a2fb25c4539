"""Structured values and the items of lists, folded into one line each: fields are made when it is unfolded, JSON at any depth.

So a form of hundreds of fields opens at once, and a value that no field can hold exactly stays as received until it is edited.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec.structs import replace
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from registry.catalog.model import Parameter
from registry.json_text import NULL, Unreadable, dumps, same
from registry.saved.form_values import raw_of, typed
from registry.text.shown import counted, shortened, visible_line
from tui.explorer.fields.field import Composite, Field, Problem, Raw
from tui.explorer.fields.structured import JsonField
from tui.widgets.texts import Line, Words

_WIDEST, _NAMED = 60, 4
_SCALARS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}


class Fold(Words, can_focus=True):
    """The line of a folded value."""

    DEFAULT_CSS = """
    Fold { height: 1; color: $foreground-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    Fold:focus { background: $panel; color: $text; }
    """


class FoldedField(Field):
    """A field whose own fields are made when it is unfolded.

    Args:
        parameter: what is filled in.
        make: makes the field for it, as a part of this one.
        title: shown at the start of the line instead of the parameter's name: the number of an item.
    """

    DEFAULT_CSS = """
    FoldedField {
        &> .inner { height: auto; padding: 0 0 0 1; display: none; }
        &.-open > .inner { display: block; }
        &> .inner > Field { margin: 0; }
        &> .inner > Field > .label { display: none; }
        &> .inner > Field > .help { display: none; }
    }
    """

    BINDINGS = [
        Binding("enter,space", "press('toggle')", "Open/fold", show=True),
        Binding("right", "press('unfold')", show=False),
        Binding("left", "press('fold')", show=False),
        Binding("j", "press('json')", "As JSON", show=True),
        Binding("delete,backspace", "press('clear')", "Clear", show=True),
    ]

    def __init__(self, parameter: Parameter, make: Callable[[Parameter], Field], title: str = "") -> None:
        super().__init__(parameter)
        self._make = make
        self._title = title
        self._held: Raw = None
        self._line = Fold()
        self.opened: Field | None = None
        """The field that is unfolded; None while this is one line."""
        self._show_line()

    def editor(self) -> ComposeResult:
        yield self._line
        yield Vertical(classes="inner")

    @property
    def raw(self) -> Raw:
        return self.opened.raw if self.opened is not None else self._held

    @raw.setter
    def raw(self, raw: Raw) -> None:
        self._held = raw
        if self.opened is not None:
            self.opened.raw = raw
        self._show_line()

    async def unfold(self, *, as_json: bool = False) -> None:
        """Show the fields, or a JSON field, and focus it."""
        await self._close()
        # The inner field is a part of this one, and not a field of the form.
        inside = replace(self.parameter, place="inside")
        raw = self._held
        # An object whose schema has no type may be anything, which is JSON.
        shows = inside.open != "anything" or raw is None or raw is NULL or isinstance(raw, dict | Unreadable)
        field = self._make(inside) if shows and not as_json else JsonField(inside)
        await self.query_one(".inner", Vertical).mount(field)
        if raw is not None:
            field.raw = raw
        self.opened = field
        self.add_class("-open")
        self._show_line()
        field.focus_editor()

    async def _close(self) -> None:
        """Remove the fields; the value stays."""
        self._held, opened, self.opened = self.raw, self.opened, None
        self.remove_class("-open")
        if opened is not None:
            await opened.remove()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys are those of the line; the fields inside have their own."""
        return action != "press" or self._line.has_focus

    async def on_click(self, event: events.Click) -> None:
        if event.widget is self._line:
            await self.action_press("toggle")

    async def action_press(self, what: str) -> None:
        if what == "json":
            await self.unfold(as_json=True)
        elif what == "clear" and self._title:
            several = self.query_ancestor(SeveralField)
            several.call_later(several.remove_item, self)  # in its turn: what is being removed cannot wait for that
        elif what == "clear":
            await self._close()
            self.raw = None
            self.changed()
        elif what == "fold" or (what == "toggle" and self.opened is not None):
            self._line.focus()
            await self._close()
            self._show_line()
        elif self.opened is None:
            await self.unfold()

    def on_field_changed(self, event: Field.Changed) -> None:
        if event.field is not self:
            event.stop()
            self._show_line()
            self.changed()

    def show_problems(self, problems: Sequence[Problem], *, tried: bool) -> None:
        """The fields show what is wrong inside them; while folded, this field does."""
        if not self.is_mounted:
            return  # an item that is not mounted yet is checked with the next change
        inside = self.opened if self.opened is not None and self.opened.is_mounted else None
        super().show_problems(() if inside is not None else problems, tried=tried)
        if inside is not None:
            inside.show_problems(problems, tried=tried)

    @property
    def empties(self) -> list[Raw]:
        return [None, NULL] if self.parameter.nullable else [None]

    def focus_editor(self, *, selecting: bool = False) -> None:
        self._line.focus()  # which is there also before this field is mounted

    def go_to_wrong(self) -> None:
        (self.opened.go_to_wrong if self.opened is not None else self._line.focus)()

    def _show_line(self) -> None:
        raw, is_open = self.raw, self.opened is not None
        names = [visible_line(one.name) for one in (*self.parameter.properties, *self.parameter.branches)]
        more = f", … ({len(names)})" if len(names) > _NAMED else ""
        summary = f"{'one of: ' if self.parameter.branches else ''}{', '.join(names[:_NAMED])}{more}"
        if raw is not None and not is_open:
            summary = shortened(visible_line(dumps(raw)), _WIDEST)
        elif isinstance(raw, list):
            summary = counted(len(raw), "item")
        elif not names:
            unnamed = {"array": "a list of items", "object": "names and values" if self.parameter.items else "JSON"}
            summary = (_SCALARS | unnamed).get(self.parameter.type, "JSON")
        self._line.update(Content(f"{'▾' if is_open else '▸'} {self._title}{'  ' * bool(self._title)}{summary}"))


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
        self._fill([(name, raw_of(self._item, one)) for name, one in named])
        self.received = (self._built, raw) if raw is not None else None
        if self.is_mounted:
            rows = self.query_one(".items", Vertical)
            rows.remove_children()
            rows.mount(*self._rows)

    def focus_editor(self, *, selecting: bool = False) -> None:
        """Focus the first value, and not its name, or the line that adds one."""
        (self.items[0].focus_editor if self.items else self.query_one(AddLine).focus)()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key that adds is that of the line for it."""
        return action != "add" or self.query_children(AddLine).first().has_focus

    async def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, AddLine) and event.widget.parent is self:
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

    async def remove_item(self, field: FoldedField) -> None:
        """Remove one of the values."""
        if field not in self.items:
            return
        place = self.items.index(field)
        self._fill([(str(name), item.raw) for name, item in self.parts if item is not field])
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
