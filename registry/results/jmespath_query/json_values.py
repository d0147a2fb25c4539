"""Decodes JSON text for queries and encodes it again without changing how numbers are written.

Whole numbers of any size are Python ints; every other number keeps its text and compares and calculates exactly. Of duplicate
properties the last one counts, as in every JSON library; their number is reported. Secrets are redacted: only a query that
names the property gets its value.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from registry.accounts.secrets import MASK
from registry.calling.json_text import InvalidJson
from registry.calling.sensitive import MEMBERS, is_sensitive

_LONGEST_WHOLE = 4_000  # digits; Python refuses to read slightly longer whole numbers
_MANY = 1_000
_ENVELOPE = 2  # levels around the large lists


class ExactNumber(Decimal):
    """A number that is not whole, too long, or written in an unusual way. `lexeme` is its JSON text.

    Numbers too large or too small to calculate with (exponents of nineteen digits) compare as infinity or zero.
    """

    __slots__ = ("lexeme",)

    lexeme: str

    def __new__(cls, lexeme: str) -> ExactNumber:
        """Parse a number's JSON text."""
        try:
            number = super().__new__(cls, lexeme)
        except InvalidOperation:
            mantissa, _, exponent = lexeme.lower().partition("e")
            nothing = exponent.startswith("-") or not mantissa.strip("-0.")
            number = super().__new__(cls, 0 if nothing else "-Infinity" if mantissa.startswith("-") else "Infinity")
        number.lexeme = lexeme
        return number


class RedactedText(str):
    """A redacted secret. `inside` is its value."""

    __slots__ = ("inside",)

    inside: str

    def __new__(cls, inside: str) -> RedactedText:
        """The mask of a value."""
        one = super().__new__(cls, MASK)
        one.inside = inside
        return one


class JsonSource:
    """A document that can be queried.

    Attributes:
        value: the root value.
        twice: how many objects have a duplicate property.
    """

    def __init__(self, text: bytes | bytearray) -> None:
        """Read a JSON text; for a large one this takes seconds: do it in a thread.

        Raises:
            InvalidJson: it is not JSON, or nested too deeply for a query.
        """
        self.twice = 0
        try:
            with _quiet_memory():
                self.value = json.loads(
                    text.decode("utf-8", errors="surrogateescape"),
                    object_pairs_hook=self._object,
                    parse_float=ExactNumber,
                    parse_int=whole,
                    parse_constant=_no_constant,
                )
        except RecursionError:
            raise InvalidJson("it is nested too deeply to be queried") from None
        except ValueError as error:
            raise InvalidJson(str(error)) from None

    def release(self) -> None:
        """Free the memory in steps: freeing millions of values at once would block other threads."""
        waiting, self.value = [(self.value, 0)], None
        while waiting:
            one, depth = waiting.pop()
            if isinstance(one, (list, dict)) and (len(one) > _MANY or depth < _ENVELOPE):
                waiting.extend((inside, depth + 1) for inside in (one if isinstance(one, list) else one.values()))
                one.clear()

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            self.twice += 1
        if not MEMBERS.isdisjoint(members):
            for name in MEMBERS & members.keys():
                if isinstance(members[name], str) and is_sensitive(f'"{name}"', f'"{members[name]}"'):
                    members[name] = RedactedText(members[name])
        return members


def whole(lexeme: str) -> int | ExactNumber:
    """Parse a whole number's JSON text."""
    return int(lexeme) if len(lexeme) < _LONGEST_WHOLE and lexeme != "-0" else ExactNumber(lexeme)


def literal(text: str) -> Any:
    """The value of a JSON text in a query.

    Raises:
        ValueError: it is not JSON.
    """
    return json.loads(text, parse_float=ExactNumber, parse_int=whole, parse_constant=_no_constant)


def written(value: Any) -> bytes:
    """A value as JSON text.

    Raises:
        RecursionError: it is nested too deeply.
    """
    try:
        return b"".join(_in_pieces(value))
    except (UnicodeEncodeError, msgspec.MsgspecError, TypeError):
        return "".join(_parts(value)).encode()


def _in_pieces(value: Any) -> Iterator[bytes]:
    """JSON text in pieces: the library writes a large value without releasing the GIL."""
    if isinstance(value, list) and len(value) > _MANY:
        for start in range(0, len(value), _MANY):
            yield b"," if start else b"["
            yield msgspec.json.encode(value[start : start + _MANY], enc_hook=_unusual)[1:-1]
        yield b"]"
    elif isinstance(value, dict) and any(isinstance(one, list) and len(one) > _MANY for one in value.values()):
        for place, (name, one) in enumerate(value.items()):
            yield b"," if place else b"{"
            yield msgspec.json.encode(name) + b":"
            yield from _in_pieces(one)
        yield b"}"
    else:
        yield msgspec.json.encode(value, enc_hook=_unusual)


def _unusual(value: object) -> object:
    if isinstance(value, ExactNumber):
        return msgspec.Raw(value.lexeme.encode())
    if isinstance(value, RedactedText):
        return MASK
    raise TypeError(type(value).__name__)


def _parts(value: Any) -> Iterator[str]:
    """JSON text piece by piece, with lone surrogates as escapes, because the library refuses them."""
    if isinstance(value, ExactNumber):
        yield value.lexeme
    elif isinstance(value, dict):
        yield "{"
        for place, (name, one) in enumerate(value.items()):
            yield f"{',' if place else ''}{json.dumps(name)}:"
            yield from _parts(one)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for place, one in enumerate(value):
            yield "," if place else ""
            yield from _parts(one)
        yield "]"
    else:
        yield json.dumps(value)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


@contextmanager
def _quiet_memory() -> Iterator[None]:
    """Disable the garbage collector while reading: there are no cycles, and it takes four times as long with it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_on:
            gc.enable()
