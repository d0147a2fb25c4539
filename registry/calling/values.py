"""Reads one raw value as its parameter's type, format and bounds allow: scalars, lists, objects, one of several."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Union

from registry.calling.invalid_value import InvalidParts, InvalidValue, JsonPath, nearest, shown
from registry.calling.scalars import clean, empty_value, read_scalar
from registry.catalog.model import Parameter, Tool
from registry.json_text.reading import NotJson, read_typed
from registry.json_text.values import DEEPEST, NULL, Exact, Unreadable, depth_of, is_null, is_text

# Written with Union, because a type that names itself needs quotes.
Value = Union[str, int, bool, None, tuple["Value", ...], Mapping[str, "Value"]]  # noqa: UP007
"""A checked value: text, a whole number, a decimal number (`Exact`), a boolean, a list, an object; null only inside those.
At the top level, None means not given, and null is `NULL`."""

_EXPAND_LEVELS = 4
_MOST_PROBLEMS = 12
_LONGEST_NUMBER = 4_000
_HEADER = re.compile(r"[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?")
_COOKIE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")


def read(tool: Tool, parameter: Parameter, raw: object, now: float) -> Value:
    """The value as it is sent, or None if it is empty and left out; `now` is the current time in Unix seconds.

    An explicit None is null if the parameter accepts null.

    Raises:
        InvalidValue: the parameter does not accept the value.
        InvalidParts: it does not accept parts of it.
    """
    if raw is None or is_null(raw):
        if parameter.nullable:
            return NULL
        raw = None
    value = _read(tool, parameter, raw, now)
    if parameter.place in ("header", "cookie") and value is not None:
        _check_field(parameter, value)
    return value


def _read(tool: Tool, parameter: Parameter, raw: object, now: float) -> Value:
    if isinstance(raw, Unreadable):
        raise InvalidValue(f"must be one of: {_labels(parameter)}; got {shown(raw)}" if parameter.branches else _not_json(raw))
    if _is_empty(parameter, raw, exact=tool.exact):
        return _as_value(empty_value(parameter))
    match parameter.type:
        case "array":
            return _array(tool, parameter, raw, now)
        case "object":
            return _object(tool, parameter, raw, now)
        case "one_of":
            return _one_of(tool, parameter, raw, now)
        case "any":
            return _any(raw, exact=tool.exact)
        case _:
            return read_scalar(parameter, raw, now, exact=tool.exact)


def _is_empty(parameter: Parameter, raw: object, *, exact: bool) -> bool:
    """Whether a value is the empty one of its parameter. If `exact`, an empty list is not empty text."""
    if parameter.type in ("any", "one_of") or parameter.open == "anything":
        return False
    return raw in ("", [], ()) if not exact or parameter.type == "array" else raw == ""


def _as_value(empty: object) -> Value:
    return {} if isinstance(empty, Mapping) else () if isinstance(empty, tuple) else "" if isinstance(empty, str) else None


# Lists


def _array(tool: Tool, parameter: Parameter, raw: object, now: float) -> tuple[Value, ...]:
    items = parameter.items
    if isinstance(raw, str) and is_text(raw):
        raw = _parsed(raw, "a JSON list") if parameter.is_structured else _split(raw)
    if not isinstance(raw, list | tuple) or (items is None and not all(is_text(part) for part in raw)):
        raise InvalidValue(f"must be a list{' of strings' if items is None else ''}; got {shown(raw)}")
    if not raw:
        raise InvalidValue("cannot be an empty list; add an item, or leave it not set")
    low, high = parameter.min_items, parameter.max_items
    if (low is not None and len(raw) < low) or (high is not None and len(raw) > high):
        wanted = f"from {low} to {high}" if low is not None and high is not None else f"{low} or more"
        raise InvalidValue(f"takes {wanted if low is not None else f'at most {high}'} entries; got {len(raw)}")
    if items is None:
        return _strings(tool, parameter, [str(part) for part in raw])
    return tuple(_inner(raw, lambda place: _read_inside(tool, items, raw[place], now)))


def _split(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]


def _strings(tool: Tool, parameter: Parameter, raw: list[str]) -> tuple[str, ...]:
    entries = tuple(clean(part, exact=tool.exact) for part in raw)
    if "" in entries and not tool.exact:
        raise InvalidValue("has an empty entry; remove it")
    if parameter.role == "expand":
        for entry in entries:
            _check_expand(tool, entry)
    return entries


def _inner(raw: list[object] | tuple[object, ...], step: Callable[[int], Value]) -> list[Value]:
    """Read each item; reports all invalid items at once."""
    problems: list[tuple[JsonPath, str]] = []
    values: list[Value] = []
    for place in range(len(raw)):
        try:
            values.append(step(place))
        except InvalidValue as refusal:
            problems += _below(place, refusal)
    if problems:
        raise InvalidParts(problems[:_MOST_PROBLEMS])
    return values


def _check_expand(tool: Tool, entry: str) -> None:
    if entry.count(".") >= _EXPAND_LEVELS:
        raise InvalidValue(f"can expand at most {_EXPAND_LEVELS} levels deep; got {shown(entry)}")
    if tool.returns.kind in ("list", "search_result") and not entry.startswith("data."):
        raise InvalidValue(f"expands fields of list items, which start with `data.`; write `data.{entry}`")


# Objects


def _object(tool: Tool, parameter: Parameter, raw: object, now: float) -> Value:
    if isinstance(raw, str) and is_text(raw) and parameter.open != "anything":
        raw = _parsed(raw, "a JSON object")
    if not isinstance(raw, Mapping):
        if parameter.open == "anything":
            return _any(raw, exact=tool.exact)
        raise InvalidValue(f"must be an object; got {shown(raw)}")
    is_free = not parameter.properties and parameter.items is None
    if is_free and raw:
        return _any(raw, exact=tool.exact)
    problems: list[tuple[JsonPath, str]] = []
    values: dict[str, Value] = {}
    for name, given in raw.items():
        try:
            _property(tool, parameter, str(name), given, now, values)
        except InvalidValue as refusal:
            problems += _below(str(name), refusal)
    missing = (one.name for one in parameter.properties if one.required and raw.get(one.name) is None)
    problems += [((name,), "is required") for name in missing if name not in values]
    if problems:
        raise InvalidParts(problems[:_MOST_PROBLEMS])
    return values or _as_value(empty_value(parameter))


def _property(tool: Tool, parameter: Parameter, name: str, raw: object, now: float, values: dict[str, Value]) -> None:
    """Read a property into `values`; null means not set, unless the property accepts null."""
    one = parameter.property_named(name)
    if one is None and parameter.open:
        values[clean(name, exact=tool.exact)] = _any(raw, exact=tool.exact)
        return
    if one is None:
        names = [declared.name for declared in parameter.properties]
        raise InvalidValue(f"is not a property here{nearest(name, names)}; available: {', '.join(names)}")
    clean(name, exact=tool.exact)
    raw = None if is_null(raw) else raw
    takes_null = one.nullable or one.when_empty == "null" or one.type == "any"
    if raw is None and not takes_null:
        return
    value = None if raw is None else _read_inside(tool, one, raw, now)
    if one.when_empty == "null" and one.type != "any" and value in ("", (), {}):
        value = None
    if value is not None or takes_null:
        values[name] = value


def _read_inside(tool: Tool, parameter: Parameter, raw: object, now: float) -> Value:
    if raw is None or is_null(raw):
        if parameter.nullable or parameter.type == "any" or parameter.open == "anything":
            return None
        raise InvalidValue("must have a value; got null")
    return read(tool, parameter, raw, now)


def _below(step: str | int, refusal: InvalidValue) -> list[tuple[JsonPath, str]]:
    if isinstance(refusal, InvalidParts):
        return [((step, *inside), message) for inside, message in refusal.problems]
    return [((step,), str(refusal))]


# One of several, and anything


def _one_of(tool: Tool, parameter: Parameter, raw: object, now: float) -> Value:
    refusals: list[tuple[Parameter, InvalidValue]] = []
    for branch in parameter.branches:
        if _is_of_kind(branch, raw):
            try:
                return read(tool, branch, raw, now)
            except InvalidValue as refusal:
                refusals.append((branch, refusal))
    likely = [refusal for branch, refusal in refusals if _is_marked(branch, raw)] or [refusal for _, refusal in refusals]
    if len(likely) == 1:
        raise likely[0]
    raise InvalidValue(f"must be one of: {_labels(parameter)}; got {shown(raw)}")


def branch_of(tool: Tool, parameter: Parameter, raw: object, now: float) -> Parameter | None:
    """The first branch that accepts a value, or else the likeliest one; None if no branch takes values of its kind."""
    fitting = [branch for branch in parameter.branches if _is_of_kind(branch, raw)]
    for branch in fitting:
        try:
            read(tool, branch, raw, now)
        except InvalidValue:
            continue
        return branch
    return next((branch for branch in fitting if _is_marked(branch, raw)), next(iter(fitting), None))


def _is_of_kind(branch: Parameter, raw: object) -> bool:
    """Whether a branch takes values of this JSON kind: text that looks like a number is text here."""
    match branch.type:
        case "any":
            return True
        case "one_of":
            return any(_is_of_kind(inner, raw) for inner in branch.branches)
        case "object":
            return isinstance(raw, Mapping) or branch.open == "anything"
        case "array":
            return isinstance(raw, list | tuple)
        case "boolean":
            return isinstance(raw, bool)
        case "string":
            return is_text(raw)
        case _:
            return isinstance(raw, int | float | Exact) and not isinstance(raw, bool)


def _is_marked(branch: Parameter, raw: object) -> bool:
    """Whether a property with only one possible value marks an object as one of this branch."""
    marks = [one for one in branch.properties if one.enum and len(one.enum) == 1]
    return bool(marks) and isinstance(raw, Mapping) and all(raw.get(one.name) in (one.enum or ()) for one in marks)


def _any(raw: object, *, exact: bool) -> Value:
    if depth_of(raw) > DEEPEST:
        raise InvalidValue(f"is nested more than {DEEPEST} deep")
    return _plain(raw, exact)


def _plain(raw: object, exact: bool) -> Value:
    """A JSON value of any kind; its texts may have several lines, and its numbers keep their digits."""
    if isinstance(raw, Unreadable):
        raise InvalidValue(_not_json(raw))
    if isinstance(raw, Exact):
        if len(raw) > _LONGEST_NUMBER:
            raise InvalidValue(f"contains a number of {len(raw)} digits")
        return raw
    if isinstance(raw, str):
        return clean(raw, lines=True, exact=exact)
    if isinstance(raw, float):
        return Exact(_finite(raw))
    if isinstance(raw, Mapping):
        problems: list[tuple[JsonPath, str]] = []
        values: dict[str, Value] = {}
        for name, one in raw.items():
            try:
                values[clean(str(name), exact=exact)] = _plain(one, exact)
            except InvalidValue as refusal:
                problems += _below(str(name), refusal)
        if problems:
            raise InvalidParts(problems[:_MOST_PROBLEMS])
        return values
    if isinstance(raw, list | tuple):
        return tuple(_inner(raw, lambda place: _plain(raw[place], exact)))
    if raw is None or isinstance(raw, int):
        return raw
    raise InvalidValue(f"must be JSON; got {shown(raw)}")


def _finite(number: float) -> str:
    text = repr(number)
    if text.lstrip("-") in ("inf", "nan"):
        raise InvalidValue(f"must be a finite number; got {text}")
    return text


# Text that contains JSON


def from_text(parameter: Parameter, text: str) -> object:
    """The value of a line typed for a parameter with JSON values.

    Text that is not JSON is a string if the parameter accepts strings, and `Unreadable` otherwise.
    """
    if not parameter.is_structured or not text.strip():
        return text
    try:
        value = read_typed(text)
    except ValueError:
        return text if _is_of_kind(parameter, text) else Unreadable(text)
    if value is None and parameter.nullable:
        return NULL
    return value if _is_of_kind(parameter, value) or not _is_of_kind(parameter, text) else text


def _parsed(text: str, wanted: str) -> object:
    try:
        return read_typed(text)
    except ValueError:
        raise InvalidValue(f"must be {wanted}; {_why_not(text)}") from None


def _labels(parameter: Parameter) -> str:
    return ", ".join(one.name for one in parameter.branches)


def _not_json(text: str) -> str:
    return f"is not JSON: {_why_not(text)}"


def _why_not(text: str) -> str:
    """Why a text is not JSON, with line and column; if it is JSON, its value for the message."""
    try:
        read_typed(text)
    except NotJson as error:
        return str(error)
    return f"got {shown(str(text))}"


# Headers and cookies


def _check_field(parameter: Parameter, value: Value) -> None:
    """Refuse text that would end a header, start another one, or be misread (RFC 9110, 5.5; RFC 6265, 4.1.1)."""
    texts = value if isinstance(value, tuple) else (value,)
    for text in (str(one) for one in texts if isinstance(one, str) and one):
        if parameter.place == "cookie" and not _COOKIE.fullmatch(text):
            raise InvalidValue(
                f'must be letters, digits and signs other than space , ; " and \\ in a cookie; got {shown(text)}'
            )
        if not _HEADER.fullmatch(text) or (isinstance(value, tuple) and "," in text):
            commas = ", or commas" if isinstance(value, tuple) else ""
            raise InvalidValue(f"must be ASCII text without spaces at its ends{commas}; got {shown(text)}")
