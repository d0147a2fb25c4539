"""A field: label, editor, help, and errors; and what the program knows about the values of a tool's parameters.

A value is in one of three states: not set (`None`), empty (``""`` or ``[]``, where the parameter allows it), or given.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from registry.calling.arguments import FieldError
from registry.calling.times import JsonPath, dotted
from registry.catalog.model import Parameter, Tool
from registry.json_text import NULL
from registry.text.shown import visible, visible_line
from tui.session import Session
from tui.widgets.texts import Words

Raw = str | bool | list[Any] | dict[str, Any] | None
"""A field's value; objects, booleans, numbers (`Exact`) and lists of anything but text only for structured parameters."""

Problem = tuple[JsonPath, str]
"""Where an error is inside a value, and its message."""


_NOTES = ["reading", "error", "help"]
"""The classes of what is below an editor, in their order."""

_KINDS = {"array": "list", "object": "object", "any": "JSON"}
_MOST_FIELDS = 40


class Field(Vertical):
    """One parameter on screen. Subclasses implement the editor and its value."""

    DEFAULT_CSS = """
    Field {
        height: auto;
        padding: 0 0 0 1;
        margin: 0 0 1 0;
        border-left: outer $panel;
        &.-focused { border-left: outer $primary; }
        &.-wrong { border-left: outer $error; }
        &> Static { height: auto; }
        &> .help { color: $foreground-muted; display: none; }
        &.-focused > .help { display: block; }
        &> .reading { display: none; color: $text-success; }
        &.-read > .reading { display: block; }
        &> .error { display: none; color: $text-error; }
        &.-wrong > .error { display: block; }
        &.-inside { margin: 0; padding: 0; border-left: none; }
        &.-inside.-focused > .label { color: $text-accent; }
        &.-line { layout: grid; grid-size: 2; grid-columns: 12 1fr; grid-rows: auto; grid-gutter: 0 1; }
        &.-line > .label { text-wrap: nowrap; text-overflow: ellipsis; }
        &.-line > .reading, &.-line > .help, &.-line > .error { column-span: 2; }
        &> Input { background: $surface; padding: 0 1; }
        &> Input:focus { background: $panel; }
        &.-empty > Input > .input--placeholder { color: $text-warning; }
        &> Options { height: auto; width: 1fr; }
        &> Options:focus { background: $panel; }
    }
    """

    @dataclass
    class Changed(Message):
        """The value of a field has changed."""

        field: "Field"

    def __init__(self, parameter: Parameter) -> None:
        super().__init__(classes="required" if parameter.required else None)
        self.set_class(parameter.place == "inside", "-inside")
        self.parameter = parameter
        self.touched = False

    @property
    def raw(self) -> Raw:
        """The value before it is checked: None when it is not set."""
        raise NotImplementedError

    @raw.setter
    def raw(self, raw: Raw) -> None: ...

    def editor(self) -> ComposeResult:
        """The widget that edits the value."""
        raise NotImplementedError

    def focus_editor(self, *, selecting: bool = False) -> None:
        """Focus the first widget of the editor; with `selecting` all of its text is selected, so that typing replaces it."""
        first = next(one for one in self.walk_children(Widget) if one.can_focus)
        first.focus()
        if selecting and isinstance(first, Input):
            first.action_select_all()
        elif selecting and isinstance(first, TextArea):
            first.select_all()

    def compose(self) -> ComposeResult:
        parameter = self.parameter
        label = Content.styled(parameter.name, "bold" if parameter.required or not self.is_inside else "")
        if not self.has_class("-line"):  # in a line there is no room: the placeholder of an empty editor shows the rest
            facts = " · ".join(facts_of(parameter))
            required = ("  required" if parameter.required else "", "$text-accent")
            label = Content.assemble(label, required, (f"  {facts}" if facts else "", "$foreground-muted"))
        yield Words(label, classes="label")
        yield from self.editor()
        if self.parameter.help:
            yield Static(Content(self.parameter.help), classes="help")

    @property
    def is_in_form(self) -> bool:
        """Whether it is in a form and not being removed; its parts go first, so a result found meanwhile has no place."""
        return self.is_attached and self.display

    @property
    def is_inside(self) -> bool:
        return self.parameter.place == "inside"

    def mark(self, name: str, holds: bool) -> None:
        """Set a class with rules for the field and its own parts only; Textual would style all fields inside it anew."""
        if self.has_class(name) != holds:
            self.set_class(holds, name, update=False)
            for one in (self, *self.children):
                self.app.stylesheet.apply(one)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        self.mark("-focused", True)

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        self.mark("-focused", self.has_focus_within)

    def go_to_wrong(self) -> None:
        """Focus the widget where something is wrong."""
        self.focus_editor()

    def show_problems(self, problems: Sequence[Problem], *, tried: bool) -> None:
        """Show what is wrong with the value and inside it; in an untouched, empty field only once it was `tried`."""
        shown = tried or self.touched or self.raw is not None
        words = [f"`{dotted(inside)}` {message}" if inside else message for inside, message in problems]
        self.show_errors(words if shown else ())

    def show_errors(self, messages: Sequence[str]) -> None:
        """Show these errors; an empty list hides them."""
        self.mark("-wrong", bool(messages))
        self._note("error", "\n".join(f"✗ {message}" for message in messages))
        if messages and self.has_focus_within:
            self.scroll_visible(animate=False)

    def show_reading(self, text: str) -> None:
        """Show what the value means; an empty text hides it."""
        self.mark("-read", bool(text))
        self._note("reading", text)

    def _note(self, name: str, text: str) -> None:
        """A line below the editor, mounted when it is first needed: most of a form's fields never need one."""
        note = next(iter(self.query_children(f".{name}").results(Words)), None)
        if note is not None:
            note.update(Content(visible(text)))
        elif text and self.is_attached:
            below = [one for one in self.children if not one.classes.isdisjoint(_NOTES[_NOTES.index(name) + 1 :])]
            self.mount(Words(Content(visible(text)), classes=name), before=below[0] if below else None)

    @property
    def empties(self) -> list[Raw]:
        """What an empty editor may mean: not set and, as far as the parameter allows them, empty and null."""
        return [None]

    def give_empty(self) -> None:
        """Take the next one of these."""
        empties, raw = self.empties, self.raw
        place = next((at for at, one in enumerate(empties) if one == raw and (one is NULL) == (raw is NULL)), 0)
        self.raw = empties[(place + 1) % len(empties)]
        self.changed()

    def changed(self) -> None:
        """Report to the form that the value has changed."""
        self.touched = True
        self.post_message(self.Changed(self))


