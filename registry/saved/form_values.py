"""Converts arguments between the fields of a form and JSON, exactly: one by one, and all of them as a text that people edit.

A field holds text or a list of texts, or JSON values if its parameter takes objects and other structures; JSON has numbers,
booleans, null and texts. A value that a field cannot hold is refused with the rule, never changed. A value that a field can
hold but the service would refuse is kept: the form shows the error. In the text, what is absent or null is not set; secrets are
shown as a mask and keep their value.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct, field

from registry.accounts.secrets import MASK
from registry.calling.arguments import check, unknown
from registry.calling.times import InvalidValue
from registry.calling.values import read
from registry.catalog.model import Parameter, Tool
from registry.json_text import (
    DEEPEST,
    NULL,
    NUMBER,
    TYPED,
    Exact,
    Unreadable,
    depth_of,
    dumps,
    in_words,
    indented,
    is_text,
    json_value,
)
from registry.text.shown import exact_json, shortened, visible_line

Raw = str | bool | list[Any] | dict[str, Any]
"""A field's value: text, or texts; for a structured parameter JSON values, with numbers as `Exact`; or `NULL`."""

_WIDE, _SHOWN = 76, 40
# Times in words stay words, so the current time does not matter here.
_NO_TIME = 0.0


def raw_of(parameter: Parameter, value: object) -> Raw | None:
    """A typed argument or a field's value, as the parameter's field holds it; None means null if the parameter takes null."""
    if value is None or value is NULL:
        return None if value is None and not parameter.nullable else NULL
    if parameter.is_structured:
        plain = json_value(value)
        return plain if isinstance(plain, str | bool | list | dict) else Exact(plain)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return [_scalar_text(entry) for entry in value]
    return _scalar_text(value)


def raw_in(parameter: Parameter, given: Mapping[str, object]) -> Raw | None:
    """A parameter's value among given ones, as its field holds it; None if it is not given, or null that it does not take."""
    return raw_of(parameter, given[parameter.name]) if parameter.name in given else None


def held_in(tool: Tool, given: Mapping[str, object]) -> dict[str, Raw]:
    """The values of a form's fields for given arguments, for those that are set."""
    return {one.name: raw for one in tool.parameters if (raw := raw_in(one, given)) is not None}


def from_json(tool: Tool, parameter: Parameter, value: object) -> Raw | None:
    """A JSON value, numbers as `Exact`, as the parameter's field holds it; None (not set) for null if it takes no null.

    Raises:
        InvalidValue: the field cannot hold it.
    """
    if value is None:
        return raw_of(parameter, None)
    if parameter.is_structured:
        return _structure(parameter, value)
    if parameter.type == "array":
        return _list(parameter, value)
    if parameter.type == "boolean":
        if not isinstance(value, str | bool) or isinstance(value, Exact) or value == "":
            raise InvalidValue(f"must be true or false; got {_shown(value)}")
        return raw_of(parameter, read(tool, parameter, value, _NO_TIME))
    if parameter.type in ("integer", "number"):
        if isinstance(value, str):
            return str(value)
        raise InvalidValue(f"must be a {'whole ' if parameter.type == 'integer' else ''}number; got {_shown(value)}")
    if not isinstance(value, str) or isinstance(value, Exact):
        quote = '. Write it in quotes: "…"' if isinstance(value, Exact) else ""
        raise InvalidValue(f"must be text; got {_shown(value)}{quote}")
    if not parameter.enum:
        return value
    if not value:
        raise InvalidValue("cannot be empty; choose one of its values, or leave it out")
    return str(read(tool, parameter, value, _NO_TIME))


def token(parameter: Parameter, raw: Raw) -> str:
    """A field's value as JSON text without control characters; a secret as a mask."""
    value = MASK if parameter.role == "secret" else typed(parameter, raw)
    line = exact_json(dumps(value))
    fits = len(line) <= _WIDE or not isinstance(value, list | dict)
    return line if fits else exact_json(indented(value)).replace("\n", "\n  ")


def typed(parameter: Parameter, raw: Raw) -> Any:
    """The JSON value of a field for a scalar or a list of scalars: text that is not a number stays text."""
    if parameter.is_structured or raw is NULL:
        return raw
    if isinstance(raw, list):
        items = parameter.items
        return [str(entry) if items is None else typed(items, str(entry)) for entry in raw]
    if parameter.type in ("integer", "number") and isinstance(raw, str) and NUMBER.fullmatch(raw):
        return Exact(raw)
    return raw == "true" if parameter.type == "boolean" and raw in ("true", "false") else raw


