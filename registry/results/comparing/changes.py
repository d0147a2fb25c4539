"""The differences between two results as a short list: path, kind, and the values before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from registry.calling.json_layout import pretty
from registry.calling.json_text import InvalidJson, decode
from registry.results.comparing.children import ChangeKind
from registry.results.comparing.comparison import Comparison, compare
from registry.results.comparing.nodes import TooLarge

_MOST_CHANGES, _MOST_BYTES = 100, 16_000_000


class Change(NamedTuple):
    """One difference: its path, ``added``, ``removed``, ``changed`` or ``moved``, and the JSON before and after, or empty."""

    path: str
    kind: str
    before: str
    after: str


class Changes(NamedTuple):
    """The first differences, and the number of all."""

    first: tuple[Change, ...] = ()
    total: int = 0


def changes(before: bytes, after: bytes) -> Changes:
    """The differences between two results, secrets redacted. Results that cannot be compared differ as a whole."""
    if before == after:
        return Changes()
    whole = Changes((Change("", "changed", "", ""),), 1)
    if len(before) + len(after) > _MOST_BYTES:
        return whole
    try:
        left, right = (pretty(decode(one), masked=True).encode("utf-8", "replace") for one in (before, after))
        found = compare(left, right)
    except (InvalidJson, TooLarge):
        return whole
    return Changes(tuple(_changes(found)), found.differences)


def _changes(found: Comparison) -> Iterator[Change]:
    for place in found.changes[:_MOST_CHANGES]:
        row = found[place]
        nodes, node = (found.right, row.right) if row.right >= 0 else (found.left, row.left)
        steps = []
        while node > 0:
            name = nodes.name(node)
            steps.append(f"[{nodes.place(node)}]" if name is None else f".{name.strip(chr(34))}")
            node = nodes.parents[node]
        before = found.left.forms.text(found.left.values[row.left]) if row.left >= 0 else None
        after = found.right.forms.text(found.right.values[row.right]) if row.right >= 0 else None
        yield Change("".join(reversed(steps)).removeprefix("."), ChangeKind(row.kind).name.lower(), before or "", after or "")
