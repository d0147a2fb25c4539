"""Makes the field for a parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from registry.calling.completion import completes
from registry.catalog.model import Parameter
from tui.explorer.fields.choice import ChoiceField
from tui.explorer.fields.field import Field
from tui.explorer.fields.folded import FoldedField
from tui.explorer.fields.ids import IdField
from tui.explorer.fields.offers import Lookup, OfferField
from tui.explorer.fields.query import QueryAid, QueryEntry
from tui.explorer.fields.several import SeveralField
from tui.explorer.fields.structured import JsonField, ObjectField, OneOfField
from tui.explorer.fields.text import Reading, TextField

DEEPEST, _MOST_BRANCHES = 3, 6
_MOST_FIELDS = 40
"""From so many fields on, structured values are folded."""

_MOST_CHOICES = 15
"""With more values than these, one is typed and completed, and not chosen in a row."""


@dataclass(frozen=True, slots=True)
class Aids:
    """Helpers for filling a form.

    Attributes:
        reads: returns what a value means, if that is not obvious.
        lookup: returns possible values of a field. It may block.
        branch: returns the branch of ``one_of`` that a value belongs to, or None.
        query: returns the helper for a search query; None for any other parameter.
        folds: whether structured values are one line each until they are unfolded.
        list_key: returns the key that opens the service's list of what a parameter refers to; empty if there is none.
    """

    reads: Reading
    lookup: Lookup
    list_key: Callable[[Parameter], str]
    branch: Callable[[Parameter, object], Parameter | None]
    query: Callable[[Parameter], QueryAid | None]
    folds: bool = False


def field_for(parameter: Parameter, aids: Aids, depth: int = 0) -> Field:
    """The field for a parameter: a choice for few values, fields inside a field for an object, otherwise a line of text.

    Args:
        parameter: what is filled in.
        aids: helpers to fill it in.
        depth: how many fields it is inside of. From `DEEPEST` on, structured values are folded.
    """
    if parameter.is_structured:
        return _structured(parameter, aids, depth)
    if parameter.type == "boolean" or (parameter.enum and len(parameter.enum) <= _MOST_CHOICES):
        return ChoiceField(parameter)
    if parameter.refers_to:
        return IdField(parameter, aids.reads, aids.lookup, aids.list_key(parameter))
    if parameter.role == "query" and (aid := aids.query(parameter)) is not None:
        return QueryEntry(parameter, aid)
    if completes(parameter):
        return OfferField(parameter, aids.reads, aids.lookup)
    return TextField(parameter, aids.reads)


def is_large(parameters: Iterable[Parameter]) -> bool:
    """Whether a form has so many fields that structured values are folded."""
    left = _MOST_FIELDS
    waiting = list(parameters)
    while waiting and left > 0:
        one = waiting.pop()
        left -= 1
        waiting += (*one.properties, *one.branches)
    return left <= 0


def _structured(parameter: Parameter, aids: Aids, depth: int) -> Field:
    if not _has_fields(parameter):
        return JsonField(parameter)
    # There is no key for null while a property of an object has the focus; the line of a folded one has it.
    is_null_or_object = parameter.nullable and parameter.type == "object" and parameter.open != "anything"
    if aids.folds or depth >= DEEPEST or _is_several(parameter) or is_null_or_object:
        return FoldedField(parameter, lambda inside: _unfolded(inside, aids, depth))
    return _whole(parameter, aids, depth)


def _whole(parameter: Parameter, aids: Aids, depth: int) -> Field:
    """The fields of an object, or of the branches of one of several."""
    inner = [field_for(one, aids, depth + 1) for one in (*parameter.properties, *parameter.branches)]
    return ObjectField(parameter, inner) if parameter.type == "object" else OneOfField(parameter, inner, aids.branch)


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
