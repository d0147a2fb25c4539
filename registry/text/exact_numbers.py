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
# What needs no mark is passed over in one match: a call for every string and every small number takes seven times as long.
_NEXT = re.compile(
    rb'((?:[^"0-9-]++|"(?:[^"\\]++|\\.)*+"|(?:0|-?[1-9][0-9]{0,16})(?![0-9.eE]))*+)(-?[0-9][-+.0-9eE]*|\Z)', re.DOTALL
)


def fits_float(digits: str) -> bool:
    """Whether a float is written with exactly these digits again."""
    return repr(float(digits)) == digits


def kept(digits: str) -> int | float | str:
    """A number of a JSON text if Python writes it with the same digits again; otherwise a marked string."""
    if len(digits) <= _LONGEST_WHOLE and str(whole := _whole(digits)) == digits:
        return whole
    return float(digits) if fits_float(digits) else MARK + digits


def marked_text(text: bytes) -> bytes:
    """A valid JSON text with marked strings in place of numbers that Python would write with other digits."""
    return _NEXT.sub(_marked, text)


def restored(text: bytes) -> bytes:
    """JSON text that a library wrote: marked strings are numbers again."""
    return _MARKED.sub(rb"\1", text)


def _whole(digits: str) -> int:
    return int(digits) if digits.lstrip("-").isdecimal() else -1


def _marked(found: re.Match[bytes]) -> bytes:
    number = kept(found[2].decode()) if _NUMBER.fullmatch(found[2]) else None
    return found[1] + f'"{number}"'.encode() if isinstance(number, str) else found[0]
