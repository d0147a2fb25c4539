"""Reading one raw value as its parameter's type, format and bounds allow."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import cache

from registry.catalog.model import Parameter, Tool

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_YES_NO = {"true": True, "yes": True, "false": False, "no": False}
_EXPAND_LEVELS = 4


class Refused(ValueError):
    """A value that its parameter does not take; the text says the rule, what was got, and the way out."""


def read(tool: Tool, parameter: Parameter, raw: object) -> str | int | bool | tuple[str, ...] | None:
    """The value as it is sent, or None when it is empty and then left out.

    Raises:
        Refused: the parameter does not take this value.
    """
    if raw in ("", [], ()):
        return _empty(parameter)
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
        raise Refused("is empty but required; give a value")
    if parameter.type == "array":
        raise Refused("is an empty list; name at least one, or leave it out")
    raise Refused("is empty; give a value, or leave it out")


def _integer(parameter: Parameter, raw: object) -> int:
    low, high = parameter.minimum, parameter.maximum
    wanted = "takes a whole number"
    if low is not None and high is not None:
        wanted += f" from {low} to {high}"
    elif low is not None:
        wanted += f" of {low} or more"
    text = raw.strip() if isinstance(raw, str) else str(raw)
    if isinstance(raw, bool) or not isinstance(raw, int | str) or not _WHOLE_NUMBER.fullmatch(text):
        raise Refused(f"{wanted}; got {_shown(raw)}")
    # More digits than any bound or timestamp has; turning them into a number would only cost time.
    number = int(text) if len(text) <= 20 else None
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        raise Refused(f"{wanted}; got {_shown(text, quoted=False)}")
    return number


def _boolean(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str) and (value := _YES_NO.get(raw.strip().lower())) is not None:
        return value
    raise Refused(f"takes true or false; got {_shown(raw)}")


def _array(tool: Tool, parameter: Parameter, raw: object) -> tuple[str, ...]:
    if isinstance(raw, str):
        raw = [part.strip() for part in re.split(r"[,\n]", raw)]
        raw = [part for part in raw if part]
    if not isinstance(raw, list | tuple) or not all(isinstance(part, str) for part in raw):
        raise Refused(f"takes a list of strings; got {_shown(raw)}")
    if not raw:
        raise Refused("is an empty list; name at least one, or leave it out")
    entries = tuple(_clean(part) for part in raw)
    if "" in entries:
        raise Refused("has an empty entry; take it out")
    if parameter.role == "expand":
        for entry in entries:
            _check_expand(tool, entry)
    return entries


def _check_expand(tool: Tool, entry: str) -> None:
    if entry.count(".") >= _EXPAND_LEVELS:
        raise Refused(f"takes fields of at most {_EXPAND_LEVELS} levels; got {_shown(entry)}")
    if tool.returns.kind in ("list", "search_result") and not entry.startswith("data.") and entry != "total_count":
        raise Refused(f"takes fields of the list's items, which start with `data.`; write `data.{entry}`")


def _string(parameter: Parameter, raw: object) -> str:
    if not isinstance(raw, str):
        raise Refused(f"takes text; got {_shown(raw)}")
    text = _clean(raw)
    if parameter.role in ("id", "cursor_before", "cursor_after") or parameter.format is not None or parameter.enum:
        text = text.strip(" ")
    if not text:
        value = _empty(parameter)
        return value if isinstance(value, str) else ""
    if parameter.place == "path" and text in (".", ".."):
        raise Refused(f"takes an id; {_shown(text)} would be a step in the path")
    if parameter.enum:
        return _choice(parameter, text)
    match parameter.format:
        case "date-time":
            return _moment(text)
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
        raise Refused(f"has a control character at place {found.start() + 1} (U+{ord(found.group()):04X}); take it out")
    return text


def _choice(parameter: Parameter, text: str) -> str:
    values = parameter.enum or ()
    if text in values:
        return text
    for value in values:
        if text.lower() in (value.lower(), parameter.on_wire(value).lower()):
            return value
    raise Refused(f"takes {_alternatives(values)}; got {_shown(text)}{_nearest(text, values)}")


def _moment(text: str) -> str:
    """A time as ISO 8601 in UTC; a time without an offset is in UTC already."""
    try:
        moment = datetime.fromisoformat(text.upper() if text[:1].isdigit() else text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        message = f"takes a date and time in ISO 8601, such as 2026-03-01T09:00Z or 2026-03-01T10:00+01:00; got {_shown(text)}"
        raise Refused(message) from None
    return moment.isoformat().replace("+00:00", "Z")


def _zone(text: str) -> str:
    if text in zones():
        return text
    for zone in zones():
        if zone.lower() == text.lower():
            return zone
    raise Refused(f"takes an IANA time zone such as Europe/Berlin; got {_shown(text)}{_nearest(text, zones())}")


@cache
def zones() -> tuple[str, ...]:
    """The names of all IANA time zones."""
    from importlib import resources  # 4 ms that only a zone needs

    return tuple(resources.files("tzdata").joinpath("zones").read_text("utf-8").split())


def _country(text: str) -> str:
    import pycountry  # 40 ms that only a country needs

    if len(text) == 2 and pycountry.countries.get(alpha_2=text.upper()):
        return text.upper()
    raise Refused(f"takes a two-letter country code (ISO 3166-1) such as DE; got {_shown(text)}")


def _currency(text: str) -> str:
    if len(text) == 3 and text.isascii() and text.isalpha():
        return text.lower()
    raise Refused(f"takes a three-letter currency code such as eur; got {_shown(text)}")


def _email(text: str) -> str:
    if _EMAIL.fullmatch(text):
        return text
    raise Refused(f"takes an e-mail address such as ada@fernway.example; got {_shown(text)}")


def _nearest(text: str, known: tuple[str, ...]) -> str:
    import difflib  # only a mistake needs it

    nearest = difflib.get_close_matches(text, known, n=1)
    return f"; the nearest is {nearest[0]}" if nearest else ""


def _alternatives(values: tuple[str, ...]) -> str:
    if len(values) == 1:
        return f"only {values[0]}"
    return f"{', '.join(values[:-1])} or {values[-1]}"


def _shown(raw: object, *, quoted: bool = True) -> str:
    """A value for an error message: as JSON where possible, cut to a readable length."""
    text = json.dumps(raw, ensure_ascii=False, default=str) if quoted else str(raw)
    return text if len(text) <= 60 else text[:57] + "…"
