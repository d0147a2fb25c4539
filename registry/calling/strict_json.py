"""Reads JSON strictly (RFC 8259) and notes what is unusual in it. All responses are read with it.

Python's own reader accepts ``NaN`` and ``Infinity``, guesses character sets, turns ``1e400`` into infinity and stops at
4,300 digits; this one does not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import isfinite
from typing import Any

from registry.calling.exact_json import Exact

_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)', re.DOTALL)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


class NotJson(ValueError):
    """Text that is not JSON; the message gives the reason."""


def loads(text: bytes | str) -> Any:
    """A JSON text as Python values; of duplicate properties the last one counts.

    Args:
        text: the JSON; bytes are UTF-8.

    Raises:
        NotJson: it is not JSON, or nested too deeply.
    """
    return _read(text, None)


def loads_exact(text: bytes | str) -> Any:
    """The same, but a number that Python would write with other digits, such as ``1.10``, is an `Exact`.

    Raises:
        NotJson: it is not JSON, or nested too deeply.
    """
    return _read(text, None, _exact)


def loads_noting(text: bytes) -> tuple[Any, tuple[str, ...]]:
    """The same, with notes on what is unusual in it: duplicate properties, lone surrogates. Takes twice as long.

    Raises:
        NotJson: it is not JSON, or nested too deeply.
    """
    twice: list[str] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(found)
        if len(members) < len(found) and not twice:
            names = [name for name, _ in found]
            twice.append(next(name for name in names if names.count(name) > 1))
        return members

    value = _read(text, pairs)
    notes = [
        f"The response has {json.dumps(name)[:60]} twice in one object: the JSON shows both, everything else uses the last."
        for name in twice
    ]
    return value, (*notes, *notes_on(text))


def notes_on(text: bytes) -> tuple[str, ...]:
    """Notes on a text of any size that need no parsing: lone surrogates."""
    half = _half(text)
    return (
        (f"The response has half of a surrogate pair, \\u{half}, which is not a character; it is shown as that escape.",)
        if half
        else ()
    )


def _half(text: bytes) -> str:
    """The first lone surrogate, as its hexadecimal digits."""
    if _SURROGATE.search(text) is None:
        return ""
    before, end = "", -1
    for found in _ESCAPE.finditer(text):
        digits = found[1].decode().lower() if found[1] is not None else ""
        follows = before and found.start() == end
        high, low = "d800" <= digits <= "dbff", "dc00" <= digits <= "dfff"
        if before and not (follows and low):
            return before
        if low and not follows:
            return digits
        before, end = digits if high else "", found.end()
    return before


def _read(text: bytes | str, pairs: Any, number: Callable[[str], object] | None = None) -> Any:
    try:
        plain = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise NotJson(f"it is not UTF-8: byte 0x{error.object[error.start]:02x} at {error.start:,}") from None
    try:
        return json.JSONDecoder(
            parse_constant=_refuse, object_pairs_hook=pairs, parse_int=number, parse_float=number or fraction
        ).decode(plain)
    except _Constant as error:
        raise NotJson(f"{error} is not valid JSON{_where(plain)}") from None
    except json.JSONDecodeError as error:
        raise NotJson(f"not valid JSON from line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise NotJson("it is nested too deeply to be read") from None
    except ValueError:  # an integer with more digits than Python converts
        decoder = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=pairs, parse_int=whole, parse_float=fraction)
        try:
            return decoder.decode(plain)
        except _Constant as error:
            raise NotJson(f"{error} is not valid JSON{_where(plain)}") from None
        except (ValueError, RecursionError):
            raise NotJson("it cannot be read") from None


class _Constant(Exception):
    """``NaN`` or ``Infinity`` was read; the message is the word."""


def _refuse(word: str) -> Any:
    raise _Constant(word)


def _where(text: str) -> str:
    """The position of that word, in words."""
    place = next((found.start() for found in _CONSTANT.finditer(text) if found[1]), None)
    if place is None:
        return ""
    return f" (line {text.count(chr(10), 0, place) + 1}, column {place - text.rfind(chr(10), 0, place)})"


def fraction(digits: str) -> float | Exact:
    """A number with a fraction or an exponent, for a decoder's ``parse_float``; beyond Python's range it stays as written."""
    number = float(digits)
    return number if isfinite(number) else Exact(digits)


def _exact(digits: str) -> int | float | Exact:
    """A number, for both of a decoder's parsers; it stays as written if Python would write it in another way."""
    if digits.lstrip("-").isdecimal():
        return Exact(digits) if digits == "-0" else whole(digits)
    return value if repr(value := float(digits)) == digits else Exact(digits)


def whole(digits: str) -> int | Exact:
    """A whole number, for a decoder's ``parse_int``; one that is too long for Python stays as written."""
    return int(digits) if len(digits) <= 4_000 else Exact(digits)
