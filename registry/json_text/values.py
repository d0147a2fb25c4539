"""JSON values whose numbers keep their digits, written as JSON text without loss.

Python's own reader makes ``1.10`` a float, which is written as ``1.1``. An `Exact` is the number as text.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

DEEPEST = 64
"""How far arrays and objects may be nested."""

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""A number as JSON writes it."""


class Exact(str):
    """A JSON number as it was written: ``1.10`` stays ``1.10``, at any length."""

    __slots__ = ()


NULL = Exact("null")
"""An explicit JSON null; None means "not given"."""


class Unreadable(str):
    """Text typed in a JSON field that is not valid JSON; it is not a value, not even a string."""

    __slots__ = ()


def is_null(value: object) -> bool:
    """Whether a value is an explicit null: neither None nor the text ``null``."""
    return isinstance(value, Exact) and value == NULL


def is_text(value: object) -> bool:
    """Whether a value is a JSON string, not a number that is kept as text."""
    return isinstance(value, str) and not isinstance(value, Exact | Unreadable)


def same(value: object, other: object) -> bool:
    """Whether two values are the same JSON; the order of properties does not matter.

    The text ``"5"`` and the number ``5`` are not the same, nor are ``1.0`` and ``1.00``.
    """
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(same(one, other[name]) for name, one in value.items())
    if isinstance(value, list | tuple) and isinstance(other, list | tuple):
        return len(value) == len(other) and all(map(same, value, other))
    return not any(isinstance(one, Mapping | list | tuple) for one in (value, other)) and dumps(value) == dumps(other)


def depth_of(value: object, most: int = DEEPEST) -> int:
    """How many arrays and objects are nested inside each other; counting stops just above `most`."""
    depth, level = 0, [value]
    while level := [one for one in level if isinstance(one, Mapping | list | tuple)]:
        depth += 1
        if depth > most:
            break
        level = [inner for one in level for inner in (one.values() if isinstance(one, Mapping) else one)]
    return depth


def dumps(value: object, *, compact: bool = False) -> str:
    """A value as JSON text, like `json.dumps` with ``ensure_ascii=False``, but numbers stay as they were written.

    Tuples are arrays; other types are written as text. `compact` is without spaces after commas and colons.
    """
    if isinstance(value, Exact):
        return str(value)
    comma, colon = (",", ":") if compact else (", ", ": ")
    if isinstance(value, Mapping):
        members = (f"{dumps(str(name))}{colon}{dumps(one, compact=compact)}" for name, one in value.items())
        return f"{{{comma.join(members)}}}"
    if isinstance(value, list | tuple):
        return f"[{comma.join([dumps(one, compact=compact) for one in value])}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def json_value(value: object) -> Any:
    """A value in JSON's types: lists for tuples, and numbers as `Exact`."""
    if isinstance(value, Mapping):
        return {str(name): json_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return Exact(dumps(value)) if isinstance(value, int | float) else str(value)
