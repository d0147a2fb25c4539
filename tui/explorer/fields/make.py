"""Which field fits a parameter."""

from __future__ import annotations

from collections.abc import Sequence

from registry.catalog.model import Parameter, Tool
from tui.explorer.fields.choice import ChoiceField
from tui.explorer.fields.field import Field
from tui.explorer.fields.text import TextField


def field_for(parameter: Parameter, tool: Tool, zones: Sequence[str]) -> Field:
    """The field for a parameter: a choice where there are few values, a line of text otherwise.

    Args:
        parameter: what to edit.
        tool: the tool that it belongs to.
        zones: the names of time zones, for parameters that take one.
    """
    if parameter.type == "boolean" or parameter.enum:
        return ChoiceField(parameter)
    if parameter.role == "expand":
        return TextField(parameter, lambda chosen: _expansions(tool, chosen))
    known = zones if parameter.format == "time-zone" else parameter.suggestions or ()
    return TextField(parameter, lambda _: known)


def _expansions(tool: Tool, chosen: Sequence[str]) -> Sequence[str]:
    from registry.references.expanding import expansions

    return expansions(tool, chosen)
