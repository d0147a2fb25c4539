"""Converts one argument between a field and JSON, exactly.

A field holds text or a list of texts, or JSON values if its parameter takes objects and other structures; JSON has numbers,
booleans, null and texts. A value that a field cannot hold is refused with the rule, never changed. A value that a field can
hold but the service would refuse is kept: the form shows the error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from registry.accounts.secrets import MASK
from registry.calling.invalid_value import InvalidValue
from registry.calling.values import read
from registry.catalog.model import Parameter, Tool
from registry.json_text.values import DEEPEST, NULL, NUMBER, Exact, Unreadable, depth_of, dumps, is_null, is_text, json_value
from registry.text.safe_text import exact_json, shortened, visible_line

Raw = str | bool | list[Any] | dict[str, Any]
"""A field's value: text, or texts; for a structured parameter JSON values, with numbers as `Exact`; or `NULL`."""

_WIDE, _SHOWN = 76, 40
# Times in words stay words, so the current time does not matter here.
_NO_TIME = 0.0


def raw_of(parameter: Parameter, value: object) -> Raw | None:
    """A typed argument or a field's value, as the parameter's field holds it; None stays None."""
    if value is None or is_null(value):
        return None if value is None else NULL
    if parameter.is_structured:
        plain = json_value(value)
        return plain if isinstance(plain, str | bool | list | dict) else Exact(plain)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return [_scalar_text(entry) for entry in value]
    return _scalar_text(value)


def raw_given(parameter: Parameter, value: object) -> Raw | None:
    """A given value, as its parameter's field holds it: None means null if the parameter takes null."""
    return NULL if value is None and parameter.nullable else raw_of(parameter, value)


def raw_in(parameter: Parameter, given: Mapping[str, object]) -> Raw | None:
    """A parameter's value among given ones, as its field holds it; None if it is not given, or null that it does not take."""
    return raw_given(parameter, given[parameter.name]) if parameter.name in given else None


def held_in(tool: Tool, given: Mapping[str, object]) -> dict[str, Raw]:
    """The values of a form's fields for given arguments, for those that are set."""
    return {one.name: raw for one in tool.parameters if (raw := raw_in(one, given)) is not None}


def from_json(tool: Tool, parameter: Parameter, value: object) -> Raw | None:
    """A JSON value, numbers as `Exact`, as the parameter's field holds it; None (not set) for null if it takes no null.

    Raises:
        InvalidValue: the field cannot hold it.
    """
    if value is None:
        return NULL if parameter.nullable else None
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
        raise InvalidValue(
            f"must be text; got {_shown(value)}" + ('. Write it in quotes: "…"' if isinstance(value, Exact) else "")
        )
    if not parameter.enum:
        return value
    if not value:
        raise InvalidValue("cannot be empty; choose one of its values, or leave it out")
    return str(read(tool, parameter, value, _NO_TIME))


def token(parameter: Parameter, raw: Raw) -> str:
    """A field's value as JSON text without control characters; a secret as a mask."""
    if parameter.role == "secret":
        return json.dumps(MASK, ensure_ascii=False)
    if is_null(raw):
        return str(NULL)
    if parameter.is_structured:
        line = exact_json(dumps(raw))
        return line if len(line) <= _WIDE else exact_json(dumps(raw, indent=2)).replace("\n", "\n  ")
    if isinstance(raw, list):
        entries = [_item_token(parameter.items, entry) for entry in raw]
        line = f"[{', '.join(entries)}]"
        return line if len(line) <= _WIDE else "[\n    " + ",\n    ".join(entries) + "\n  ]"
    return _token(parameter, str(raw))


def typed(parameter: Parameter, raw: Raw) -> Any:
    """The JSON value of a field for a scalar or a list of scalars: text that is not a number stays text."""
    if parameter.is_structured or is_null(raw):
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
    if parameter.open == "anything":
        assert isinstance(value, str | bool | list | dict)
        return value
    if parameter.type == "object" and not isinstance(value, dict) and not is_text(value):
        raise InvalidValue(f"must be an object; got {_shown(value)}")
    if parameter.type == "array" and not isinstance(value, list) and not is_text(value):
        raise InvalidValue(f"must be a list; got {_shown(value)}")
    # Text instead of an object or a list is unfinished input of a JSON field, and goes back there.
    if parameter.type in ("object", "array") and isinstance(value, str):
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


def _item_token(items: Parameter | None, entry: object) -> str:
    return _quoted(str(entry)) if items is None else _token(items, str(entry))


def _token(parameter: Parameter, raw: str) -> str:
    value = typed(parameter, raw)
    return _quoted(raw) if is_text(value) else dumps(value)


def _scalar_text(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    return exact_json(json.dumps(text, ensure_ascii=False))


def _shown(value: object) -> str:
    """A value for a message, on one line and not too long."""
    if isinstance(value, Exact):
        return shortened(value, _SHOWN)
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return shortened(f"[{', '.join(_shown(entry) for entry in value[:_SHOWN])}]", _SHOWN)
    return shortened(visible_line(json.dumps(value, ensure_ascii=False)), _SHOWN)
