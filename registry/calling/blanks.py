"""How large a JSON text becomes when it is laid out: what keeps a small, deep answer from filling the memory with blanks."""

from __future__ import annotations

import numpy as np

_PIECE = 1 << 14
_COMMA = ord(",")


def blanks(body: bytes) -> int:
    """About how many blanks the layout would hold, one for each level: for each piece of the text, its rows times its depth.

    Brackets in strings are counted as well; it is an estimate, made so that nobody can blow a small text up to gigabytes.
    """
    letters = np.frombuffer(body, np.uint8)
    deep = blanks = 0
    for start in range(0, len(letters), _PIECE):
        piece = letters[start : start + _PIECE]
        folded = piece & 0xDF  # [ and {, and ] and }, differ by this one bit
        opens, closes = int(np.count_nonzero(folded == ord("["))), int(np.count_nonzero(folded == ord("]")))
        after = max(deep + opens - closes, 0)
        blanks += max(deep, after) * (opens + closes + int(np.count_nonzero(piece == _COMMA)))
        deep = after
    return blanks
