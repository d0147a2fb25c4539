"""Which columns are visible, and how wide each is.

The first column stays; the others scroll beside it. As many as fit are visible: long texts are cut for that before a column is
left out. The room that is left goes to those that are cut, most of it to the first of them, which says what a row is.
"""

from collections.abc import Collection, Sequence
from itertools import accumulate

from msgspec import Struct

GAP = 2
_SHORTEST, _SHORTEST_NAME = 16, 18  # cells of a text that is cut, and of the first such: it says what a row is
_NAME_PARTS = 3  # of the room that is left, for one part of each other column


class ColumnPosition(Struct, frozen=True):
    """A visible column: its index, its start and its width in cells."""

    column: int
    start: int
    width: int


def in_sight(natural: Sequence[int], room: int, left: int = 1, uncut: Collection[int] = ()) -> list[ColumnPosition]:
    """The first column, then as many as fit from column `left` on.

    Args:
        natural: for each column, the widest of its cells and its title.
        room: the width for all of them, gaps included.
        left: the first column after the fixed one.
        uncut: columns that would mislead when cut, such as numbers; they are left out instead if others fit.
    """
    least = [width if column in uncut else min(width, _SHORTEST) for column, width in enumerate(natural)]
    name = next((column for column, width in enumerate(natural) if width > least[column]), None)
    if name is not None:
        least[name] = min(natural[name], _SHORTEST_NAME)
    seen: dict[int, int] = {}
    spare = room
    for column in (0, *range(max(left, 1), len(natural))) if natural else ():
        width = min(least[column], spare) if len(seen) < 2 else least[column]  # two are there, cut as short as need be
        if 0 < width <= spare:
            seen[column] = width
            spare -= width + GAP
    spare += GAP
    parts = {column: _NAME_PARTS if column == name else 1 for column in seen if seen[column] < natural[column]}
    for column in sorted(parts, key=lambda one: (natural[one] - seen[one]) / parts[one]):
        more = min(natural[column] - seen[column], spare * parts[column] // sum(parts.values()))
        seen[column] += more
        spare -= more
        del parts[column]
    starts = accumulate((width + GAP for width in seen.values()), initial=0)
    return [ColumnPosition(column, start, width) for (column, width), start in zip(seen.items(), starts, strict=False)]


def left_for(natural: Sequence[int], room: int, left: int, column: int, uncut: Collection[int] = ()) -> int:
    """The first column after the fixed one, chosen so that `column` is visible."""
    left = max(1, min(left, column if column else left))
    while left < column and not any(one.column == column for one in in_sight(natural, room, left, uncut)):
        left += 1
    return left
