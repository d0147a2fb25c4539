"""Which field fits a parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from registry.calling.completion import completes
from registry.catalog.model import Parameter
from tui.explorer.fields.choice import ChoiceField
from tui.explorer.fields.field import Field
from tui.explorer.fields.ids import IdField
from tui.explorer.fields.offers import Lookup, OfferField
from tui.explorer.fields.text import Reading, TextField


@dataclass(frozen=True, slots=True)
class Aids:
    """What helps to fill a form.

    Attributes:
        reads: says what a value means, where that is not to be seen.
        lookup: gives the values that may stand in a field. It may block.
        list_key: tells the key that opens the service's list of what a parameter refers to; empty where there is none.
    """

    reads: Reading
    lookup: Lookup
    list_key: Callable[[Parameter], str]


def field_for(parameter: Parameter, aids: Aids) -> Field:
    """The field for a parameter: a choice where there are few values, a line of text otherwise."""
    if parameter.type == "boolean" or parameter.enum:
        return ChoiceField(parameter)
    if parameter.refers_to:
        return IdField(parameter, aids.reads, aids.lookup, aids.list_key(parameter))
    if completes(parameter):
        return OfferField(parameter, aids.reads, aids.lookup)
    return TextField(parameter, aids.reads)
