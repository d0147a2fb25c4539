"""The query of a request, read against the parameters that the operation declares.

Queries are form encoded. Values are plain but for `expand`, which is an array: ``expand[]=a&expand[]=b`` or
``expand[0]=a``. Whatever is not declared is refused, and so is every value that is not of its parameter's type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl

from registry.sandbox.payments.errors import refused

Value = str | int | bool
EXPAND = "expand"
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_ELEMENT = re.compile(r"\[[0-9]*\]", re.ASCII)


class Parameter(NamedTuple):
    """What an operation takes under a name, and in a list the condition that it makes.

    Attributes:
        type: what it holds; a flag is true or false.
        required: it must be sent.
        choices: the texts that it accepts, if they are limited.
        lowest: the least whole number.
        highest: the greatest whole number.
        refers: the kind of object that its value names; the object must exist.
        path: the members' field that it compares, if that is called differently.
        stored: stored values where they differ from the choices.
        every: the choice that matches all members.
        inverted: the field has the opposite meaning.
        through: members are those whose `path` names an object of this kind with the value in the field of this name.
    """

    type: Literal["text", "integer", "flag"] = "text"
    required: bool = False
    choices: Sequence[str] = ()
    lowest: int | None = None
    highest: int | None = None
    refers: str = ""
    path: str = ""
    stored: Mapping[str, str] = {}
    every: str = ""
    inverted: bool = False
    through: str = ""

    @property
    def selective(self) -> bool:
        """Whether few objects have the same value, so that an index is worth its cost."""
        return self.type == "text" and not self.choices


def arguments(query: str, declared: Mapping[str, Parameter], *, expands: bool) -> tuple[dict[str, Any], list[str]]:
    """The values of a query string by name, and the paths to expand.

    Raises:
        ApiError: 400, naming the first parameter that is unknown, empty, of the wrong type, out of bounds or missing.
    """
    pairs = [(key.partition("["), value) for key, value in parse_qsl(query, keep_blank_values=True)]
    names = dict.fromkeys(name for (name, _, _), _ in pairs)
    unknown = [name for name in names if name not in declared and not (expands and name == EXPAND)]
    if unknown:
        plural = "s" if len(unknown) > 1 else ""
        raise refused(f"Received unknown parameter{plural}: {', '.join(unknown)}", code="parameter_unknown", param=unknown[0])
    values: dict[str, Value] = {}
    expand: list[str] = []
    for (name, bracket, rest), value in pairs:
        if name == EXPAND and not _ELEMENT.fullmatch(bracket + rest):
            raise refused("Invalid array", param=EXPAND)
        if name != EXPAND and bracket:
            raise refused("Invalid string: a single value is expected", param=name)
        if not value:
            message = f"You passed an empty string for '{name}'. Leave the parameter out, or give it a value."
            raise refused(message, code="parameter_invalid_empty", param=name)
        if name == EXPAND:
            expand.append(value)
        else:
            values[name] = _read(name, declared[name], value)
    for name, parameter in declared.items():
        if parameter.required and name not in values:
            raise refused(f"Missing required param: {name}.", code="parameter_missing", param=name)
    return values, expand


def _read(name: str, parameter: Parameter, text: str) -> Value:
    code, lowest, highest, message = None, parameter.lowest, parameter.highest, ""
    match parameter.type:
        case "integer":
            code = "parameter_invalid_integer"
            if not _INTEGER.fullmatch(text):
                message = f"Invalid integer: {text}"
            elif (lowest is not None and int(text) < lowest) or (highest is not None and int(text) > highest):
                message = f"Invalid {name}: must be " + (
                    f"at least {lowest}" if highest is None else f"from {lowest} to {highest}"
                )
        case "flag" if text not in ("true", "false"):
            message = f"Invalid boolean: {text}"
        case "text" if parameter.choices and text not in parameter.choices:
            *others, last = parameter.choices
            message = f"Invalid {name}: must be " + (f"one of {', '.join(others)} or {last}" if others else last)
    if message:
        raise refused(message, code=code, param=name)
    return int(text) if parameter.type == "integer" else text == "true" if parameter.type == "flag" else text
