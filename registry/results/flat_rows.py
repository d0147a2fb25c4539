"""Items as rows: nested properties become separate columns (``address.city``), arrays stay JSON inside a cell.

Values are the JSON texts that were received; nothing is converted to a number, so nothing is rounded. An item that is not
an object, or cannot be parsed, is one cell in a separate column. Of duplicate properties the last one counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from registry.accounts.secrets import MASK
from registry.results.formats import NotExported
from registry.results.picking import Path, Picker, members
from registry.text.safe_text import visible_line

_DEEPEST, _MOST_COLUMNS = 6, 2_000
_MASK = MASK.encode()


def columns_of(items: Iterable[bytes]) -> list[Path]:
    """All properties of all items, in order of appearance.

    Raises:
        NotExported: there are too many for a table.
    """
    found: dict[Path, None] = {}
    for item in items:
        found |= dict.fromkeys(path for path, _ in _leaves(item, ()))
        if len(found) > _MOST_COLUMNS:
            raise NotExported(
                f"The items have more than {_MOST_COLUMNS:,} different properties, too many for a table.",
                "Choose columns, or save them as NDJSON.",
                "columns",
            )
    return list(found)


def reader(columns: Sequence[Path], *, chosen: bool) -> Callable[[bytes], list[bytes | None]]:
    """A function that returns the values of an item; None for missing ones.

    Args:
        columns: the values to return.
        chosen: whether the user chose the columns: then a whole object can be a column, even if its properties are others.
    """
    if chosen:
        return Picker(columns).pick

    def read(item: bytes) -> list[bytes | None]:
        found = dict(_leaves(item, ()))
        return [found.get(column) for column in columns]

    return read


def titles(columns: Iterable[Path]) -> list[str]:
    """A unique name for each column."""
    used: dict[str, int] = {}
    named = []
    for path in columns:
        title = visible_line(".".join(path)) or "value"
        used[title] = used.get(title, 0) + 1
        named.append(title if used[title] == 1 else f"{title} ({used[title]})")
    return named


def masked_in(values: Iterable[bytes | None]) -> int:
    """The number of masks in some values."""
    return sum(value.count(_MASK) for value in values if value is not None)


def _leaves(value: bytes, path: Path) -> Iterator[tuple[Path, bytes]]:
    inside = members(value) if len(path) < _DEEPEST else {}
    if not inside:
        yield path, value
    for name, one in inside.items():
        if one.startswith(b"{"):
            yield from _leaves(one, (*path, name))
        else:
            yield (*path, name), one
