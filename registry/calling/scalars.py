"""Reads one raw value that is a string, a number or a boolean, as its type, format and bounds allow.

Codes of countries (ISO 3166-1 alpha-2) and currencies (ISO 4217, in active use) are in ``codes.json``, which is read on first
use: in upper and in lower case, as the services write them. Metals, funds, units of account and test codes are left out.
"""

import json
import operator
import os
import re
import stat
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Union

from registry.calling.times import InvalidValue, nearest, shown, value_of, zone_named, zones
from registry.catalog.model import Parameter, matcher
from registry.files.folders import check_reach
from registry.json_text import NUMBER, Exact, is_text

# Written with Union, because a type that names itself needs quotes.
Value = Union[str, int, bool, None, tuple["Value", ...], Mapping[str, "Value"]]  # noqa: UP007
"""A checked value: text, a whole number, a decimal number (`Exact`), a boolean, a list, an object; null only inside those.
At the top level, None means not given, and null is `NULL`."""

LARGEST_FILE = 50_000_000
"""The largest file that is sent, in bytes."""

_SURROGATE = "[\ud800-\udfff]"
_CONTROL = "[\x00-\x1f\x7f-\x9f\ud800-\udfff]"
_CONTROL_BUT_LINES = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
_WHOLE_NUMBER = re.compile(r"-?[0-9]+")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_DOMAIN = re.compile(r"(?=.{4,253}$)([^\W_]([\w-]{0,61}[^\W_])?\.)+[^\W\d_]([\w-]{0,61}[^\W_])?")
_WORD = re.compile(r"\S+")
_OBJECT_ID = re.compile(r"[a-z]+_[A-Za-z0-9]+")
_WHOLE_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})"
_YES_NO = {"true": True, "yes": True, "false": False, "no": False}
_MOST_DIGITS = 400  # above any bound, timestamp or sensible number; longer ones would only cost time


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
        most, size = LARGEST_FILE // 1_000_000, found.st_size / 1e6
        raise InvalidValue(f"must be a file of at most {most} MB; this one has {size:.0f} MB")
    return text


_FORMATS: dict[str, tuple[Callable[[str], str | None], str]] = {
    "time-zone": (zone_named, "must be an IANA time zone such as Europe/Berlin"),
    "country": (
        lambda text: text.upper() if text.upper() in countries() else None,
        "must be a two-letter country code (ISO 3166-1) such as DE",
    ),
    "currency": (
        lambda text: text.lower() if text.lower() in currencies() else None,
        "must be a three-letter currency code (ISO 4217) such as eur",
    ),
    "email": (
        lambda text: text if EMAIL.fullmatch(text) else None,
        "must be an email address such as ada@fernway.example",
    ),
    "domain": (
        lambda text: text if _DOMAIN.fullmatch(text) else None,
        "must be a domain name such as shop.example, without https:// and without a path",
    ),
    "digits": (
        lambda text: text if text.isascii() and text.isdigit() else None,
        "must be an id of digits only, such as 20804837",
    ),
    "token": (
        lambda text: bare if _WORD.fullmatch(bare := text.removeprefix("#")) else None,  # numbers are shown as #4062
        "must be one word, without spaces",
    ),
    "file": (_file, ""),
}
"""By format: the value that is sent for a text, None if it is not valid; and the rule."""


def read_boolean(raw: object) -> bool:
    """The boolean that a value is or says; `InvalidValue` if it is none."""
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and (value := _YES_NO.get(raw.strip().lower())) is not None:
        return value
    raise InvalidValue(f"must be true or false; got {shown(raw)}")


def empty_value(parameter: Parameter) -> Value:
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
    # A printable text has no forbidden character: most values need no pattern.
    found = None if text.isprintable() else re.search(_SURROGATE if exact else _CONTROL_BUT_LINES if lines else _CONTROL, text)
    if found is None:
        return text
    what = "half a surrogate pair" if exact else "a control character"
    raise InvalidValue(f"contains {what} at position {found.start() + 1} (U+{ord(found[0]):04X}); remove it")


