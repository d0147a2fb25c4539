"""Which columns are visible, and how wide each is.

The first column stays; the others scroll beside it. If everything fits, long columns get the room that is left. If it nearly
fits, wide columns get narrower; if it does not, columns are cut so that more of them are visible.
"""

from collections.abc import Collection, Sequence
from itertools import accumulate

from msgspec import Struct

GAP = 2
_LONGEST, _CUT, _SHORTEST, _LEAST_SEEN = 32, 18, 14, 6


class ColumnPosition(Struct, frozen=True):
    """A visible column: its index, its start and its width in cells."""

    column: int
    start: int
    width: int


def widths(natural: Sequence[int], room: int) -> list[int]:
    """The widths of columns, from their natural widths.

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


def in_sight(
    wide: Sequence[int], room: int, left: int, uncut: Collection[int] = (), natural: Sequence[int] = ()
) -> list[ColumnPosition]:
    """The first column, then as many as fit from column `left` on; the last one may be cut.

    Args:
        wide: the widths of the columns.
        room: the width for all of them.
        left: the first column after the fixed one.
        uncut: columns that would mislead when cut, such as numbers; they are left out instead if others fit.
        natural: their natural widths: room that is left goes to those that are narrower, the narrowest first.
    """
    seen: dict[int, int] = {}
    spare = room
    for column in (0, *range(max(left, 1), len(wide))) if wide else ():
        width = min(wide[column], spare)
        if width < min(wide[column], _LEAST_SEEN) or (width < wide[column] and column in uncut and len(seen) > 1):
            break
        seen[column] = width
        spare -= width + GAP
    spare += GAP
    narrow = [column for column in seen if natural and seen[column] < natural[column]]
    while spare > 0 and narrow:
        seen[min(narrow, key=seen.__getitem__)] += 1
        spare -= 1
        narrow = [column for column in narrow if seen[column] < natural[column]]
    starts = accumulate((width + GAP for width in seen.values()), initial=0)
    return [ColumnPosition(column, start, width) for (column, width), start in zip(seen.items(), starts, strict=False)]


def left_for(wide: Sequence[int], room: int, left: int, column: int) -> int:
    """The first column after the fixed one, chosen so that `column` is wholly visible if possible."""
    left = max(1, min(left, column if column else left))
    while left < column and not any(one.column == column and one.width == wide[column] for one in in_sight(wide, room, left)):
        left += 1
    return left
