"""A field whose value is one of a few: all of them are visible and one key away."""

from __future__ import annotations

from textual.app import ComposeResult

from registry.catalog.model import Parameter
from registry.json_text.values import NULL, is_null
from tui.explorer.fields.field import Field, Raw
from tui.widgets.option_row import Options as Options

NOT_SET = "not set"


class ChoiceField(Field):
    """A field for yes or no, or for one of a few values. *Not set* is one of the choices."""

    def __init__(self, parameter: Parameter) -> None:
        super().__init__(parameter)
        self.set_class(self.is_inside, "-line")
        values = ["true", "false"] if parameter.type == "boolean" else list(parameter.enum or ())
        words = ["yes", "no"] if parameter.type == "boolean" else values
        default = parameter.default
        if isinstance(default, bool):
            unset = f"{NOT_SET}: {'yes' if default else 'no'}"
        else:
            unset = NOT_SET if default is None else f"{NOT_SET}: {default}"
        if parameter.when_empty == "null":
            values, words = [*values, ""], [*words, "null"]
        elif parameter.nullable:
            values, words = [*values, NULL], [*words, "null"]
        self._values: list[str | None] = [None, *values]
        self._unknown: Raw = None
        self._words = [unset, *words]

    def editor(self) -> ComposeResult:
        """The options."""
        yield Options(self._words)

    @property
    def raw(self) -> Raw:
        """The chosen value, or None; inside an object, also an unknown value as received, until another one is chosen."""
        return self._unknown if self._unknown is not None else self._values[self.query_one(Options).chosen]

    @raw.setter
    def raw(self, raw: Raw) -> None:
        # A value may be the text "null".
        known = [place for place, one in enumerate(self._values) if one == raw and is_null(one) == is_null(raw)]
        self._unknown = raw if self.is_inside and not known else None
        self.query_one(Options).chosen = known[0] if known else 0

    def focus_editor(self) -> None:
        """Focus the options."""
        self.query_one(Options).focus()

    def on_options_chosen(self, event: Options.Chosen) -> None:
        """Another option was chosen."""
        event.stop()
        self._unknown = None
        self.changed()
