"""Which field fits a parameter."""

from __future__ import annotations

from collections.abc import Sequence

from registry.catalog.model import Parameter
from tui.explorer.fields.choice import ChoiceField
from tui.explorer.fields.field import Field
from tui.explorer.fields.text import TextField


def field_for(parameter: Parameter, zones: Sequence[str]) -> Field:
    """The field for a parameter: a choice where there are few values, a line of text otherwise.

    Args:
        parameter: what to edit.
        zones: the names of time zones, for parameters that take one.
    """
    if parameter.type == "boolean" or parameter.enum:
        return ChoiceField(parameter)
    return TextField(parameter, zones if parameter.format == "time-zone" else parameter.suggestions or ())
