"""Which field fits a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from registry.calling.completion import completes
from registry.catalog.model import Parameter
from tui.explorer.fields.choice import ChoiceField
from tui.explorer.fields.field import Field
from tui.explorer.fields.ids import IdField
from tui.explorer.fields.offers import Lookup, OfferField
from tui.explorer.fields.text import Reading, TextField

if TYPE_CHECKING:
    from tui.explorer.fields.query import QueryAid

DEEPEST, _MOST_BRANCHES = 3, 6


@dataclass(frozen=True, slots=True)
class Aids:
    """What helps to fill a form.

    Attributes:
        reads: says what a value means, where that is not to be seen.
        lookup: gives the values that may stand in a field. It may block.
        branch: gives the branch of ``one_of`` that a value is, or None.
        query: helps to write a search query; None for what is none.
        list_key: tells the key that opens the service's list of what a parameter refers to; empty where there is none.
    """

    reads: Reading
    lookup: Lookup
    list_key: Callable[[Parameter], str]
    branch: Callable[[Parameter, object], Parameter | None]
    query: Callable[[Parameter], QueryAid | None]


def field_for(parameter: Parameter, aids: Aids, depth: int = 0) -> Field:
    """The field for a parameter: a choice where there are few values, fields within a field for an object, else a line of text.

    Args:
        parameter: what is filled in.
        aids: what helps to fill it in.
        depth: how many fields it is inside. From `DEEPEST` on, what is structured is written as JSON.
    """
    if parameter.is_structured:
        return _structured(parameter, aids, depth)
    if parameter.type == "boolean" or parameter.enum:
        return ChoiceField(parameter)
    if parameter.refers_to:
        return IdField(parameter, aids.reads, aids.lookup, aids.list_key(parameter))
    if parameter.role == "query" and (aid := aids.query(parameter)) is not None:
        from tui.explorer.fields.query import QueryEntry  # only searches need it

        return QueryEntry(parameter, aid)
    if completes(parameter):
        return OfferField(parameter, aids.reads, aids.lookup)
    return TextField(parameter, aids.reads)


def _structured(parameter: Parameter, aids: Aids, depth: int) -> Field:
    from tui.explorer.fields.structured import JsonField, ObjectField, OneOfField  # a text area that the first frame is without

    if depth < DEEPEST and parameter.type == "object" and parameter.properties:
        return ObjectField(parameter, [field_for(one, aids, depth + 1) for one in parameter.properties])
    if depth < DEEPEST and parameter.type == "one_of" and len(parameter.branches) <= _MOST_BRANCHES:
        branches = [field_for(one, aids, depth + 1) for one in parameter.branches]
        return OneOfField(parameter, branches, aids.branch)
    return JsonField(parameter)
