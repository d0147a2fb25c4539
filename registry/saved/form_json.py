"""All arguments of a tool as one JSON text that people edit, and back, with the position of every error.

A name that is absent, or null, is not set; ``""`` and ``[]`` are empty. Secrets are shown as a mask and keep their value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from registry.accounts.secrets import MASK
from registry.calling.arguments import check, unknown
from registry.calling.invalid_value import InvalidValue
from registry.catalog.model import Tool
from registry.json_text.reading import TYPED, in_words
from registry.saved.form_values import from_json, token
from registry.text.safe_text import shortened, visible_line

_SPACE = re.compile(r"[ \t\r\n]*")
_BARE = re.compile(r"[^\s,\]}]+")


@dataclass(frozen=True, slots=True)
class TextError:
    """An error in a text: its index in characters from 0, its line and column from 1, and its parameter, empty for the whole.

    The message has the rule, the invalid value, and what to do next.
    """

    place: int
    line: int
    column: int
    parameter: str
    message: str

    def __str__(self) -> str:
        return f"{self.line}:{self.column} " + (f"`{visible_line(self.parameter)}` " if self.parameter else "") + self.message


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: the fields' values, those that no field can hold (the text is then of no use), and where values begin."""

    raw: Mapping[str, object] = field(default_factory=dict)
    mistakes: tuple[TextError, ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)


def written(tool: Tool, raw: Mapping[str, object]) -> str:
    """The values of a form's fields as JSON, one line each, in the tool's order."""
    lines = []
    for parameter in tool.parameters:
        value = raw.get(parameter.name)
        if isinstance(value, str | bool | list | dict):
            lines.append(f"  {json.dumps(parameter.name)}: {token(parameter, value)}")
    return "{\n" + (",\n".join(lines) or "  ") + "\n}"


def reading(tool: Tool, text: str, present: Mapping[str, object]) -> Reading:
    """The arguments of a tool in a text of JSON; a secret's mask means its value among the `present` ones of the fields."""
    raw: dict[str, object] = {}
    places: dict[str, int] = {}
    mistakes: list[TextError] = []
    try:
        for name, value, named_at, place in _members(text):
            parameter = tool.parameter(name)
            if parameter is None:
                mistakes.append(_at(text, named_at, name, unknown(tool, name).message))
            elif name in places:
                first = _at(text, places[name], name, "")
                mistakes.append(_at(text, named_at, name, f"appears twice; first on line {first.line}"))
            else:
                places[name] = place
                try:
                    is_secret = parameter.role == "secret"
                    held = _secret(value, present.get(name)) if is_secret else from_json(tool, parameter, value)
                    raw |= {name: held} if held is not None else {}
                except InvalidValue as refusal:
                    mistakes.append(_at(text, place, name, str(refusal)))
    except json.JSONDecodeError as error:
        return Reading({}, (_at(text, error.pos, "", in_words(error)),), places)
    except RecursionError:
        return Reading({}, (_at(text, 0, "", "this is nested too deeply"),))
    return Reading(raw, tuple(mistakes), places)


def mistakes_in(tool: Tool, text: str, read: Reading) -> tuple[TextError, ...]:
    """All errors that prevent sending, with positions: values that no field can hold, or else failed checks."""
    if read.mistakes:
        return read.mistakes
    end = max(len(text.rstrip()) - 1, 0)
    errors = check(tool, read.raw).errors
    return tuple(_at(text, read.places.get(one.parameter, end), one.path, one.message) for one in errors)


def place_of(text: str, line: int, column: int) -> int:
    """The index in a text of a line and a column, both from 0."""
    lines = text.split("\n")
    return sum(len(one) + 1 for one in lines[:line]) + column


def name_at(tool: Tool, text: str, place: int) -> str:
    """The parameter at an index of the text; empty without one."""
    found = ""
    with suppress(json.JSONDecodeError, RecursionError):
        for name, _, named_at, _ in _members(text):
            if named_at <= place:
                found = name
    return found if tool.parameter(found) is not None else ""


def _members(text: str) -> Iterator[tuple[str, object, int, int]]:
    """The properties of the object: name, value, and where the name and the value begin. Raises JSONDecodeError."""
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        raise json.JSONDecodeError("expected an object: {…}", text, at)
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        named_at = at
        if text[at : at + 1] != '"':
            raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
        name, at = TYPED.raw_decode(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
        place = _skip(text, at + 1)
        value, at = _value(text, place)
        yield name, value, named_at, place
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            comma, at = at, _skip(text, at + 1)
            if text[at : at + 1] == "}":
                raise json.JSONDecodeError("Illegal trailing comma before end of object", text, comma)
        elif text[at : at + 1] != "}":
            raise json.JSONDecodeError("expected a comma or }", text, at)
    at = _skip(text, at + 1)
    if at < len(text):
        raise json.JSONDecodeError("unexpected text after the closing }", text, at)


def _value(text: str, place: int) -> tuple[object, int]:
    try:
        return TYPED.raw_decode(text, place)
    except json.JSONDecodeError as error:
        if error.doc is not text:  # a word that Python would accept as a number
            raise json.JSONDecodeError(error.msg, text, place) from None
        bare = _BARE.match(text, error.pos)
        if error.msg == "Expecting value" and bare:
            words = f"{shortened(visible_line(bare[0]), 30)} is not valid JSON; put strings in double quotes"
            raise json.JSONDecodeError(words, text, error.pos) from None
        raise


def _secret(value: object, present: object) -> str | None:
    if value is None:
        return None
    if value == MASK and present is not None:
        return str(present)
    raise InvalidValue(f"is a secret: enter it in its form field, not here. {MASK} stands for a value already entered")


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _at(text: str, place: int, parameter: str, message: str) -> TextError:
    return TextError(place, text.count("\n", 0, place) + 1, place - (text.rfind("\n", 0, place) + 1) + 1, parameter, message)
