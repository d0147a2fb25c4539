"""The cells of a line of the comparison: names, values and their differing parts, safe to show, secrets redacted."""

from __future__ import annotations

import json
import time
from typing import Literal, NamedTuple

from registry.calling.sensitive import MASKED, is_sensitive, mask
from registry.json_text.layout import as_text, lay_out
from registry.results.comparison import ChangeKind, Comparison
from registry.results.equivalence import Span, differing_parts
from registry.results.nodes import NOWHERE, Nodes
from registry.text.readings import reading
from registry.text.safe_text import visible, visible_json, visible_line
from tui.json_view.document import Step, spelled

Which = Literal["left", "right"]

_LONGEST = 2_000
_PREVIEWED, _REMEMBERED = 40, 2_000
_TELLING = ('"id"', '"name"', '"email"', '"type"', '"summary"')


class Cell(NamedTuple):
    """One side of a line.

    Attributes:
        name: the property's name, or the item's index in brackets.
        value: a scalar, or the brackets of a branch; safe, and cut if it is very long.
        note: a label for a branch; empty for scalars.
        means: the meaning of a scalar, such as a date or an amount with its currency; empty if there is nothing to add.
        marked: the parts of the value that differ from the other side.
    """

    name: str
    value: str
    note: str = ""
    means: str = ""
    marked: tuple[Span, ...] = ()


class Cells:
    """The cells of one comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self._made = comparison
        self._drawn: dict[tuple[int, bool], tuple[Cell | None, Cell | None]] = {}

    def of(self, row: int, *, folded: bool) -> tuple[Cell | None, Cell | None]:
        """Both sides of a row; None for a side that does not have it."""
        if (row, folded) not in self._drawn:
            if len(self._drawn) >= _REMEMBERED:
                self._drawn.clear()
            self._drawn[row, folded] = self._both(row, folded)
        return self._drawn[row, folded]

    def path(self, row: int) -> str:
        """The path to a row, safe to show and to copy; that of the left side if it has the row."""
        nodes, node = self._any(row)
        steps: list[Step] = []
        while nodes.parents[node] != NOWHERE:
            name = nodes.name(node)
            steps.append(name if name is not None else nodes.place(node))
            node = nodes.parents[node]
        return visible_line(spelled(steps[::-1])) or "the full result"

    def node(self, row: int, which: Which) -> int:
        """The node of a row on one side; -1 if that side does not have it."""
        return self._made[row].left if which == "left" else self._made[row].right

    def whole(self, row: int, which: Which, *, masked: bool) -> str | None:
        """A value as text in several lines, strings without their quotes; None if the side does not have it."""
        nodes, node = self._side(row, which)
        if node == NOWHERE:
            return None
        scalar = nodes.scalar(node)
        if scalar is None:
            text = nodes.text(node).encode("utf-8", "surrogatepass")
            return visible_json(as_text(lay_out(mask(text)[0] if masked else text)))
        if masked and is_sensitive(nodes.name(node), scalar):
            return MASKED
        return visible(json.loads(scalar)) if scalar.startswith('"') else visible_json(scalar)

    def detail(self, row: int, which: Which) -> str:
        """A value and its meaning, in one line; empty if the side does not have it."""
        nodes, node = self._side(row, which)
        if node == NOWHERE:
            return ""
        cell = self._cell(nodes, node, True)
        return " ".join(part for part in (cell.value, cell.note, f" ‹ {cell.means}" if cell.means else "") if part)

    def _both(self, row: int, folded: bool) -> tuple[Cell | None, Cell | None]:
        _, kind, _, left, right = self._made[row]
        one = self._cell(self._made.left, left, folded) if left != NOWHERE else None
        other = self._cell(self._made.right, right, folded) if right != NOWHERE else None
        if one is None or other is None or kind not in (ChangeKind.CHANGED, ChangeKind.REWRITTEN) or one.note or other.note:
            return one, other
        spans = differing_parts(one.value, other.value)
        return one._replace(marked=tuple(spans[0])), other._replace(marked=tuple(spans[1]))

    def _side(self, row: int, which: Which) -> tuple[Nodes, int]:
        return (self._made.left if which == "left" else self._made.right), self.node(row, which)

    def _any(self, row: int) -> tuple[Nodes, int]:
        return self._side(row, "left" if self.node(row, "left") != NOWHERE else "right")

    def _cell(self, nodes: Nodes, node: int, folded: bool) -> Cell:
        name = nodes.name(node)
        shown = visible_line(name[1:-1]) if name is not None else "" if node == 0 else f"[{nodes.place(node)}]"
        scalar = nodes.scalar(node)
        if scalar is not None:
            value = MASKED if is_sensitive(name, scalar) else visible_json(scalar[:_LONGEST])
            means = reading(name, scalar, lambda: _currency(nodes, node), time.time())
            return Cell(shown, value + ("…" if len(scalar) > _LONGEST else ""), means=visible_line(means))
        opening = nodes.opening(node)
        if nodes.ends[node] == node + 1:
            return Cell(shown, "{}" if opening == "{" else "[]")
        about = _about(nodes, node)
        if not folded:
            return Cell(shown, opening, about)
        count = sum(1 for _ in nodes.children(node))
        nouns = ("property", "properties") if opening == "{" else ("item", "items")
        noun = nouns[count != 1]
        return Cell(shown, "{…}" if opening == "{" else "[…]", f"{count:,} {noun}" + (f" · {about}" if about else ""))


def _about(nodes: Nodes, node: int) -> str:
    """A label for an object: its id, or the first property that names it."""
    if nodes.opening(node) != "{":
        return ""
    found: dict[str, str] = {}
    for count, one in enumerate(nodes.children(node)):
        name, scalar = nodes.name(one), nodes.scalar(one)
        if name in _TELLING and scalar is not None and scalar.startswith('"') and name not in found:
            found[name] = visible_json(scalar[1:-1][:60])
        if count == _PREVIEWED:
            break
    return next((found[name] for name in _TELLING if found.get(name)), "")


def _currency(nodes: Nodes, node: int) -> str | None:
    beside = nodes.member(nodes.parents[node], '"currency"') if nodes.parents[node] != NOWHERE else None
    scalar = nodes.scalar(beside) if beside is not None else None
    return scalar.strip('"').lower() if scalar is not None else None
