"""JSON as text and as values: read strictly (RFC 8259), numbers keep their digits, laid out as it came.

Python's own reader makes ``1.10`` a float, which is written as ``1.1``. An `Exact` is the number as text.

Python's own reader accepts ``NaN`` and ``Infinity``, guesses character sets, turns ``1e400`` into infinity and stops at
4,300 digits; this one does not. Laid out, numbers keep their digits, properties their order, duplicates are all kept: msgspec
does it from bytes to bytes, and the text is never turned into values.
"""

import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, TypeGuard

import msgspec

DEEPEST = 64
"""How far arrays and objects may be nested."""

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""A number as JSON writes it."""


class Exact(str):
    """A JSON number as it was written: ``1.10`` stays ``1.10``, at any length."""

    __slots__ = ()


NULL = Exact("null")
"""An explicit JSON null, the only one: neither None, which means "not given", nor the text ``null``."""


class Unreadable(str):
    """Text typed in a JSON field that is not valid JSON; it is not a value, not even a string."""

    __slots__ = ()


def is_text(value: object) -> TypeGuard[str]:
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


_ESCAPE = re.compile(rb"\\(?:u([dDeE])|.)", re.DOTALL)
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
_NO_MARKS = bytes(letter for letter in range(256) if letter not in b"[]{},")
_BLOCK, _MOST_BLANKS, _SMALL = 1 << 14, 8, 4 << 20


def lay_out(text: bytes, indent: int = 2) -> bytes:
    """A JSON text with one property or item in each line.

    Raises:
        NotJson: the text is not JSON, or nested so deeply that its spaces would fill the memory.
    """
    most = _MOST_BLANKS * len(text) + _SMALL
    # Brackets in strings may only seem to open something.
    if indent * _blanks(text) > most and indent * _blanks(_STRING.sub(b"", text)) > most:
        raise NotJson("it is nested too deeply to be laid out")
    text = text.removeprefix(b"\xef\xbb\xbf")
    try:
        return msgspec.json.format(text, indent=indent)
    except RecursionError:
        raise NotJson("it is nested too deeply to be laid out") from None
    except msgspec.DecodeError:
        pass  # perhaps because of halves of surrogate pairs, which JSON allows
    try:
        return _with_halves(text, indent)
    except (msgspec.DecodeError, RecursionError) as error:
        read_json(text)  # says where, in words
        raise NotJson(str(error)) from None


def beginning(text: bytes) -> bytes:
    """The values that are whole in the beginning of a JSON text, as JSON of its own; empty if there are none."""
    closing, end, after = list[bytes](), 0, list[bytes]()
    for token in _TOKEN.finditer(text):
        match token[0]:
            case b"{" | b"[":
                closing.append(b"}" if token[0] == b"{" else b"]")
            case b"}" | b"]":
                closing = closing[:-1]
            case b",":
                end, after = token.start(), closing[::-1]
    return text[:end] + b"".join(after)


def indented(value: object) -> str:
    """A value as JSON text, with one property or item in each line; numbers stay as they were written."""
    return lay_out(dumps(value).encode("utf-8", "backslashreplace")).decode()


def in_one_line(text: bytes) -> bytes:
    """A JSON text without white space between its tokens.

    Raises:
        NotJson: the text is not JSON.
    """
    return lay_out(text, indent=-1)


def as_text(body: bytes) -> str:
    """A response's body as text. JSON is UTF-8; invalid bytes become replacement characters."""
    return body.decode("utf-8-sig", errors="replace")


def _with_halves(text: bytes, indent: int) -> bytes:
    """A text laid out with its escaped surrogates, which the library rejects: meanwhile they are private-use characters."""
    letters: list[bytes] = []

    def hide(found: re.Match[bytes]) -> bytes:
        if not found[1]:
            return found[0]
        letters.append(found[1])
        return b"\\ue"

    hidden = iter(letters)
    laid_out = msgspec.json.format(_ESCAPE.sub(hide, text), indent=indent)
    return _ESCAPE.sub(lambda found: b"\\u" + next(hidden) if found[1] else found[0], laid_out)


def _blanks(text: bytes) -> int:
    """The levels of all rows together, estimated block by block: rows times depth."""
    depth = blanks = 0
    for start in range(0, len(text), _BLOCK):
        marks = text[start : start + _BLOCK].translate(None, _NO_MARKS)
        closes = marks.count(b"]") + marks.count(b"}")
        rows = len(marks)
        after = max(depth + rows - marks.count(b",") - 2 * closes, 0)
        blanks += max(depth, after) * rows
        depth = after
    return blanks
