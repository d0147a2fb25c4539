"""JSON as values of a type: structs and data classes, checked.

msgspec reads a type's annotations when it first meets the type, and another thread that meets the type in that moment
uses what is half read: the process ends with a segmentation fault. So each type is read once, under a lock.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import Any, TypeVar

from msgspec import convert
from msgspec.json import Decoder

_T = TypeVar("_T")
_STEP = re.compile(r"\.([^.\[]+)|\[(?:([0-9]+)|\.\.\.)\]")
_reading = Lock()
_decoders: dict[type, Decoder[Any]] = {}


def converted(value: Any, type_: type[_T]) -> _T:
    """A parsed JSON value as a type.

    Raises:
        msgspec.ValidationError: it does not fit the type; the message says where.
        UnicodeEncodeError: a text in it has half of a surrogate pair.
    """
    _decoder(type_)
    return convert(value, type_)


def decoded(text: bytes | str, type_: type[_T]) -> _T:
    """A JSON text as a type.

    Raises:
        msgspec.ValidationError: it does not fit the type; the message says where.
        msgspec.DecodeError: it is not JSON.
    """
    value: _T = _decoder(type_).decode(text)
    return value


def fields_at(type_: Any, place: str) -> list[str]:
    """The names of the fields that an object inside a value of a type may have.

    Args:
        type_: the type of the outermost value.
        place: the object's place as in msgspec's messages: ``.sections[0]``; empty for the outermost value.
    """
    from msgspec.json import schema  # only a mistake needs it

    from registry.catalog.rule_words import names_at

    steps = [int(index) if index else name or "" for name, index in _STEP.findall(place)]
    _decoder(type_)
    # Of a list of anything msgspec asks for the schema of an item. It has no fields that are known.
    return names_at(schema(type_, schema_hook=lambda _: {"type": "object"}), steps)


def _decoder(type_: type[_T]) -> Decoder[_T]:
    """The decoder of a type, which has read the type and all types in it."""
    with _reading:
        if type_ not in _decoders:
            _decoders[type_] = Decoder(type_)
        return _decoders[type_]
