"""Reads one raw value as its parameter's type, format and bounds allow: scalars, lists, objects, one of several."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from math import isfinite
from typing import Any, TypeVar

from registry.calling.scalars import Value, clean, empty_value, in_form, read_boolean, read_number, read_string, read_time
from registry.calling.times import InvalidValue, JsonPath, nearest, shown
from registry.catalog.model import Parameter, Tool
from registry.json_text import DEEPEST, NULL, Exact, NotJson, Unreadable, depth_of, is_text, read_typed

_EXPAND_LEVELS = 4
_MOST_PROBLEMS = 12
_LONGEST_NUMBER = 4_000
_ABSENT = object()
_HEADER = re.compile(r"[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?")
_COOKIE = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")
_Key = TypeVar("_Key", bound=str | int)


def read(tool: Tool, parameter: Parameter, raw: object, now: float) -> Value:
    """The value as it is sent, or None if it is empty and left out; `now` is the current time in Unix seconds.

    An explicit None is null if the parameter accepts null.

    Raises:
        InvalidValue: the parameter does not accept the value, or parts of it.
    """
    if raw is None or raw is NULL:
        if parameter.nullable:
            return NULL
        raw = None
    if isinstance(raw, Unreadable):
        raise InvalidValue(f"must be one of: {_labels(parameter)}; got {shown(raw)}" if parameter.branches else _not_json(raw))
    takes_any = parameter.type in ("any", "one_of") or parameter.open == "anything"
    # An empty list is not empty text where values are sent exactly as given.
    empty: tuple[object, ...] = ("",) if tool.exact and parameter.type != "array" else ("", [], ())
    value: Value
    match parameter.type:
        case _ if not takes_any and raw in empty:
            value = empty_value(parameter)
        case "array":
            value = _array(tool, parameter, raw, now)
        case "object":
            value = _object(tool, parameter, raw, now)
        case "one_of":
            value = _one_of(tool, parameter, raw, now)
        case "any":
            value = _any(raw, exact=tool.exact)
        case _ if parameter.format in ("date-time", "unix-minute"):
            value = read_time(parameter, raw, now, exact=tool.exact)
        case "integer" | "number":
            value = read_number(parameter, raw)
        case "string":
            value = read_string(parameter, raw, exact=tool.exact)
        case _:
            value = read_boolean(raw)
    if parameter.place in ("header", "cookie", "part") and value is not None:
        _check_field(parameter, value)
    return value


def _each(given: Iterable[tuple[_Key, object]], step: Callable[[_Key, object], object]) -> dict[_Key, Value]:
    """The value of each item or property, without absent ones; reports all that are invalid at once."""
    problems: list[tuple[JsonPath, str]] = []
    values: dict[_Key, Value] = {}
    for key, raw in given:
        try:
            value = step(key, raw)
        except InvalidValue as refusal:
            problems += (((key, *inside), message) for inside, message in refusal.problems)
        else:
            if value is not _ABSENT:
                values[key] = value  # type: ignore[assignment]
    if problems:
        raise InvalidValue("", problems[:_MOST_PROBLEMS])
    return values


# Lists and objects


def _array(tool: Tool, parameter: Parameter, raw: object, now: float) -> Value:
    items = parameter.items
    if isinstance(raw, str) and is_text(raw):
        raw = _parsed(raw, "a JSON list") if parameter.is_structured else _listed(raw)
    if not isinstance(raw, list | tuple) or (items is None and not all(map(is_text, raw))):
        raise InvalidValue(f"must be a list{' of strings' if items is None else ''}; got {shown(raw)}")
    if not raw:
        raise InvalidValue("cannot be an empty list; add an item, or leave it not set")
    low, high = parameter.min_items, parameter.max_items
    if (low is not None and len(raw) < low) or (high is not None and len(raw) > high):
        wanted = f"at most {high}" if low is None else f"{low} or more" if high is None else f"from {low} to {high}"
        raise InvalidValue(f"takes {wanted} entries; got {len(raw)}")
    if items is not None:
        return tuple(_each(enumerate(raw), lambda _, one: _item(tool, items, one, now)).values())
    entries = tuple(clean(str(one), exact=tool.exact) for one in raw)
    if "" in entries and not tool.exact:
        raise InvalidValue("has an empty entry; remove it")
    entries = tuple(in_form(parameter, one) for one in entries)
    for entry in entries if parameter.role == "expand" else ():
        if entry.count(".") >= _EXPAND_LEVELS:
            raise InvalidValue(f"can expand at most {_EXPAND_LEVELS} levels deep; got {shown(entry)}")
        if tool.is_list and not entry.startswith("data."):
            raise InvalidValue(f"expands fields of list items, which start with `data.`; write `data.{entry}`")
    return entries


def _listed(text: str) -> list[Any]:
    """The scalars in a text: a JSON list, or with commas or line breaks between them."""
    if text.lstrip().startswith("["):
        with suppress(NotJson):
            found: list[Any] = read_typed(text)
            return found
    return [one.strip() for one in re.split(r"[,\n]", text) if one.strip()]


def _object(tool: Tool, parameter: Parameter, raw: object, now: float) -> Value:
    if isinstance(raw, str) and is_text(raw) and parameter.open != "anything":
        raw = _parsed(raw, "a JSON object")
    if not isinstance(raw, Mapping) and parameter.open != "anything":
        raise InvalidValue(f"must be an object; got {shown(raw)}")
    if not isinstance(raw, Mapping) or (raw and not parameter.properties and parameter.items is None):
        return _any(raw, exact=tool.exact)
    absent = {one.name: _ABSENT for one in parameter.properties if one.required and one.name not in raw}
    given = {str(name): one for name, one in raw.items()} | absent
    return _each(given.items(), lambda name, one: _property(tool, parameter, name, one, now)) or empty_value(parameter)


def _property(tool: Tool, parameter: Parameter, name: str, raw: object, now: float) -> object:
    """A property's value; null means absent, unless the property accepts null."""
    one = parameter.property_named(name)
    if one is None and not parameter.open:
        names = [declared.name for declared in parameter.properties]
        raise InvalidValue(f"is not a property here{nearest(name, names)}; available: {', '.join(names)}")
    clean(name, exact=tool.exact)
    if one is None:
        return _any(raw, exact=tool.exact)
    takes_null = one.nullable or one.when_empty == "null" or one.type == "any"
    is_set = raw is not None and raw is not _ABSENT and raw is not NULL
    value = read(tool, one, raw, now) if is_set else None
    if one.when_empty == "null" and one.type != "any" and value in ("", (), {}):
        value = None
    if value is not None or (takes_null and raw is not _ABSENT):
        return value
    if one.required and not is_set:
        raise InvalidValue("is required")
    return _ABSENT


