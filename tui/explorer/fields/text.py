"""Fields with a line of text: text, numbers, lists, times, zones, secrets."""

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from registry.catalog.model import Parameter
from registry.json_text.values import NULL, is_null
from tui.explorer.fields.aids import Aids
from tui.explorer.fields.field import Field, Raw, facts_of
from tui.state.settings import key_of
from tui.widgets.text_line import Line


class Editor(Line):
    """The line of a field."""

    most = 100_000

    def __init__(self, parameter: Parameter) -> None:
        super().__init__(
            placeholder=_placeholder(parameter),
            password=parameter.role == "secret",
            compact=True,
            select_on_focus=False,
        )
        if parameter.type == "array":
            self.separator = ", "


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
        self.line = Editor(parameter)
        """The line with the text."""

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
        self._hold(self._nothing if raw in ("", []) else NULL if is_null(raw) else None)
        self._exact, self._retyped = None, False
        text = "" if is_null(raw) else raw or ""
        self.line.value = ", ".join(map(str, text)) if isinstance(text, list) else str(text)
        # A line cannot show line breaks, or commas inside an entry: until it is edited, the value is as received.
        if isinstance(raw, list if self.parameter.type == "array" else str) and self.raw != raw:
            self._exact = (self.line.value, raw)

    def focus_editor(self) -> None:
        self.line.focus()

    def select_all(self) -> None:
        self.line.action_select_all()

    @property
    def takes_empty(self) -> bool:
        return len(self._states) > 1

    def give_empty(self) -> None:
        """Cycle through not set, empty and null, as far as the parameter allows them."""
        states = self._states
        after = states.index(self._untyped) + 1 if self._untyped in states else 0
        self._exact = None
        self.line.value = ""
        self._hold(states[after % len(states)])
        self.changed()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value:
            self._hold(None)
        if self._exact is not None and self._exact[0] != self.line.value:
            self._exact, self._retyped = None, True
        self.read_again()
        self.changed()

    def read_again(self) -> None:
        """Update the meaning of the value, because relative times change."""
        text = self.line.value
        reading = "= only spaces" if text.isspace() else self.aids.reads(self.parameter, text)
        if self._retyped and text:
            key = key_of(self.app, "raw")
            reading = f"⚠ Sent exactly as shown, escapes as text. {key} edits line breaks and commas as JSON."
        self.set_class(reading.startswith("⚠"), "-advised")
        self.show_reading(reading)

    @property
    def _nothing(self) -> Raw:
        return [] if self.parameter.type == "array" else ""

    @property
    def _states(self) -> list[Raw]:
        parameter = self.parameter
        return [None, *([self._nothing] * (parameter.when_empty != "refuse")), *([NULL] * parameter.nullable)]

    def _hold(self, untyped: Raw) -> None:
        self._untyped = untyped
        self.set_class(untyped is not None, "-empty")
        words = _placeholder if untyped is None else _empty
        self.line.placeholder = "null" if is_null(untyped) else words(self.parameter)


def _empty(parameter: Parameter) -> str:
    return {"omit": "empty: not sent", "null": "null"}.get(parameter.when_empty, "empty")


def _placeholder(parameter: Parameter) -> str:
    if parameter.place == "inside":
        return " · ".join(["required" if parameter.required else "not set", *facts_of(parameter)])
    if parameter.default is not None:
        return f"not set: {parameter.default}"
    return "" if parameter.required else "not set"
