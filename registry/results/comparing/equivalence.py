"""Whether two differently written scalars mean the same, and which parts of two texts differ."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher

_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")
_LONGEST_EXPONENT = 18
_PIECE = re.compile(r"\w+|\s+|.", re.DOTALL)
_MOST_PIECES = 120
_LEAST_COMMON = 0.2

Span = tuple[int, int]


def is_equivalent(left: str, right: str) -> bool:
    """Whether two scalars of JSON text are the same number or string in different notation: ``1.10`` and ``1.1``."""
    if left[0] == right[0] == '"':
        return ("\\" in left or "\\" in right) and _read(left) == _read(right)
    numbers = _number(left), _number(right)
    return numbers[0] is not None and numbers[0] == numbers[1]


def differing_parts(left: str, right: str) -> tuple[list[Span], list[Span]]:
    """Where two texts differ, word by word: the spans of each that the other does not have."""
    ones, others = _pieces(left), _pieces(right)
    if len(ones) > _MOST_PIECES or len(others) > _MOST_PIECES:
        return _middle(left, right)
    matcher = SequenceMatcher(None, ones, others, autojunk=False)
    if matcher.ratio() < _LEAST_COMMON:
        return [(0, len(left))], [(0, len(right))]
    starts = _starts(ones), _starts(others)
    spans: tuple[list[Span], list[Span]] = ([], [])
    for kind, one, one_end, other, other_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        if one_end > one:
            spans[0].append((starts[0][one], starts[0][one_end]))
        if other_end > other:
            spans[1].append((starts[1][other], starts[1][other_end]))
    return spans


def _number(text: str) -> tuple[str, str, int] | None:
    """Sign, digits and power of ten of a number, the same for every notation; exact at any size."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    sign, whole, part, exponent = found[1], found[2], found[3] or "", found[4] or "0"
    digits = (whole + part).lstrip("0")
    if not digits:
        return "", "", 0
    if len(exponent) > _LONGEST_EXPONENT:
        return sign, text, 0
    kept = digits.rstrip("0")
    return sign, kept, int(exponent) - len(part) + len(digits) - len(kept)


def _read(text: str) -> str:
    """A string's characters; bytes that are not UTF-8 stay distinct from escapes that look like them."""
    bytes_kept = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") if not text.isascii() else text
    return str(json.loads(text)) if bytes_kept == text else text


def _pieces(text: str) -> list[str]:
    pieces = []
    for found in _PIECE.finditer(text):
        pieces.append(found.group())
        if len(pieces) > _MOST_PIECES:
            break
    return pieces


def _starts(pieces: list[str]) -> list[int]:
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    return starts


def _middle(left: str, right: str) -> tuple[list[Span], list[Span]]:
    """The spans between a common start and a common end."""
    start, most = 0, min(len(left), len(right))
    while start < most and left[start] == right[start]:
        start += 1
    end = 0
    while end < most - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return _span(start, len(left) - end), _span(start, len(right) - end)


def _span(start: int, stop: int) -> list[Span]:
    return [(start, stop)] if stop > start else []
