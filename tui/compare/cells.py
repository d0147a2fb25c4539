"""The cells of a line of the comparison: names, values and their differing parts, safe to show, secrets redacted."""

import time
from functools import partial
from typing import NamedTuple

from registry.calling.sensitive import MASKED, is_sensitive, mask
from registry.json_text.values import dumps
from registry.results.comparison import ChangeKind, ComparedRow, Node
from registry.text.readings import reading
from registry.text.safe_text import visible, visible_json, visible_line
from tui.json_view.document import spelled

_LONGEST = 2_000
_TELLING = ("id", "name", "email", "type", "summary")


class Cell(NamedTuple):
    """One side of a line.

    Attributes:
        name: the property's name, or the item's index in brackets.
        value: a scalar, or the brackets of a branch; safe, and cut if it is very long.
        note: a label for a branch; empty for scalars.
        means: the meaning of a scalar, such as a date or an amount with its currency; empty if there is nothing to add.
        marked: where the part of the value that differs from the other side starts and ends.
    """

    name: str
    value: str
    note: str = ""
    means: str = ""
    marked: tuple[int, int] = (0, 0)


def cells_of(row: ComparedRow, *, folded: bool) -> tuple[Cell | None, Cell | None]:
    """Both sides of a row; None for a side that does not have it."""
    one, other = (_cell(node, folded) if node is not None else None for node in (row.left, row.right))
    if one is None or other is None or row.kind != ChangeKind.CHANGED or one.note or other.note:
        return one, other
    start = _common(one.value, other.value)
    ends = _common(one.value[start:][::-1], other.value[start:][::-1])
    return one._replace(marked=(start, len(one.value) - ends)), other._replace(marked=(start, len(other.value) - ends))


def path_of(row: ComparedRow) -> str:
    """The path to a row, safe to show and to copy; that of the left side if it has the row."""
    steps = [step if isinstance(step, int) else dumps(step) for step in row.node.steps]
    return visible_line(spelled(steps)) or "the full result"


def whole(node: Node, *, masked: bool) -> str:
    """A value as text in several lines, strings without their quotes."""
    if node.opening:
        text = node.text(laid_out=True)
        return visible_json(mask(text.encode("utf-8", "surrogatepass"))[0].decode("utf-8", "replace") if masked else text)
    if masked and is_sensitive(_quoted_name(node), node.text()):
        return MASKED
    return visible(node.value) if node.text().startswith('"') else visible_json(node.text())


def detail(node: Node | None) -> str:
    """A value and its meaning, in one line; empty without one."""
    if node is None:
        return ""
    cell = _cell(node, True)
    return " ".join(part for part in (cell.value, cell.note, f" ‹ {cell.means}" if cell.means else "") if part)


def _common(one: str, other: str) -> int:
    """How many letters two texts have in common at their beginnings."""
    differing = (place for place, (letter, beside) in enumerate(zip(one, other, strict=False)) if letter != beside)
    return next(differing, min(len(one), len(other)))


def _quoted_name(node: Node) -> str | None:
    return dumps(node.name) if node.name is not None else None


def _cell(node: Node, folded: bool) -> Cell:
    shown = visible_line(node.name) if node.name is not None else f"[{node.place}]" if node.above is not None else ""
    if not node.opening:
        name, text = _quoted_name(node), node.text()
        value = MASKED if is_sensitive(name, text) else visible_json(text[:_LONGEST])
        means = reading(name, text, partial(_beside, node), time.time())
        return Cell(shown, value + ("…" if len(text) > _LONGEST else ""), means=visible_line(means))
    closing = {"{": "}", "[": "]"}[node.opening]
    count, about = len(node.children), _about(node)
    if not count:
        return Cell(shown, node.opening + closing)
    if not folded:
        return Cell(shown, node.opening, about)
    nouns = ("property", "properties") if node.opening == "{" else ("item", "items")
    note = f"{count:,} {nouns[count != 1]}" + (f" · {about}" if about else "")
    return Cell(shown, f"{node.opening}…{closing}", note)


def _about(node: Node) -> str:
    """A label for an object: its id, or the first property that names it."""
    values = (node.value.get(name) for name in _TELLING) if isinstance(node.value, dict) else ()
    return next((visible_line(one[:60]) for one in values if one and type(one) is str), "")


def _beside(node: Node, name: str) -> object:
    return node.above.value.get(name) if node.above is not None and node.name is not None else None
