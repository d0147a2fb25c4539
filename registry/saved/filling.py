"""Fills templates with inputs and responses: the arguments of a call, and outputs.

A template that is a single reference returns the unchanged value, also an object or a list; elsewhere values are text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from registry.catalog.model import Tool
from registry.json_text.values import is_text
from registry.pages.templates import Context, fill, fill_arguments, paths_in, root_of, value_at
from registry.saved.saved_call import SavedCall, Step
from registry.text.safe_text import visible_line

_WHOLE = re.compile(r"(\[\[)?\{([^{}|]+)\}(?(1)\]\])")
_LONGEST_OUTPUT = 1_000


class MissingValue(LookupError):
    """A reference without a value; the text names the argument and the reference."""


@dataclass(frozen=True, slots=True)
class Values:
    """The values of references: inputs that are set, the response of each step as Python values, and the number of its items.

    `now` is the current time in Unix seconds.
    """

    inputs: Mapping[str, object]
    responses: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, str] = field(default_factory=dict)
    now: float = 0.0

    @property
    def context(self) -> Context:
        """The values for templates."""
        return Context(self.inputs, {}, self.now, self.responses, self.counts)


def references_in(value: object) -> list[str]:
    """The paths of all references in an argument: ``customer``, ``@charges.data[0].id``, ``#charges``."""
    return [path for template in templates_in(value) for path in paths_in(template)]


def templates_in(value: object) -> Iterator[str]:
    """The texts in an argument: itself, or those inside an object or a list."""
    if is_text(value):
        assert isinstance(value, str)
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from templates_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from templates_in(one)


def arguments_of(step: Step, tool: Tool, values: Values) -> dict[str, object]:
    """The arguments of a step's call, not checked yet. An argument whose references are optional and have no value is omitted.

    Raises:
        MissingValue: a reference leads to nothing.
    """
    found: dict[str, object] = {}
    for name, template in step.arguments.items():
        parameter = tool.parameter(name)
        is_query = parameter is not None and parameter.role == "query"
        value = filled(f"arguments.{name}", template, values, is_query=is_query)
        if value is not None:
            found[name] = value
    return found


def outputs_of(call: SavedCall, values: Values) -> dict[str, str]:
    """The outputs that have values, safe to show."""
    found = {name: fill(template, values.context)[:_LONGEST_OUTPUT] for name, template in call.outputs.items()}
    return {name: text for name, text in found.items() if text}


def filled(place: str, template: object, values: Values, *, is_query: bool = False) -> object:
    """An argument with values for its references; None if these are optional and have none. Raises `MissingValue`."""
    if not references_in(template):
        return template
    if isinstance(template, Mapping):
        inner = {name: filled(f"{place}.{name}", one, values) for name, one in template.items()}
        return {name: one for name, one in inner.items() if one is not None or template[name] is None}
    if isinstance(template, list | tuple):
        return [filled(f"{place}[{number}]", one, values) for number, one in enumerate(template)]
    if not is_text(template):
        return template
    assert isinstance(template, str)
    whole = _WHOLE.fullmatch(template)
    if whole is not None:
        value = value_at(whole[2], values.context)
        if value is None and whole[1] is None:
            raise MissingValue(_missing(place, whole[2]))
        return value
    text = fill_arguments({"value": template}, values.context, ("value",) if is_query else ())
    if text is None:
        paths = paths_in(template)
        raise MissingValue(_missing(place, next((one for one in paths if value_at(one, values.context) is None), paths[0])))
    return text.get("value")


def _missing(place: str, path: str) -> str:
    reference = visible_line(f"{{{path}}}")
    if path.startswith(("@", "#")):
        step = root_of(path)
        inside = visible_line(path[1 + len(step) :].removeprefix(".")) or "value"
        return f"`{place}` needs {reference}, but the response of {step} has no {inside}."
    return f"`{place}` needs the input {reference}, which is not set."