def _item(tool: Tool, parameter: Parameter, raw: object, now: float) -> Value:
    if raw is not None and raw is not NULL:
        return read(tool, parameter, raw, now)
    if parameter.nullable or parameter.type == "any" or parameter.open == "anything":
        return None
    raise InvalidValue("must have a value; got null")


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
    raise likely[0] if len(likely) == 1 else InvalidValue(f"must be one of: {_labels(parameter)}; got {shown(raw)}")


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
    if branch.type == "one_of":
        return any(_is_of_kind(inner, raw) for inner in branch.branches)
    return branch.type == "any" or branch.open == "anything" or _KINDS.get(branch.type, _is_number)(raw)


def _is_number(raw: object) -> bool:
    return isinstance(raw, int | float | Exact) and not isinstance(raw, bool)


_KINDS: Mapping[str, Callable[[object], bool]] = {
    "string": is_text,
    "boolean": lambda raw: isinstance(raw, bool),
    "array": lambda raw: isinstance(raw, list | tuple),
    "object": lambda raw: isinstance(raw, Mapping),
}


def _is_marked(branch: Parameter, raw: object) -> bool:
    """Whether a property with only one possible value marks an object as one of this branch."""
    marks = [one for one in branch.properties if one.enum and len(one.enum) == 1]
    return bool(marks) and isinstance(raw, Mapping) and all(raw.get(one.name) in (one.enum or ()) for one in marks)