def _structure(parameter: Parameter, value: object) -> Raw:
    """A value of a parameter whose field holds JSON. Its contents are checked later."""
    if depth_of(value) > DEEPEST:
        raise InvalidValue(f"is nested more than {DEEPEST} deep")
    kind, what = {"object": (dict, "an object"), "array": (list, "a list")}.get(parameter.type, (object, ""))
    if parameter.open != "anything" and not isinstance(value, kind):
        if not is_text(value):
            raise InvalidValue(f"must be {what}; got {_shown(value)}")
        # Text instead of an object or a list is unfinished input of a JSON field, and goes back there.
        return Unreadable(value)
    assert isinstance(value, str | bool | list | dict)
    return value


def _list(parameter: Parameter, value: object) -> Raw:
    """A list of scalars; a text is split at commas, as in the field."""
    items = parameter.items
    if isinstance(value, str) and not isinstance(value, Exact):
        # Commas alone are not items, and must not pass for a list that is empty on purpose.
        return [part for part in (part.strip() for part in value.split(",")) if part] or value or []
    if isinstance(value, list):
        if items is not None and all(isinstance(entry, str | bool) for entry in value):
            return [_scalar_text(entry) for entry in value]
        if all(is_text(entry) for entry in value):
            return value
    wanted = "a list of strings in double quotes" if items is None else f"a list of values of the type {items.type}"
    raise InvalidValue(f"must be {wanted}; got {_shown(value)}")


def _scalar_text(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _shown(value: object) -> str:
    """A value for a message, on one line and not too long."""
    if isinstance(value, Exact):
        return shortened(value, _SHOWN)
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return shortened(f"[{', '.join(_shown(entry) for entry in value[:_SHOWN])}]", _SHOWN)
    return shortened(visible_line(json.dumps(value, ensure_ascii=False)), _SHOWN)


_SPACE = re.compile(r"[ \t\r\n]*")
_BARE = re.compile(r"[^\s,\]}]+")


class TextError(Struct, frozen=True):
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


class Reading(Struct, frozen=True):
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
                first = _at(text, places[name], name, "").line
                mistakes.append(_at(text, named_at, name, f"appears twice; first on line {first}"))
            else:
                places[name] = place
                try:
                    secret = parameter.role == "secret"
                    held = _secret(value, present.get(name)) if secret else from_json(tool, parameter, value)
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


def name_at(tool: Tool, text: str, line: int, column: int) -> str:
    """The parameter at a line and a column of the text, both from 0; empty without one."""
    place = sum(len(one) + 1 for one in text.split("\n")[:line]) + column
    found = ""
    with suppress(json.JSONDecodeError, RecursionError):
        for name, _, named_at, _ in _members(text):
            if named_at <= place:
                found = name
    return found if tool.parameter(found) is not None else ""


def _members(text: str) -> Iterator[tuple[str, object, int, int]]:
    """The properties of the object: name, value, and where the name and the value begin. Raises JSONDecodeError."""
    at = _past(text, 0, "{", "expected an object: {…}")
    while text[at : at + 1] != "}":
        named_at = at
        _past(text, at, '"', "Expecting property name enclosed in double quotes")
        name, at = TYPED.raw_decode(text, at)
        place = _past(text, _skip(text, at), ":", "Expecting ':' delimiter")
        value, at = _value(text, place)
        yield name, value, named_at, place
        comma = _skip(text, at)
        at = comma if text[comma : comma + 1] == "}" else _past(text, comma, ",", "expected a comma or }")
        if at > comma and text[at : at + 1] == "}":
            raise json.JSONDecodeError("Illegal trailing comma before end of object", text, comma)
    if (at := _skip(text, at + 1)) < len(text):
        raise json.JSONDecodeError("unexpected text after the closing }", text, at)


def _past(text: str, at: int, sign: str, problem: str) -> int:
    """The index of what follows a sign, which must stand here."""
    at = _skip(text, at)
    if text[at : at + 1] != sign:
        raise json.JSONDecodeError(problem, text, at)
    return _skip(text, at + 1)


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
