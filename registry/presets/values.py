"""One argument between a field and JSON, both ways and exactly.

A field holds text or a list of texts; JSON has numbers, words and texts. What a field cannot hold is refused with its rule,
never bent. What a field can hold and the service would not take passes: the form says what is wrong with it.
"""

from __future__ import annotations

import json
import re

from registry.calling.invalid_value import InvalidValue
from registry.calling.values import read
from registry.catalog.model import Parameter, Tool
from registry.connections.secrets import MASK
from registry.display.safe_text import shortened, visible_json, visible_line

Raw = str | list[str]
"""What a field holds."""

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WIDE, _SHOWN = 76, 40
# Times in words stay words; nothing that is read here depends on when that happens.
_NO_TIME = 0.0


class Exact(str):
    """A JSON number as it is written: ``1.10`` stays ``1.10``, whatever its length."""

    __slots__ = ()


def raw_of(value: object) -> Raw | None:
    """A value of any kind as a field holds it: a typed argument, or what a field gave; None stays none."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return [str(entry) for entry in value]
    return str(value)


def from_json(tool: Tool, parameter: Parameter, value: object) -> Raw | None:
    """A JSON value, numbers as `Exact`, as the parameter's field holds it; None for null, which is not set.

    Raises:
        InvalidValue: the field cannot hold it.
    """
    if value is None:
        return None
    if parameter.type == "boolean":
        if not isinstance(value, str | bool) or isinstance(value, Exact) or value == "":
            raise InvalidValue(f"takes true or false; got {_told(value)}")
        return raw_of(read(tool, parameter, value, _NO_TIME))
    if parameter.type == "array":
        return _list(value)
    if parameter.type == "integer":
        if isinstance(value, str):
            return str(value)
        raise InvalidValue(f"takes a whole number; got {_told(value)}")
    if not isinstance(value, str) or isinstance(value, Exact):
        raise InvalidValue(
            f"takes text; got {_told(value)}" + ('. Write it in quotes: "…"' if isinstance(value, Exact) else "")
        )
    if not parameter.enum:
        return value
    if not value:
        raise InvalidValue("has no empty value; give one of its values, or leave it out")
    return str(read(tool, parameter, value, _NO_TIME))


def token(parameter: Parameter, raw: Raw) -> str:
    """What a field holds, as JSON text that no terminal obeys; a secret as a mask."""
    if parameter.role == "secret":
        return json.dumps(MASK, ensure_ascii=False)
    if isinstance(raw, list):
        entries = [_quoted(entry) for entry in raw]
        line = f"[{', '.join(entries)}]"
        return line if len(line) <= _WIDE else "[\n    " + ",\n    ".join(entries) + "\n  ]"
    if (parameter.type == "integer" and _NUMBER.fullmatch(raw)) or (parameter.type == "boolean" and raw in ("true", "false")):
        return raw
    return _quoted(raw)


def _list(value: object) -> Raw:
    """A list of texts; a text is one whose entries are separated by commas, as in the field."""
    if isinstance(value, str) and not isinstance(value, Exact):
        # Commas alone name nothing, and must not pass for a list that is empty on purpose.
        return [part for part in (part.strip() for part in value.split(",")) if part] or value or []
    if isinstance(value, list) and all(isinstance(entry, str) and not isinstance(entry, Exact) for entry in value):
        return value
    raise InvalidValue(f"takes a list of texts in double quotes; got {_told(value)}")


def _quoted(text: str) -> str:
    return visible_json(json.dumps(text, ensure_ascii=False))


def _told(value: object) -> str:
    """A value for a message, on one line and not too long."""
    if isinstance(value, Exact):
        return shortened(value, _SHOWN)
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return shortened(f"[{', '.join(_told(entry) for entry in value[:_SHOWN])}]", _SHOWN)
    return shortened(visible_line(json.dumps(value, ensure_ascii=False)), _SHOWN)
