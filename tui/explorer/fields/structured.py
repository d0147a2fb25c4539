"""Fields for structured values: an object's properties as fields of their own, a choice of branches, and JSON for the rest."""

from collections.abc import Sequence
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import TextArea

from registry.calling.values import branch_of
from registry.catalog.model import Parameter
from registry.json_text import NULL, Unreadable, dumps, indented, is_text, read_typed, same
from registry.saved.form_values import raw_in, raw_of, typed
from registry.text.shown import exact_json, shortened, visible_line
from tui.explorer.fields.field import Aids, Composite, Field, Problem, Raw
from tui.explorer.fields.json_area import JsonArea
from tui.widgets.texts import Options

_WIDE, _WIDEST_LABEL = 60, 14
NOT_SET = "not set"


class JsonField(Field):
    """A field for JSON. Invalid text is kept as typed, and rejected with the reason."""

    DEFAULT_CSS = """
    JsonField {
        &> JsonArea { height: auto; max-height: 10; background: $surface; border: none; padding: 0; }
        &> JsonArea:focus { background: $panel; border: none; }
    }
    """

    def __init__(self, parameter: Parameter) -> None:
        super().__init__(parameter)
        self._empty = False
        self.area = JsonArea("", numbered=False)
        """Where the JSON is typed."""
        self._show_placeholder()

    def editor(self) -> ComposeResult:
        yield self.area

    @property
    def raw(self) -> Raw:
        """The value; None when nothing is typed, and `Unreadable` for text that is not JSON."""
        text = self.area.text
        if not text.strip():
            return self._nothing if self._empty else None
        try:
            value = read_typed(text)
        except ValueError:
            return Unreadable(text)
        return NULL if value is None and self.parameter.nullable else _as_raw(value)

    @raw.setter
    def raw(self, raw: Raw) -> None:
        self._empty = raw is not None and same(raw, self._nothing)
        self._show_placeholder()
        text = "" if raw is None or self._empty else str(raw) if isinstance(raw, Unreadable) else _laid_out(raw)
        if text != self.area.text:
            self.area.put(text)

    @property
    def empties(self) -> list[Raw]:
        can_be_empty = self.parameter.when_empty != "refuse" and self.parameter.type in ("array", "object")
        return [None, self._nothing] if can_be_empty else [None]

    @on(TextArea.Changed)
    def _typed(self) -> None:
        if self.area.text.strip():
            self._empty = False
        self._show_placeholder()
        self.changed()

    @property
    def _nothing(self) -> Raw:
        return [] if self.parameter.type == "array" else {}

    def _show_placeholder(self) -> None:
        words = "null" if self.parameter.when_empty == "null" else "empty"
        example = {"array": "[…]", "object": "{…}"}.get(self.parameter.type, "JSON")
        self.area.placeholder = words if self._empty else f"{NOT_SET}: {example}"
        self.set_class(self._empty, "-empty")


class ObjectField(Composite):
    """A field for an object: a field for each of its properties, one below the other.

    Unknown properties, and the order in which properties were received, are kept.
    """

    DEFAULT_CSS = """
    ObjectField {
        &> .inner { height: auto; }
        &.-inside > .inner { padding: 0 0 0 1; border-left: outer $panel; }
        &.-inside.-focused > .inner { border-left: outer $primary; }
        &.-empty > .label { color: $text-warning; }
    }
    """

    def __init__(self, parameter: Parameter, fields: Sequence[Field]) -> None:
        super().__init__(parameter)
        self.inner = list(fields)
        """The fields of its properties."""

    def editor(self) -> ComposeResult:
        yield Vertical(*self.inner, classes="inner")

    @property
    def parts(self) -> list[tuple[str | int, Field]]:
        return [(field.parameter.name, field) for field in self.inner]

    @property
    def raw(self) -> Raw:
        """An object with the properties that are set; None when none are set."""
        built, received = self._built, self.received
        if received is None:
            return built or ({} if self.has_class("-empty") else None)
        if same(built, received[0]):
            return received[1]
        known = dict(self.parts)
        before = received[1] if isinstance(received[1], dict) else {}
        return {name: one for name, one in (before | built).items() if name in built or name not in known} or None

    @raw.setter
    def raw(self, raw: Raw) -> None:
        self.received = None
        self.set_class(raw == {}, "-empty")
        given = raw if isinstance(raw, dict) else {}
        for field in self.inner:
            parameter = field.parameter
            if parameter.when_empty == "null" and parameter.name in given and given[parameter.name] is None:
                field.raw = {"array": [], "object": {}}.get(parameter.type, "")  # type: ignore[assignment]  # null is its empty value
            else:
                field.raw = raw_in(parameter, given)
        if raw:
            self.received = (self._built, raw)
        self._tell()

    @property
    def _built(self) -> dict[str, Any]:
        return {field.parameter.name: typed(field.parameter, raw) for field in self.inner if (raw := field.raw) is not None}

    def on_mount(self) -> None:
        """Align the editors of its properties below each other."""
        self._tell()
        width = min(max(len(field.parameter.name) for field in self.inner), _WIDEST_LABEL)
        for field in self.inner:
            if field.has_class("-line"):
                field.styles.grid_columns = f"{width} 1fr"

    def changed(self) -> None:
        """A property has changed: the object is not empty."""
        self.set_class(False, "-empty")
        self._tell()
        super().changed()

    def _tell(self) -> None:
        """Show the parts of the value that have no field."""
        if not self.is_mounted:
            return
        raw, names = self.raw, dict(self.parts)
        rest = "" if raw is None else "= {} an empty object" if raw == {} else f"= {dumps(raw)}"
        if raw and isinstance(raw, dict):
            more = ", ".join(name for name in raw if name not in names)
            rest = f"= also {more}" if more else ""
        if rest or self.has_class("-read"):
            self.show_reading(shortened(visible_line(rest), _WIDE))


