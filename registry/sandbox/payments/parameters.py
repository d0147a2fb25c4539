"""The query of a request, read against the parameters that the operation declares.

Queries are form encoded. Values are plain but for `expand`, which is an array: ``expand[]=a&expand[]=b`` or
``expand[0]=a``. Whatever is not declared is refused, and so is every value that is not of its parameter's type.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl

from registry.sandbox.payments.errors import (
    empty_parameter,
    missing_parameter,
    not_a_choice,
    not_a_flag,
    not_a_value,
    not_an_array,
    not_an_integer,
    out_of_bounds,
    unknown_parameters,
)

Value = str | int | bool
EXPAND = "expand"
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_ELEMENT = re.compile(r"\[[0-9]*\]", re.ASCII)


class Parameter(NamedTuple):
    """What an operation takes under a name."""

    name: str
    type: Literal["text", "integer", "flag"] = "text"
    required: bool = False
    choices: tuple[str, ...] = ()
    lowest: int | None = None
    highest: int | None = None


class Arguments(NamedTuple):
    """What was sent: the values that were given, by name, and the paths to expand."""

    values: dict[str, Value]
    expand: tuple[str, ...]

    def text(self, name: str) -> str | None:
        """A text that was sent, or None."""
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    def integer(self, name: str, default: int) -> int:
        """A whole number that was sent, or the default."""
        value = self.values.get(name)
        return value if isinstance(value, int) else default


def arguments(query: str, declared: Iterable[Parameter], *, expands: bool) -> Arguments:
    """Read a query string.

    Raises:
        ApiError: 400, naming the first parameter that is unknown, empty, of the wrong type, out of bounds or missing.
    """
    by_name = {parameter.name: parameter for parameter in declared}
    pairs = [(key.partition("["), value) for key, value in parse_qsl(query, keep_blank_values=True)]
    unknown = [key[0] for key, _ in pairs if key[0] not in by_name and not (expands and key[0] == EXPAND)]
    if unknown:
        raise unknown_parameters(list(dict.fromkeys(unknown)))
    values: dict[str, Value] = {}
    expand: list[str] = []
    for (name, bracket, rest), value in pairs:
        if name == EXPAND:
            if not _ELEMENT.fullmatch(bracket + rest):
                raise not_an_array(EXPAND)
            if not value:
                raise empty_parameter(EXPAND)
            expand.append(value)
        elif bracket:
            raise not_a_value(name)
        else:
            values[name] = _read(by_name[name], value)
    for parameter in by_name.values():
        if parameter.required and parameter.name not in values:
            raise missing_parameter(parameter.name)
    return Arguments(values, tuple(expand))


def _read(parameter: Parameter, text: str) -> Value:
    if not text:
        raise empty_parameter(parameter.name)
    match parameter.type:
        case "integer":
            if not _INTEGER.fullmatch(text):
                raise not_an_integer(parameter.name, text)
            number = int(text)
            too_large = parameter.highest is not None and number > parameter.highest
            if parameter.lowest is not None and (number < parameter.lowest or too_large):
                raise out_of_bounds(parameter.name, parameter.lowest, parameter.highest)
            return number
        case "flag":
            if text not in ("true", "false"):
                raise not_a_flag(parameter.name, text)
            return text == "true"
        case "text":
            if parameter.choices and text not in parameter.choices:
                raise not_a_choice(parameter.name, parameter.choices)
    return text
