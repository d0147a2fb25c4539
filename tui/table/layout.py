"""Which columns are in sight, and how wide each is.

The first column stays; the others pass by behind it. Where everything fits, columns that were cut get the room that is left.
Where it nearly fits, wide columns give way; where it does not, they are cut so that more of them are in sight.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

GAP = 2
_LONGEST, _CUT, _SHORTEST, _LEAST_SEEN = 32, 18, 14, 6


@dataclass(frozen=True, slots=True)
class ColumnPosition:
    """A column in sight: which one, where it begins, and how wide it is; in cells."""

    column: int
    start: int
    width: int


def widths(natural: Sequence[int], room: int) -> list[int]:
    """How wide columns are, from how wide they would like to be.

    Args:
        natural: for each column, the widest of its cells and its title.
        room: the width for all of them, gaps included.
    """
    bounded = [min(width, _LONGEST) for width in natural]
    spare = room - sum(bounded) - GAP * max(len(bounded) - 1, 0)
    if spare >= 0:
        for place, width in enumerate(natural):
            more = min(width - bounded[place], spare)
            bounded[place] += more
            spare -= more
        return bounded
    if sum(max(width - _SHORTEST, 0) for width in bounded[1:]) >= -spare:
        while spare < 0:
            widest = max(range(1, len(bounded)), key=bounded.__getitem__)
            bounded[widest] -= 1
            spare += 1
    elif bounded:
        most = min(max(room // 4, _CUT), _LONGEST)
        bounded = [min(bounded[0], max(room // 2, _SHORTEST)), *(min(width, most) for width in bounded[1:])]
    return bounded


def in_sight(wide: Sequence[int], room: int, left: int, uncut: Collection[int] = ()) -> list[ColumnPosition]:
    """The first column, then as many as fit from column `left` on; the last one may be cut.

    Args:
        wide: how wide the columns are.
        room: the width for all of them.
        left: the first column behind the one that stays.
        uncut: columns that would mislead when they are cut, as numbers do, so that they are left out where others fit.
    """
    places: list[ColumnPosition] = []
    start = 0
    for column in (0, *range(max(left, 1), len(wide))) if wide else ():
        seen = min(wide[column], room - start)
        if seen < min(wide[column], _LEAST_SEEN) or (seen < wide[column] and column in uncut and len(places) > 1):
            break
        places.append(ColumnPosition(column, start, seen))
        start += seen + GAP
    return places


def left_for(wide: Sequence[int], room: int, left: int, column: int) -> int:
    """The first column to be seen behind the one that stays, so that a column is in sight as a whole where that is possible."""
    left = max(1, min(left, column if column else left))
    while left < column and not any(one.column == column and one.width == wide[column] for one in in_sight(wide, room, left)):
        left += 1
    return left


def fitted(text: str, width: int, *, to_the_right: bool = False) -> str:
    """A text in exactly so many cells, cut with an ellipsis where it is too long."""
    text = text[: 8 * width + 8]  # enough for letters without width
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, max(width - 1, 0)) + "…" if width else ""
    return " " * (width - length) + text if to_the_right else text + " " * (width - length)