class OneOfField(Composite):
    """A field for one of several branches: a choice of the branch, and that branch's field."""

    DEFAULT_CSS = """
    OneOfField {
        &> .inner { height: auto; column-span: 2; padding: 0 0 0 1; }
        &> .inner > Field { display: none; layout: vertical; }
        &> .inner > Field.-chosen { display: block; }
        &> .inner > Field > .label { display: none; }
    }
    """

    def __init__(self, parameter: Parameter, fields: Sequence[Field], aids: Aids) -> None:
        super().__init__(parameter)
        self.set_class(self.is_inside, "-line")
        self.inner = list(fields)
        """The fields of its branches."""
        self._aids = aids
        self._options = Options([NOT_SET, *(field.parameter.name for field in fields), *(["null"] * parameter.nullable)])

    def editor(self) -> ComposeResult:
        yield self._options
        yield Vertical(*self.inner, classes="inner")

    @property
    def chosen(self) -> Field | None:
        return self.inner[self._options.chosen - 1] if 0 < self._options.chosen <= len(self.inner) else None

    @property
    def raw(self) -> Raw:
        """The value of the chosen branch; `Unreadable` for text that is not of its type, as another branch might take text."""
        if self._options.chosen > len(self.inner):
            return NULL
        field = self.chosen
        raw = field.raw if field is not None else None
        if self.received is not None and same(raw, self.received[0]):
            return self.received[1]
        if field is None or raw is None or isinstance(raw, Unreadable):
            return raw
        value = typed(field.parameter, raw)
        is_misfit = is_text(value) and field.parameter.type in ("integer", "number", "boolean", "array", "object")
        return Unreadable(value) if is_misfit else _as_raw(value)

    @raw.setter
    def raw(self, raw: Raw) -> None:
        self.received = None
        null = self.parameter.nullable and raw is NULL
        no_branch = raw is None or null or isinstance(raw, Unreadable)
        tool, now = self._aids.tool, self._aids.session.clock()
        branch = None if no_branch else branch_of(tool, self.parameter, raw, now)
        for place, field in enumerate(self.inner):
            is_it = branch is not None and field.parameter.name == branch.name
            field.raw = raw_of(field.parameter, raw) if is_it else None
            if is_it:
                self._options.chosen = place + 1
        if branch is None and (raw is None or null):
            self._options.chosen = len(self.inner) + 1 if null else 0
        elif branch is None:  # a value that fits no branch stays visible, so that it can be corrected
            field = self.chosen or self.inner[0]
            self._options.chosen = self.inner.index(field) + 1
            field.raw = Unreadable(raw if isinstance(raw, str) else dumps(raw))
            self.received = field.raw, raw
        self._show_chosen()

    @property
    def parts(self) -> list[tuple[str | int, Field]]:
        return [(self.chosen.parameter.name, self.chosen)] if self.chosen is not None else []

    def show_problems(self, problems: Sequence[Problem], *, tried: bool) -> None:
        """The chosen branch shows what is wrong inside it."""
        inside = [one for one in problems if one[0]] if self.chosen is not None else []
        Field.show_problems(self, [one for one in problems if one not in inside], tried=tried)
        if self.chosen is not None:
            self.chosen.show_problems(inside, tried=tried)

    def on_options_chosen(self, event: Options.Chosen) -> None:
        event.stop()
        self._show_chosen()
        self.changed()

    def _show_chosen(self) -> None:
        for field in self.inner:
            field.set_class(field is self.chosen, "-chosen")


def _as_raw(value: Any) -> Raw:
    return value if isinstance(value, str | bool | list | dict) else None


def _laid_out(raw: Raw) -> str:
    line = exact_json(dumps(raw))
    return line if len(line) <= _WIDE or not isinstance(raw, list | dict) else exact_json(indented(raw))
