"""Reads JSON strictly (RFC 8259), and says in plain words why a text cannot be read.

Python's own reader accepts ``NaN`` and ``Infinity``, guesses character sets, turns ``1e400`` into infinity and stops at
4,300 digits; this one does not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from typing import Any

from registry.json_text.values import DEEPEST, Exact, depth_of

_IN_WORDS = {
    "Expecting value": "expected a value",
    "Expecting ',' delimiter": "expected a comma or ]",
    "Expecting ':' delimiter": "expected a colon",
    "Expecting property name enclosed in double quotes": "expected a property name in double quotes",
    "Extra data": "expected nothing more",
    "Illegal trailing comma before end of array": "trailing comma before ]",
    "Illegal trailing comma before end of object": "trailing comma before }",
    "Invalid control character at": "write line breaks and control characters in strings as escapes, such as \\n",
    "Unterminated string starting at": "unterminated string: the closing quote is missing",
}
_LONGEST_INT = 4_000
"""Python refuses to convert whole numbers with more digits."""


class NotJson(ValueError):
    """Text that is not JSON. The message gives the reason, with line and column if they are known."""


def read_json(text: bytes | str, *, exact: bool = False) -> Any:
    """A JSON text as Python values; of duplicate properties the last one counts.

    Bytes are UTF-8. If `exact`, a number that Python would write with other digits, such as ``1.10``, becomes an `Exact`.

    Raises:
        NotJson: it is not JSON, or nested too deeply.
    """
    return decoded(_EXACT if exact else _PLAIN, text)


def read_typed(text: str, *, whole: bool = False) -> Any:
    """A JSON text that a person wrote; every number is an `Exact`.

    `whole` uses `int` for whole numbers in Python's notation, as checked arguments do.

    Raises:
        NotJson: it is not JSON, names a property twice, or is nested more than `DEEPEST` deep.
    """
    value = decoded(_TYPED_WITH_INTS if whole else TYPED, text)
    if depth_of(value) > DEEPEST:
        raise NotJson(f"it is nested more than {DEEPEST} deep")
    return value


def in_words(error: json.JSONDecodeError) -> str:
    """An error of Python's decoder in plain words, without its position."""
    return _IN_WORDS.get(error.msg, error.msg)


def no_constant(word: str) -> Any:
    """For a decoder's ``parse_constant``.

    Raises:
        JSONDecodeError: always, because ``NaN`` and ``Infinity`` are not JSON; the error has no position.
    """
    raise json.JSONDecodeError(f"{word} is not valid JSON", "", 0)


def decoded(decoder: json.JSONDecoder, text: bytes | str) -> Any:
    """A JSON text as a decoder reads it.

    Raises:
        NotJson: it is not JSON, or nested too deeply.
    """
    try:
        return decoder.decode(text if isinstance(text, str) else text.decode())
    except UnicodeDecodeError as error:
        raise NotJson(f"it is not UTF-8: byte 0x{error.object[error.start]:02x} at {error.start:,}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}: " if error.doc or error.pos else ""
        raise NotJson(where + in_words(error)) from None
    except RecursionError:
        raise NotJson("it is nested too deeply to be read") from None


def exact_decoder(kind: Callable[[str], object]) -> json.JSONDecoder:
    """A decoder that makes a `kind` of each number that Python would write with other digits, such as ``1.10``."""

    def fraction(digits: str) -> object:
        number = float(digits)
        return number if repr(number) == digits else kind(digits)

    def whole(digits: str) -> object:
        return kind(digits) if digits == "-0" or len(digits) > _LONGEST_INT else int(digits)

    return json.JSONDecoder(parse_int=whole, parse_float=fraction, parse_constant=no_constant)


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The properties of an object that a person wrote: a name that occurs twice is an error, without a position."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise json.JSONDecodeError(f"{json.dumps(twice, ensure_ascii=False)[:60]} appears twice", "", 0)
    return members


_PLAIN = json.JSONDecoder(
    parse_int=lambda digits: int(digits) if len(digits) <= _LONGEST_INT else Exact(digits),
    parse_float=lambda digits: number if isfinite(number := float(digits)) else Exact(digits),
    parse_constant=no_constant,
)
_EXACT = exact_decoder(Exact)
_TYPED_WITH_INTS = json.JSONDecoder(
    parse_int=lambda digits: int(digits) if len(digits) <= 20 and str(int(digits)) == digits else Exact(digits),
    parse_float=Exact,
    parse_constant=no_constant,
    object_pairs_hook=_single,
)
TYPED = json.JSONDecoder(parse_int=Exact, parse_float=Exact, parse_constant=no_constant, object_pairs_hook=_single)
"""The decoder of `read_typed`, for those who read a text piece by piece."""
