"""Whether two differently written scalars mean the same, and which parts of two texts differ."""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher
from itertools import accumulate

_PIECE = re.compile(r"\w+|\s+|.", re.DOTALL)
_LONGEST, _LEAST_COMMON = 1_000, 0.2

Span = tuple[int, int]


def is_equivalent(left: str, right: str) -> bool:
    """Whether two scalars of JSON text are the same number or string in different notation: ``1.10`` and ``1.1``."""
    if left[0] == right[0] == '"':
        return ("\\" in left or "\\" in right) and bool(json.loads(left) == json.loads(right))
    try:
        return Decimal(left) == Decimal(right)
    except InvalidOperation:  # a word, a string, or an exponent beyond any library's
        return False


def differing_parts(left: str, right: str) -> tuple[list[Span], list[Span]]:
    """Where two texts differ, word by word: the spans of each that the other does not have; long texts differ as a whole."""
    whole = [(0, len(left))], [(0, len(right))]
    if max(len(left), len(right)) > _LONGEST:
        return whole
    ones, others = _PIECE.findall(left), _PIECE.findall(right)
    matcher = SequenceMatcher(None, ones, others, autojunk=False)
    if matcher.ratio() < _LEAST_COMMON:
        return whole
    starts, ends = ([0, *accumulate(map(len, pieces))] for pieces in (ones, others))
    changed = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        [(starts[start], starts[stop]) for start, stop, _, _ in changed if stop > start],
        [(ends[start], ends[stop]) for _, _, start, stop in changed if stop > start],
    )
