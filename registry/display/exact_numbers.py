"""Carries JSON numbers with all their digits through libraries that make floats of decimals, where ``1.10`` becomes ``1.1``.

Before such a library, a number that Python would write with other digits becomes a marked string. After it, `restored` makes it
the number again in JSON text. The mark is random in each process, so no client and no service can write one.
"""

from __future__ import annotations

import re
import secrets

MARK = f"{secrets.token_hex(16)}:"
_MARKED = re.compile(rb'"' + MARK.encode() + rb'([-+.0-9eE]+)"')
_LONGEST_WHOLE = 18
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|-?[0-9][-+.0-9eE]*', re.DOTALL)


def fits_float(digits: str) -> bool:
    """Whether a float is written with exactly these digits again."""
    return repr(float(digits)) == digits


def kept(digits: str) -> int | float | str:
    """A number of a JSON text if Python writes it with the same digits again; otherwise a marked string."""
    if len(digits) <= _LONGEST_WHOLE and str(whole := _whole(digits)) == digits:
        return whole
    return float(digits) if fits_float(digits) else MARK + digits


def marked_text(text: bytes) -> bytes:
    """A JSON text with marked strings in place of numbers that Python would write with other digits."""
    return _TOKEN.sub(_marked, text)


def restored(text: bytes) -> bytes:
    """JSON text that a library wrote: marked strings are numbers again."""
    return _MARKED.sub(rb"\1", text)


def _whole(digits: str) -> int:
    return int(digits) if digits.lstrip("-").isdecimal() else -1


def _marked(found: re.Match[bytes]) -> bytes:
    token = found[0]
    if token.startswith(b'"') or not _NUMBER.fullmatch(token):
        return token
    number = kept(token.decode())
    return f'"{number}"'.encode() if isinstance(number, str) else token