def _labels(parameter: Parameter) -> str:
    return ", ".join(one.name for one in parameter.branches)


def _any(raw: object, *, exact: bool) -> Value:
    """A JSON value of any kind; its texts may have several lines, and its numbers keep their digits."""
    if depth_of(raw) > DEEPEST:
        raise InvalidValue(f"is nested more than {DEEPEST} deep")
    return _plain(raw, exact)


def _plain(raw: object, exact: bool, name: str = "") -> Value:
    clean(name, exact=exact)
    if isinstance(raw, Unreadable):
        raise InvalidValue(_not_json(raw))
    if isinstance(raw, Exact) and len(raw) > _LONGEST_NUMBER:
        raise InvalidValue(f"contains a number of {len(raw)} digits")
    if isinstance(raw, str):
        return raw if isinstance(raw, Exact) else clean(raw, lines=True, exact=exact)
    if isinstance(raw, float) and not isfinite(raw):
        raise InvalidValue(f"must be a finite number; got {raw!r}")
    if isinstance(raw, Mapping):
        named = ((str(name), one) for name, one in raw.items())
        return _each(named, lambda name, one: _plain(one, exact, name))
    if isinstance(raw, list | tuple):
        return tuple(_each(enumerate(raw), lambda _, one: _plain(one, exact)).values())
    if raw is None or isinstance(raw, int | float):
        return Exact(repr(raw)) if isinstance(raw, float) else raw
    raise InvalidValue(f"must be JSON; got {shown(raw)}")


# Text that contains JSON


def from_text(parameter: Parameter, text: str) -> object:
    """The value of a line typed for a parameter with JSON values.

    Text that is not JSON is a string if the parameter accepts strings, and `Unreadable` otherwise.
    """
    if not parameter.is_structured or not text.strip():
        return text
    try:
        value = read_typed(text)
    except NotJson:
        return text if _is_of_kind(parameter, text) else Unreadable(text)
    if value is None and parameter.nullable:
        return NULL
    return value if _is_of_kind(parameter, value) or not _is_of_kind(parameter, text) else text


def _parsed(text: str, wanted: str) -> object:
    try:
        return read_typed(text)
    except NotJson as error:
        raise InvalidValue(f"must be {wanted}; {error}") from None


def _not_json(text: str) -> str:
    """Why a text is not JSON, with line and column; if it is JSON of another kind, its value."""
    try:
        read_typed(text)
    except NotJson as error:
        return f"is not JSON: {error}"
    return f"is not JSON: got {shown(str(text))}"


def _check_field(parameter: Parameter, value: Value) -> None:
    """Refuse text that would end a header, start another one, or be misread (RFC 9110, 5.5; RFC 6265, 4.1.1)."""
    texts = value if isinstance(value, tuple) else (value,)
    for text in (str(one) for one in texts if isinstance(one, str) and one):
        if parameter.place == "cookie" and not parameter.reserved:
            continue  # it is percent-encoded
        if parameter.place == "cookie" and not _COOKIE.fullmatch(text):
            rule = 'must be letters, digits and signs other than space , ; " and \\ in a cookie'
            raise InvalidValue(f"{rule}; got {shown(text)}")
        if not _HEADER.fullmatch(text) or (isinstance(value, tuple) and "," in text):
            commas = ", or commas" if isinstance(value, tuple) else ""
            raise InvalidValue(f"must be ASCII text without spaces at its ends{commas}; got {shown(text)}")
