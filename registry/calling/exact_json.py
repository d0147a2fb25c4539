"""Reads and writes JSON without loss: numbers keep their digits, properties their order; nesting is limited.

Python's own reader makes ``1.10`` a float, which is written as ``1.1``. Here every number is kept as text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

DEEPEST = 64
"""How far arrays and objects may be nested."""

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""A number as JSON writes it."""

_SYNTAX = {
    "Expecting value": "expected a value",
    "Expecting ',' delimiter": "expected a comma or ]",
    "Expecting ':' delimiter": "expected a colon",
    "Expecting property name enclosed in double quotes": "expected a property name in double quotes",
    "Illegal trailing comma before end of array": "trailing comma before ]",
    "Illegal trailing comma before end of object": "trailing comma before }",
    "Invalid control character at": "write line breaks and control characters in strings as escapes, such as \\n",
    "Unterminated string starting at": "unterminated string: the closing quote is missing",
}


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


def loads(text: str, *, whole: bool = False) -> Any:
    """A JSON text as Python values; every number is an `Exact`.

    Args:
        text: the JSON.
        whole: use `int` for whole numbers in Python's notation, as checked arguments do.

    Raises:
        ValueError: it is not JSON, names a property twice, or is nested more than `DEEPEST` deep.
    """
    try:
        value = (_WITH_INTS if whole else _DECODER).decode(text)
    except RecursionError:
        raise too_deep() from None
    if depth_of(value) > DEEPEST:
        raise too_deep()
    return value


def too_deep() -> ValueError:
    """The error for JSON that is nested too deeply."""
    return ValueError(f"it is nested more than {DEEPEST} deep")


def same(value: object, other: object) -> bool:
    """Whether two values are the same JSON; the order of properties does not matter.

    The text ``"5"`` and the number ``5`` are not the same, nor are ``1.0`` and ``1.00``.
    """
    pairs = [(value, other)]
    while pairs:  # without recursion: a response may be nested further than Python can follow
        one, two = pairs.pop()
        if isinstance(one, Mapping) and isinstance(two, Mapping):
            members, others = ({str(name): inner for name, inner in each.items()} for each in (one, two))
            if members.keys() != others.keys():
                return False
            pairs += [(inner, others[name]) for name, inner in members.items()]
        elif isinstance(one, list | tuple) and isinstance(two, list | tuple):
            if len(one) != len(two):
                return False
            pairs += zip(one, two, strict=True)
        elif any(isinstance(each, Mapping | list | tuple) for each in (one, two)) or dumps(one) != dumps(two):
            return False
    return True


def depth_of(value: object) -> int:
    """How many arrays and objects are nested inside each other; counting stops just above `DEEPEST`."""
    depth, level = 0, [value]
    while level := [one for one in level if isinstance(one, Mapping | list | tuple)]:
        depth += 1
        if depth > DEEPEST:
            break
        level = [inner for one in level for inner in (one.values() if isinstance(one, Mapping) else one)]
    return depth


def dumps(value: object, *, indent: int | None = None, compact: bool = False) -> str:
    """A value as JSON text, like `json.dumps` with ``ensure_ascii=False``, but numbers stay as they were written.

    Args:
        value: JSON values; tuples are arrays. Other types are written as text.
        indent: spaces for each level; None for one line.
        compact: without spaces after commas and colons.
    """
    return _written(value, indent, 0, "," if compact or indent is not None else ", ", ":" if compact else ": ")


def json_value(value: object) -> Any:
    """A value in JSON's types: lists for tuples, and numbers as `Exact`."""
    if isinstance(value, Mapping):
        return {str(name): json_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return Exact(dumps(value)) if isinstance(value, int | float) else str(value)


def _written(value: object, indent: int | None, depth: int, comma: str, colon: str) -> str:
    if isinstance(value, Exact):
        return str(value)
    if isinstance(value, Mapping):
        inner = [
            f"{json.dumps(str(name), ensure_ascii=False)}{colon}{_written(one, indent, depth + 1, comma, colon)}"
            for name, one in value.items()
        ]
        return _bracketed("{}", inner, indent, depth, comma)
    if isinstance(value, list | tuple):
        return _bracketed("[]", [_written(one, indent, depth + 1, comma, colon) for one in value], indent, depth, comma)
    return json.dumps(value, ensure_ascii=False, default=str)


def _bracketed(brackets: str, inner: list[str], indent: int | None, depth: int, comma: str) -> str:
    if indent is None or not inner:
        return brackets[0] + comma.join(inner) + brackets[1]
    start = "\n" + " " * indent * (depth + 1)
    return brackets[0] + start + f",{start}".join(inner) + "\n" + " " * indent * depth + brackets[1]


def single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The properties of an object, for a decoder's ``object_pairs_hook``.

    Raises:
        JSONDecodeError: a name occurs twice; the error has no position.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise json.JSONDecodeError(f"{json.dumps(twice, ensure_ascii=False)[:60]} appears twice", "", 0)
    return members


def no_constant(word: str) -> Any:
    """For a decoder's ``parse_constant``.

    Raises:
        JSONDecodeError: always, because ``NaN`` and ``Infinity`` are not JSON.
    """
    raise json.JSONDecodeError(f"{word} is not valid JSON", word, 0)


def _whole(text: str) -> int | Exact:
    return int(text) if len(text) <= 20 and str(int(text)) == text else Exact(text)


_DECODER = json.JSONDecoder(parse_int=Exact, parse_float=Exact, parse_constant=no_constant, object_pairs_hook=single)
_WITH_INTS = json.JSONDecoder(parse_int=_whole, parse_float=Exact, parse_constant=no_constant, object_pairs_hook=single)


def where_in_json(error: json.JSONDecodeError) -> str:
    """The error in a JSON text, with line and column if they are known."""
    return (f"line {error.lineno}, column {error.colno}: " if error.doc else "") + syntax_in_words(error)


def syntax_in_words(error: json.JSONDecodeError) -> str:
    """The error in a JSON text in plain words, without its position."""
    return _SYNTAX.get(error.msg, error.msg)