def read_number(parameter: Parameter, raw: object) -> int | Exact:
    """A number within its bounds: a whole one, or a decimal one with the digits as given; `InvalidValue` for others."""
    is_whole = parameter.type == "integer"
    # The declared bounds: each in words, as a comparison, and its value.
    known: tuple[tuple[str, Callable[[Decimal, Decimal], bool], float | None], ...] = (
        ("above {}", operator.gt, parameter.above),
        ("below {}", operator.lt, parameter.below),
        ("of {} or more", operator.ge, parameter.minimum),
        ("of {} or less", operator.le, parameter.maximum),
    )
    limits = [(words, holds, bound) for words, holds, bound in known if bound is not None]
    bounds = " and ".join(words.format(bound) for words, _, bound in limits)
    if parameter.minimum is not None and parameter.maximum is not None:
        bounds = f"from {parameter.minimum} to {parameter.maximum}"
    wanted = f"must be a {'whole number' if is_whole else 'number'} {bounds}".rstrip()
    text = (repr(raw) if isinstance(raw, float) else str(raw)).strip().removeprefix("+")
    if not (_WHOLE_NUMBER if is_whole else NUMBER).fullmatch(text):
        raise InvalidValue(f"{wanted}; got {shown(raw)}")
    try:
        number = Decimal(text) if len(text) <= _MOST_DIGITS else None
    except InvalidOperation:
        number = None  # an exponent out of range
    if number is None or not all(holds(number, Decimal(str(bound))) for _, holds, bound in limits):
        raise InvalidValue(f"{wanted}; got {shown(text, quoted=False)}")
    if parameter.enum and not any(number == Decimal(one) for one in parameter.enum):
        raise InvalidValue(f"must be {_alternatives(parameter.enum)}; got {shown(text, quoted=False)}")
    return int(text) if is_whole else Exact(text)


def read_string(parameter: Parameter, raw: object, *, exact: bool) -> Value:
    """A text as it is sent, or None if it is empty and left out; `InvalidValue` for others. `exact` is as `Tool.exact`."""
    if not isinstance(raw, str) or not is_text(raw):
        raise InvalidValue(f"must be text; got {shown(raw)}")
    is_free = parameter.format in (None, "multiline") and not parameter.enum
    exact = exact and is_free
    text = clean(raw, lines=parameter.format == "multiline", exact=exact)
    if not is_free or (not exact and parameter.role in ("id", "cursor_before", "cursor_after")):
        text = text.strip(" ")
    if not text:
        return empty_value(parameter)
    if parameter.enum:
        # As the caller or as the service writes it, in any case.
        values = parameter.enum
        pairs = list(zip(parameter.wire_enum or values, values, strict=True))
        spoken = {written.lower(): pair[1] for pair in reversed(pairs) for written in pair}
        found = text if text in values else spoken.get(text.lower())
        if found is None:
            raise InvalidValue(f"must be {_alternatives(values)}; got {shown(text)}{nearest(text, values)}")
        return found
    low, high = parameter.min_length, parameter.max_length
    if (low is not None and len(text) < low) or (high is not None and len(text) > high):
        rule = f"least {low}" if low is not None and len(text) < low else f"most {high}"
        raise InvalidValue(f"must have at {rule} characters; got {len(text)}")
    if parameter.pattern is not None and not matcher(parameter.pattern)(text):
        raise InvalidValue(f"must be text that matches {shown(parameter.pattern, quoted=False)}; got {shown(text)}")
    return in_form(parameter, text)


def in_form(parameter: Parameter, text: str) -> str:
    """A text as it is sent, if it has the form that the parameter's format says.

    Raises:
        InvalidValue: it has another one; the message is the rule.
    """
    value_in, rule = _FORMATS.get(parameter.format or "", (str, ""))
    if parameter.refers_to and parameter.format == "domain" and _OBJECT_ID.fullmatch(text):
        return text  # the id of the object with the domain
    if (value := value_in(text)) is None:
        known = zones() if parameter.format == "time-zone" else ()
        raise InvalidValue(f"{rule}; got {shown(text)}{nearest(text, known)}")
    return value


def read_time(parameter: Parameter, raw: object, now: float, *, exact: bool) -> Value:
    """A time as it is sent, in UTC; a number of seconds is accepted if the service counts in seconds.

    If `exact`, a complete ISO 8601 time keeps its offset and its digits: to a calendar they mean more than the moment.
    """
    if parameter.type == "integer" and (not isinstance(raw, str) or _WHOLE_NUMBER.fullmatch(raw.strip().removeprefix("+"))):
        return read_number(parameter, raw)
    if not isinstance(raw, str) or not is_text(raw):
        raise InvalidValue(f"must be text; got {shown(raw)}")
    text = clean(raw).strip(" ")
    if not text:
        return empty_value(parameter)
    value = value_of(parameter, text, now)
    if parameter.type == "integer":
        return read_number(parameter, value)
    return text if exact and re.fullmatch(_WHOLE_TIME, text) else value


def _alternatives(values: tuple[str, ...]) -> str:
    """Values as a phrase: ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(values[:-1]), values[-1])))


def countries() -> Mapping[str, str]:
    """The names of countries by their two-letter codes."""
    return _codes()["countries"]


def currencies() -> Mapping[str, str]:
    """The names of currencies by their three-letter codes."""
    return _codes()["currencies"]


@cache
def _codes() -> dict[str, dict[str, str]]:
    codes: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("codes.json").read_text("utf-8"))
    return codes
