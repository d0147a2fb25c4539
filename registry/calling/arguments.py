"""Checks raw values by parameter name: returns arguments, or every error by field, in words.

A parameter is in one of three states: not given (its name is absent), given and empty (``""`` or ``[]``), or given. Nothing is
sent while anything is wrong. Values may come as text, as from a form or a command line, or typed, as from JSON.

Each property of a body is a parameter. Properties without a parameter are set through one more, with the style ``members``:
an object's properties are added to the body; a value that is not an object is the whole body, if the parameter allows that.
Properties that have a parameter of their own become its value, so that a whole body can be pasted and is checked like the
others.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Mapping
from contextlib import suppress

import msgspec

from registry.calling.invalid_value import InvalidValue, JsonPath, dotted
from registry.calling.rules import inferred, rules_across
from registry.calling.scalars import Value
from registry.calling.search_queries import checked_query, query_fields
from registry.calling.values import read
from registry.catalog.model import Parameter, Tool
from registry.json_text.reading import NotJson, read_typed
from registry.json_text.values import Unreadable, is_null, is_text

__all__ = ["ArgumentError", "Arguments", "FieldError", "Value", "check", "times_in", "unknown"]


class FieldError(msgspec.Struct, frozen=True):
    """What is wrong with one argument: the parameter's name, and in words the rule, the value and what to type instead.

    `hint` is the parameter's help, if the user needs it and does not see it anyway. `inside` is the path inside the value.
    """

    parameter: str
    message: str
    hint: str = ""
    inside: JsonPath = ()

    @property
    def path(self) -> str:
        """The parameter with the path inside it: ``fields.assignee.email``."""
        return dotted((self.parameter, *self.inside))

    def __str__(self) -> str:
        return f"`{self.path}` {self.message}" + (f". {self.hint}" if self.hint else "")


class ArgumentError(ValueError):
    """Arguments that cannot be sent. `errors` lists every problem."""

    def __init__(self, tool: str, errors: tuple[FieldError, ...]) -> None:
        super().__init__(f"{tool}: " + "; ".join(str(error) for error in errors))
        self.errors = errors


class Arguments(msgspec.Struct, frozen=True):
    """A tool's arguments after checking.

    Attributes:
        values: the valid arguments, typed, in the tool's order. Times are ISO 8601 in UTC, codes in the case that the
            service uses. An empty value occurs only if the parameter allows it.
        errors: every problem; empty if the arguments can be sent.
    """

    values: Mapping[str, Value] = msgspec.field(default_factory=dict)
    errors: tuple[FieldError, ...] = ()

    def errors_of(self, parameter: str) -> list[str]:
        """The problems of one parameter; those of its parts start with their paths."""
        return [
            f"`{dotted(error.inside)}` {error.message}" if error.inside else error.message
            for error in self.errors
            if error.parameter == parameter
        ]


def check(tool: Tool, raw: Mapping[str, object], now: float | None = None) -> Arguments:
    """Check raw values against a tool's parameters.

    A name that is absent from `raw` was not given. None also counts as absent, so that JSON callers may send null, except for a
    parameter that accepts null. `now`, in Unix seconds, is the base for relative times.
    """
    now = time.time() if now is None else now
    raw, of_body = _taken_apart(tool, raw)
    nullable = {one.name for one in tool.parameters if one.nullable}
    given = {name: value for name, value in raw.items() if value is not None or name in nullable}
    errors = [*(unknown(tool, name) for name in given if tool.parameter(name) is None), *of_body]
    whole = is_whole(tool, given)
    values: dict[str, Value] = {}
    for parameter in tool.parameters:
        if parameter.name not in given:
            if parameter.required and not (whole and parameter.place == "body"):
                errors.append(FieldError(parameter.name, "is required", parameter.help))
            continue
        try:
            value = read(tool, parameter, given[parameter.name], now)
            if parameter.role == "query" and value and (known := query_fields(tool)) is not None:
                value = checked_query(str(value), known, now)
        except InvalidValue as refusal:
            for inside, words in refusal.problems:
                # A message may be shown anywhere, and must not contain a secret.
                shown = words.partition("; got")[0] if parameter.role == "secret" else words
                errors.append(FieldError(parameter.name, shown, inside=inside))
        else:
            if value is not None:
                values[parameter.name] = value
    values |= inferred(tool, values, now)
    refused = {error.parameter for error in errors}
    errors += [FieldError(name, message) for name, message in rules_across(tool, values, refused, now)]
    return Arguments(values, tuple(errors))


def times_in(tool: Tool, values: Mapping[str, object]) -> dict[str, object]:
    """The times among checked values. They are absolute, so that a second call with them requests the same."""
    return {one.name: values[one.name] for one in tool.parameters if one.role == "timestamp" and one.name in values}


def unknown(tool: Tool, name: str) -> FieldError:
    """The error for a name that is not a parameter of the tool, with the closest parameter name."""
    names = [parameter.name for parameter in tool.parameters]
    nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
    if not nearest:
        # A part of a long name: `limt` for `card_retrieval_limit`, if only one name has such a part.
        nearest = [one for one in names if difflib.get_close_matches(name, one.split("_"), n=1, cutoff=0.75)]
    if len(nearest) == 1:
        return FieldError(name, f"is not a parameter of {tool.name}; did you mean `{nearest[0]}`?")
    listed = ", ".join(f"`{one}`" for one in names)
    return FieldError(name, f"is not a parameter of {tool.name}; its parameters: {listed or 'none'}")


def rest_of(tool: Tool) -> Parameter | None:
    """The parameter of a tool that takes JSON for the body; None if there is none."""
    return next((one for one in tool.parameters if one.style == "members"), None)


def is_whole(tool: Tool, raw: Mapping[str, object]) -> bool:
    """Whether the value for the body is not an object, so that it is the whole body and excludes all properties."""
    rest = rest_of(tool)
    if rest is None or rest.name not in raw:
        return False
    value = raw[rest.name]
    if value is None or is_null(value):
        return rest.nullable
    return rest.type == "any" and not isinstance(value, Mapping | Unreadable)


def _taken_apart(tool: Tool, raw: Mapping[str, object]) -> tuple[Mapping[str, object], list[FieldError]]:
    """Raw values with the properties of the whole body moved to their own parameters, and what contradicts each other."""
    rest = rest_of(tool)
    if rest is None or (body := raw.get(rest.name)) is None:
        return raw, []
    own = {one.wire_name: one.name for one in tool.parameters if one.place == "body" and one is not rest}
    if is_whole(tool, raw):
        others = ", ".join(f"`{name}`" for name in own.values() if raw.get(name) is not None)
        words = f"is the whole body, because it is not an object: clear {others}"
        return raw, [FieldError(rest.name, words)] if others else []
    if is_text(body) and rest.type == "object":
        with suppress(NotJson):  # which is reported when the value is read
            body = read_typed(str(body))
    if not isinstance(body, Mapping):
        return raw, []
    moved = {own[member]: value for member, value in body.items() if member in own and raw.get(own[member]) is None}
    twice = [member for member in body if member in own and own[member] not in moved]
    left = {member: value for member, value in body.items() if member not in own}
    kept = {name: value for name, value in raw.items() if name != rest.name} | moved
    if left or not body:
        kept[rest.name] = left
    return kept, [FieldError(rest.name, f"is given twice: `{own[one]}` is set, too", inside=(one,)) for one in twice]