class Composite(Field):
    """A field made of other fields, its parts. Until something is changed, the value is exactly as it was received."""

    def __init__(self, parameter: Parameter) -> None:
        super().__init__(parameter)
        self.received: tuple[Raw, Raw] | None = None
        """What the parts made of the value that was received, and that value."""

    @property
    def parts(self) -> Iterable[tuple[str | int, Field]]:
        """The fields inside, by the property or the index of their values."""
        raise NotImplementedError

    def show_problems(self, problems: Sequence[Problem], *, tried: bool) -> None:
        if not self.is_mounted:
            return  # it is checked with the next change
        parts = dict(self.parts)
        super().show_problems([one for one in problems if not one[0] or one[0][0] not in parts], tried=tried)
        for name, field in parts.items():
            field.show_problems([(one[0][1:], one[1]) for one in problems if one[0] and one[0][0] == name], tried=tried)

    def go_to_wrong(self) -> None:
        wrong = (field.go_to_wrong for _, field in self.parts if field.has_class("-wrong") or field.query(".-wrong"))
        next(wrong, self.focus_editor)()

    def on_field_changed(self, event: Field.Changed) -> None:
        if event.field is not self:
            event.stop()
            self.changed()


def fields_in(node: DOMNode) -> list[Field]:
    """The fields inside a widget or screen, without those inside other fields."""
    return [field for field in node.walk_children(Field) if not field.is_inside]


def values_of(fields: Iterable[Field]) -> dict[str, object]:
    """The values that are set, by parameter."""
    return {field.parameter.name: raw for field in fields if (raw := field.raw) is not None}


def show_wrong(fields: Iterable[Field], errors: Sequence[FieldError], *, tried: bool) -> None:
    """Show what is wrong at each field."""
    for field in fields:
        wrong = [(error.inside, error.message) for error in errors if error.parameter == field.parameter.name]
        field.show_problems(wrong, tried=tried)


def state_of(errors: Sequence[FieldError], ready: str) -> Content:
    """What is missing and how much is wrong, in a few words; without errors, that it is ready."""
    missing = [error.path for error in errors if error.message == "is required"]
    others = len({error.path for error in errors}) - len(missing)
    words = " · ".join([f"required: {', '.join(missing)}"] * bool(missing) + [f"{others} invalid"] * bool(others))
    return Content.styled(visible_line(words or ready), "$text-warning" if words else "$text-muted")


def facts_of(parameter: Parameter) -> list[str]:
    """What a parameter takes, in a few words."""
    facts = [_KINDS[parameter.type]] if parameter.type in _KINDS else []
    low, high = parameter.minimum, parameter.maximum
    if parameter.type in ("integer", "number") and low is not None:
        facts.append(f"{low}–{high}" if high is not None else f"≥ {low}")
    return facts


class Aids:
    """Helpers for filling the form of a tool. `pick_key` opens the service's own list of objects, for ids.

    With `folds`, there are so many fields that structured values are one line each until they are unfolded.
    """

    def __init__(self, session: Session, tool: Tool, pick_key: str = "") -> None:
        self.session, self.tool, self.pick_key = session, tool, pick_key
        count, waiting = 0, list(tool.parameters)
        while waiting and count < _MOST_FIELDS:
            one = waiting.pop()
            count += 1
            waiting += (*one.properties, *one.branches)
        self.folds = count >= _MOST_FIELDS
