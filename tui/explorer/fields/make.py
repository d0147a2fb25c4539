"""Makes the field for a parameter, and the field for one of a few values."""

from textual.app import ComposeResult

from registry.calling.search_queries import completes, query_fields
from registry.catalog.model import Parameter
from registry.json_text import NULL
from registry.references.routes import sources_of
from tui.explorer.fields.field import Aids, Field, Raw
from tui.explorer.fields.folded import FoldedField, SeveralField
from tui.explorer.fields.query import QueryEntry
from tui.explorer.fields.structured import NOT_SET, JsonField, ObjectField, OneOfField
from tui.explorer.fields.text import IdField, OfferField, TextField
from tui.widgets.texts import Options

DEEPEST, _MOST_BRANCHES = 3, 6
_MOST_CHOICES = 15
"""With more values than these, one is typed and completed, and not chosen in a row."""


def field_for(parameter: Parameter, aids: Aids, depth: int = 0) -> Field:
    """The field for a parameter: a choice for few values, fields inside a field for an object, otherwise a line of text.

    `depth` is the number of fields that it is inside of. From `DEEPEST` on, structured values are folded.
    """
    if parameter.is_structured:
        if not _has_fields(parameter):
            return JsonField(parameter)
        # There is no key for null while a property of an object has the focus; the line of a folded one has it.
        is_null_or_object = parameter.nullable and parameter.type == "object" and parameter.open != "anything"
        if aids.folds or depth >= DEEPEST or _is_several(parameter) or is_null_or_object:
            return FoldedField(parameter, lambda inside: _unfolded(inside, aids, depth))
        return _whole(parameter, aids, depth)
    if parameter.type == "boolean" or (parameter.enum and len(parameter.enum) <= _MOST_CHOICES):
        return ChoiceField(parameter)
    if parameter.refers_to:
        has_list = aids.pick_key and sources_of(aids.tool, parameter, {}, aids.session.routes)
        return IdField(parameter, aids, f"{aids.pick_key} to pick" if has_list else "")
    if parameter.role == "query" and (known := query_fields(aids.tool)) is not None:
        return QueryEntry(parameter, aids, known)
    return OfferField(parameter, aids) if completes(parameter) else TextField(parameter, aids)


def _whole(parameter: Parameter, aids: Aids, depth: int) -> Field:
    """The fields of an object, or of the branches of one of several."""
    inner = [field_for(one, aids, depth + 1) for one in (*parameter.properties, *parameter.branches)]
    return ObjectField(parameter, inner) if parameter.type == "object" else OneOfField(parameter, inner, aids)


def _unfolded(parameter: Parameter, aids: Aids, depth: int) -> Field:
    """The field that a folded one holds."""

    def inner(one: Parameter) -> Field:
        return _unfolded(one, aids, depth + 1) if one.is_structured and _has_fields(one) else field_for(one, aids, depth + 1)

    return SeveralField(parameter, inner) if _is_several(parameter) else _whole(parameter, aids, depth)


def _has_fields(parameter: Parameter) -> bool:
    """Whether a structured value has fields of its own; anything else is JSON."""
    if parameter.type == "one_of":
        return len(parameter.branches) <= _MOST_BRANCHES
    return bool(parameter.properties) or (parameter.items is not None and parameter.items.type != "any")


def _is_several(parameter: Parameter) -> bool:
    """Whether it is a list of structured values, or an object with properties of any name and no others."""
    return parameter.type == "array" or (
        parameter.type == "object" and not parameter.properties and parameter.items is not None
    )


class ChoiceField(Field):
    """A field for yes or no, or for one of a few values: all are visible and one key away. *Not set* is one of them."""

    def __init__(self, parameter: Parameter) -> None:
        super().__init__(parameter)
        self.set_class(self.is_inside, "-line")
        values = ["true", "false"] if parameter.type == "boolean" else list(parameter.enum or ())
        words = ["yes", "no"] if parameter.type == "boolean" else values
        default = ("no", "yes")[parameter.default] if isinstance(parameter.default, bool) else parameter.default
        null = [""] if parameter.when_empty == "null" else [NULL] * parameter.nullable
        self._values: list[str | None] = [None, *values, *null]
        self._unknown: Raw = None
        self._words = [NOT_SET if default is None else f"{NOT_SET}: {default}", *words, *["null"] * len(null)]

    def editor(self) -> ComposeResult:
        yield Options(self._words)

    @property
    def raw(self) -> Raw:
        """The chosen value, or None; inside an object, also an unknown value as received, until another one is chosen."""
        return self._unknown if self._unknown is not None else self._values[self.query_one(Options).chosen]

    @raw.setter
    def raw(self, raw: Raw) -> None:
        # A value may be the text "null".
        known = [place for place, one in enumerate(self._values) if one == raw and (one is NULL) == (raw is NULL)]
        self._unknown = raw if self.is_inside and not known else None
        self.query_one(Options).chosen = known[0] if known else 0

    def on_options_chosen(self, event: Options.Chosen) -> None:
        event.stop()
        self._unknown = None
        self.changed()
