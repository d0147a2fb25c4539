"""Reads one raw value that is a string, a number or a boolean, as its type, format and bounds allow."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from registry.calling.invalid_value import InvalidValue, nearest, shown
from registry.calling.times import value_of, zone_named, zones
from registry.catalog.codes import countries
from registry.catalog.model import Parameter
from registry.catalog.parameter_rules import matcher
from registry.files.served import check_reach
from registry.json_text.values import NUMBER, Exact, is_text

LARGEST_FILE = 50_000_000
"""The largest file that is sent, in bytes."""

Empty = str | tuple[()] | Mapping[str, object]

# Compiled on first use: most values need none of them.
_CONTROL = "[\x00-\x1f\x7f-\x9f\ud800-\udfff]"
_SURROGATE = "[\ud800-\udfff]"
_CONTROL_BUT_LINES = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_WHOLE_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})"
_YES_NO = {"true": True, "yes": True, "false": False, "no": False}
# The most digits of a number: above any bound, timestamp or sensible number, longer ones would only cost time.
_LONGEST_INTEGER, _LONGEST_NUMBER = 20, 400


def read_scalar(parameter: Parameter, raw: object, now: float, *, exact: bool = False) -> str | int | bool:
    """The value as it is sent.

    Args:
        parameter: the parameter of the value.
        raw: the value.
        now: the current time in Unix seconds.
        exact: as `Tool.exact`.

    Raises:
        InvalidValue: the parameter does not accept the value.
    """
    if parameter.format in ("date-time", "unix-minute"):
        return _time(parameter, raw, now, exact=exact)
    match parameter.type:
        case "integer":
            return _integer(parameter, raw, _LONGEST_NUMBER if exact else _LONGEST_INTEGER)
        case "number":
            return _number(parameter, raw)
        case "boolean":
            return _boolean(raw)
        case _:
            return _string(parameter, raw, exact=exact)


def empty_value(parameter: Parameter) -> Empty | None:
    """What is sent for an empty value; None if it is left out.

    Raises:
        InvalidValue: the parameter does not accept an empty value.
    """
    if parameter.when_empty == "omit" or parameter.role == "expand":
        return None
    if parameter.when_empty in ("send", "null"):
        return () if parameter.type == "array" else {} if parameter.type == "object" else ""
    if parameter.required:
        raise InvalidValue("is required but empty; enter a value")
    if parameter.type == "array":
        raise InvalidValue("cannot be an empty list; add an item, or leave it not set")
    raise InvalidValue("cannot be empty; enter a value, or leave it not set")


def clean(text: str, *, lines: bool = False, exact: bool = False) -> str:
    """The text, if it has no control characters. `lines` allows line breaks and tabs, `exact` everything that UTF-8 can hold.

    Raises:
        InvalidValue: it has a forbidden control character, or a lone surrogate, which no encoding can hold.
    """
    if text.isprintable():  # so it has no forbidden character
        return text
    if exact:
        if (half := re.search(_SURROGATE, text)) is not None:
            raise InvalidValue(
                f"contains half a surrogate pair at position {half.start() + 1}, which cannot be sent; remove it"
            )
        return text
    if found := re.search(_CONTROL_BUT_LINES if lines else _CONTROL, text):
        raise InvalidValue(
            f"contains a control character at position {found.start() + 1} (U+{ord(found.group()):04X}); remove it"
        )
    return text


def _bounds(parameter: Parameter, kind: str) -> str:
    low, high = parameter.minimum, parameter.maximum
    wanted = f"must be a {kind}"
    if parameter.above is not None:
        wanted += f" above {parameter.above}"
    if parameter.below is not None:
        wanted += f"{' and' if parameter.above is not None else ''} below {parameter.below}"
    if low is not None and high is not None:
        return f"{wanted} from {low} to {high}"
    if low is not None:
        return f"{wanted} of {low} or more"
    return wanted if high is None else f"{wanted} of {high} or less"


def _integer(parameter: Parameter, raw: object, longest: int = _LONGEST_INTEGER) -> int:
    wanted = _bounds(parameter, "whole number")
    text = raw.strip() if isinstance(raw, str) else str(raw)
    if isinstance(raw, bool) or not isinstance(raw, int | str) or not _WHOLE_NUMBER.fullmatch(text):
        raise InvalidValue(f"{wanted}; got {shown(raw)}")
    number = int(text) if len(text) <= longest else None
    if number is None or _is_outside(parameter, Decimal(number)):
        raise InvalidValue(f"{wanted}; got {shown(text, quoted=False)}")
    if parameter.enum and str(number) not in parameter.enum:
        raise InvalidValue(f"must be {alternatives(parameter.enum)}; got {shown(text, quoted=False)}")
    return number


def _number(parameter: Parameter, raw: object) -> Exact:
    """A decimal number, with the digits as given."""
    wanted = _bounds(parameter, "number")
    text = repr(raw) if isinstance(raw, float) else str(raw).strip().removeprefix("+")
    if isinstance(raw, bool) or not isinstance(raw, int | float | str | Decimal) or not NUMBER.fullmatch(text):
        raise InvalidValue(f"{wanted}; got {shown(raw)}")
    try:
        number = Decimal(text) if len(text) <= _LONGEST_NUMBER else None
    except InvalidOperation:
        number = None  # an exponent out of range
    if number is None or _is_outside(parameter, number):
        raise InvalidValue(f"{wanted}; got {shown(text, quoted=False)}")
    if parameter.enum and not any(number == Decimal(one) for one in parameter.enum):
        raise InvalidValue(f"must be {alternatives(parameter.enum)}; got {shown(text, quoted=False)}")
    return Exact(text)


def _is_outside(parameter: Parameter, number: Decimal) -> bool:
    """Whether a number breaks one of the parameter's bounds."""
    bounds = (parameter.minimum, parameter.maximum, parameter.above, parameter.below)
    low, high, above, below = (None if one is None else Decimal(str(one)) for one in bounds)
    return (
        (low is not None and number < low)
        or (high is not None and number > high)
        or (above is not None and number <= above)
        or (below is not None and number >= below)
    )


