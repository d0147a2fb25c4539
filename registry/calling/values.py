"""Reading one raw value as its parameter's type, format and bounds allow."""

from __future__ import annotations

import re

from registry.calling.invalid_value import InvalidValue, nearest, shown
from registry.calling.zones import zone_named, zones
from registry.catalog.model import Parameter, Tool

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_YES_NO = {"true": True, "yes": True, "false": False, "no": False}
_EXPAND_LEVELS = 4


def read(tool: Tool, parameter: Parameter, raw: object, now: float) -> str | int | bool | tuple[str, ...] | None:
    """The value as it is sent, or None when it is empty and then left out; `now` is the present in Unix seconds.

    Raises:
        InvalidValue: the parameter does not take this value.
    """
    if raw in ("", [], ()):
        return _empty(parameter)
    if parameter.format in ("date-time", "unix-minute"):
        return _time(parameter, raw, now)
    match parameter.type:
        case "integer":
            return _integer(parameter, raw)
        case "boolean":
            return _boolean(raw)
        case "array":
            return _array(tool, parameter, raw)
        case _:
            return _string(parameter, raw)


def _empty(parameter: Parameter) -> str | tuple[str, ...] | None:
    if parameter.when_empty == "omit" or (parameter.role == "expand"):
        return None
    if parameter.when_empty == "send":
        return () if parameter.type == "array" else ""
    if parameter.required:
        raise InvalidValue("is empty but required; give a value")
    if parameter.type == "array":
        raise InvalidValue("is an empty list; name at least one, or leave it out")
    raise InvalidValue("is empty; give a value, or leave it out")


def _integer(parameter: Parameter, raw: object) -> int:
    low, high = parameter.minimum, parameter.maximum
    wanted = "takes a whole number"
    if low is not None and high is not None:
        wanted += f" from {low} to {high}"
    elif low is not None:
        wanted += f" of {low} or more"
    text = raw.strip() if isinstance(raw, str) else str(raw)
    if isinstance(raw, bool) or not isinstance(raw, int | str) or not _WHOLE_NUMBER.fullmatch(text):
        raise InvalidValue(f"{wanted}; got {shown(raw)}")
    # More digits than any bound or timestamp has; turning them into a number would only cost time.
    number = int(text) if len(text) <= 20 else None
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise InvalidValue(f"{wanted}; got {shown(text, quoted=False)}")
    return number


def _boolean(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and (value := _YES_NO.get(raw.strip().lower())) is not None:
        return value
    raise InvalidValue(f"takes true or false; got {shown(raw)}")


def _array(tool: Tool, parameter: Parameter, raw: object) -> tuple[str, ...]:
    if isinstance(raw, str):
        raw = [part.strip() for part in re.split(r"[,\n]", raw)]
        raw = [part for part in raw if part]
    if not isinstance(raw, list | tuple) or not all(isinstance(part, str) for part in raw):
        raise InvalidValue(f"takes a list of strings; got {shown(raw)}")
    if not raw:
        raise InvalidValue("is an empty list; name at least one, or leave it out")
    entries = tuple(_clean(part) for part in raw)
    if "" in entries:
        raise InvalidValue("has an empty entry; take it out")
    if parameter.role == "expand":
        for entry in entries:
            _check_expand(tool, entry)
    return entries


def _check_expand(tool: Tool, entry: str) -> None:
    if entry.count(".") >= _EXPAND_LEVELS:
        raise InvalidValue(f"takes fields of at most {_EXPAND_LEVELS} levels; got {shown(entry)}")
    if tool.returns.kind in ("list", "search_result") and not entry.startswith("data.") and entry != "total_count":
        raise InvalidValue(f"takes fields of the list's items, which start with `data.`; write `data.{entry}`")


def _string(parameter: Parameter, raw: object) -> str:
    if not isinstance(raw, str):
        raise InvalidValue(f"takes text; got {shown(raw)}")
    text = _clean(raw)
    if parameter.role in ("id", "cursor_before", "cursor_after") or parameter.format is not None or parameter.enum:
        text = text.strip(" ")
    if not text:
        value = _empty(parameter)
        return value if isinstance(value, str) else ""
    if parameter.place == "path" and text in (".", ".."):
        raise InvalidValue(f"takes an id; {shown(text)} would be a step in the path")
    if parameter.enum:
        return _choice(parameter, text)
    match parameter.format:
        case "time-zone":
            return _zone(text)
        case "country":
            return _country(text)
        case "currency":
            return _currency(text)
        case "email":
            return _email(text)
    return text


def _clean(text: str) -> str:
    if found := _CONTROL.search(text):
        raise InvalidValue(f"has a control character at place {found.start() + 1} (U+{ord(found.group()):04X}); take it out")
    return text


def _choice(parameter: Parameter, text: str) -> str:
    values = parameter.enum or ()
    if text in values:
        return text
    for value in values:
        if text.lower() in (value.lower(), parameter.on_wire(value).lower()):
            return value
    raise InvalidValue(f"takes {_alternatives(values)}; got {shown(text)}{nearest(text, values)}")


def _time(parameter: Parameter, raw: object, now: float) -> str | int:
    """A time as it is sent; a number of seconds may stand for itself where the service counts them."""
    is_number = isinstance(raw, int) or (isinstance(raw, str) and _WHOLE_NUMBER.fullmatch(raw.strip()))
    if parameter.type == "integer" and (is_number or not isinstance(raw, str)):
        return _integer(parameter, raw)
    if not isinstance(raw, str):
        raise InvalidValue(f"takes text; got {shown(raw)}")
    text = _clean(raw).strip(" ")
    if not text:
        _empty(parameter)
    from registry.calling.times import value_of  # 5 ms that only a time needs

    value = value_of(parameter, text, now)
    return _integer(parameter, value) if parameter.type == "integer" else value


def _zone(text: str) -> str:
    name = zone_named(text)
    if name is None:
        raise InvalidValue(f"takes an IANA time zone such as Europe/Berlin; got {shown(text)}{nearest(text, zones())}")
    return name


def _country(text: str) -> str:
    from registry.catalog.codes import countries  # a file that only a country needs

    if text.upper() in countries():
        return text.upper()
    raise InvalidValue(f"takes a two-letter country code (ISO 3166-1) such as DE; got {shown(text)}")


def _currency(text: str) -> str:
    if len(text) == 3 and text.isascii() and text.isalpha():
        return text.lower()
    raise InvalidValue(f"takes a three-letter currency code such as eur; got {shown(text)}")


def _email(text: str) -> str:
    if _EMAIL.fullmatch(text):
        return text
    raise InvalidValue(f"takes an e-mail address such as ada@fernway.example; got {shown(text)}")


def _alternatives(values: tuple[str, ...]) -> str:
    if len(values) == 1:
        return f"only {values[0]}"
    return f"{', '.join(values[:-1])} or {values[-1]}"