def _boolean(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and (value := _YES_NO.get(raw.strip().lower())) is not None:
        return value
    raise InvalidValue(f"must be true or false; got {shown(raw)}")


def _string(parameter: Parameter, raw: object, *, exact: bool) -> str:
    if not isinstance(raw, str) or not is_text(raw):
        raise InvalidValue(f"must be text; got {shown(raw)}")
    exact = exact and parameter.format in (None, "multiline") and not parameter.enum
    text = clean(raw, lines=parameter.format == "multiline", exact=exact)
    strips = parameter.format not in (None, "multiline") or bool(parameter.enum)
    if not exact and (strips or parameter.role in ("id", "cursor_before", "cursor_after")):
        text = text.strip(" ")
    if not text:
        value = empty_value(parameter)
        return value if isinstance(value, str) else ""
    if parameter.enum:
        return _choice(parameter, text)
    _check_length(parameter, text)
    if parameter.pattern is not None:
        _match(parameter.pattern, text)
    match parameter.format:
        case "time-zone":
            return _zone(text)
        case "country":
            return _country(text)
        case "currency":
            return _currency(text)
        case "email":
            return _email(text)
        case "file":
            return _file(text)
    return text


def _check_length(parameter: Parameter, text: str) -> None:
    low, high = parameter.min_length, parameter.max_length
    if low is not None and len(text) < low:
        raise InvalidValue(f"must have at least {low} characters; got {len(text)}")
    if high is not None and len(text) > high:
        raise InvalidValue(f"must have at most {high} characters; got {len(text)}")


def _match(pattern: str, text: str) -> None:
    if not matcher(pattern)(text):
        raise InvalidValue(f"must be text that matches {shown(pattern, quoted=False)}; got {shown(text)}")


def _file(text: str) -> str:
    """The path of a file that can be sent, as given; the file is read when the request is built."""
    path = os.path.expanduser(text)
    try:
        check_reach(path)
        found = os.stat(path)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "is not a path"
        raise InvalidValue(f"must be the path of a file; {shown(text)}: {why}") from None
    if not stat.S_ISREG(found.st_mode):
        raise InvalidValue(f"must be the path of a file; {shown(text)} is not a file")
    if found.st_size > LARGEST_FILE:
        raise InvalidValue(
            f"must be a file of at most {LARGEST_FILE // 1_000_000} MB; this one has {found.st_size / 1e6:.0f} MB"
        )
    return text


def _choice(parameter: Parameter, text: str) -> str:
    values = parameter.enum or ()
    if text in values:
        return text
    for value in values:
        if text.lower() in (value.lower(), parameter.on_wire(value).lower()):
            return value
    raise InvalidValue(f"must be {alternatives(values)}; got {shown(text)}{nearest(text, values)}")


def _time(parameter: Parameter, raw: object, now: float, *, exact: bool) -> str | int:
    """A time as it is sent, in UTC; a number of seconds is accepted if the service counts in seconds.

    If `exact`, a complete ISO 8601 time keeps its offset and its digits: to a calendar they mean more than the moment.
    """
    is_number = isinstance(raw, int) or (isinstance(raw, str) and _WHOLE_NUMBER.fullmatch(raw.strip()))
    if parameter.type == "integer" and (is_number or not isinstance(raw, str)):
        return _integer(parameter, raw)
    if not isinstance(raw, str) or not is_text(raw):
        raise InvalidValue(f"must be text; got {shown(raw)}")
    text = clean(raw).strip(" ")
    if not text:
        empty_value(parameter)

    value = value_of(parameter, text, now)
    if parameter.type == "integer":
        return _integer(parameter, value)
    return text if exact and re.fullmatch(_WHOLE_TIME, text) else value


def _zone(text: str) -> str:
    name = zone_named(text)
    if name is None:
        raise InvalidValue(f"must be an IANA time zone such as Europe/Berlin; got {shown(text)}{nearest(text, zones())}")
    return name


def _country(text: str) -> str:
    if text.upper() in countries():
        return text.upper()
    raise InvalidValue(f"must be a two-letter country code (ISO 3166-1) such as DE; got {shown(text)}")


def _currency(text: str) -> str:
    if len(text) == 3 and text.isascii() and text.isalpha():
        return text.lower()
    raise InvalidValue(f"must be a three-letter currency code such as eur; got {shown(text)}")


def _email(text: str) -> str:
    if _EMAIL.fullmatch(text):
        return text
    raise InvalidValue(f"must be an email address such as ada@fernway.example; got {shown(text)}")


def alternatives(values: tuple[str, ...]) -> str:
    """Values as a phrase: ``a, b or c``."""
    if len(values) == 1:
        return values[0]
    return f"{', '.join(values[:-1])} or {values[-1]}"
