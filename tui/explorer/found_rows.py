"""Search results in groups, and their rows: sign, title, the call with its arguments, and the reason.

Groups are in the order of their best rows; objects seen before come after ready calls. A call's row ends with its count, once
there is one. If there is little room the reason is left out, then the tool's name is cut, and the arguments last; beside a
form and a result there is room for the title only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from registry.catalog.listing import EFFECT_SIGNS
from registry.json_text.values import dumps
from registry.references.targets import words_for
from registry.text.safe_text import shortened, visible_line
from tui.explorer.finder import Found

_BEFORE, _LEAST_NAME, _LEAST_REASON, _COUNT = 7, 12, 14, 13
READY, OBJECTS, SEEN, TOOLS, COMMANDS = "Ready to run", "Objects", "Objects seen before", "Tools", "Commands"


STYLES = {"write": "tree--write", "delete": "tree--delete"}
"""The styles of the signs of tools, by their effect."""


class Columns(NamedTuple):
    """Widths of titles and names of tools, in cells, with the gap after them."""

    title: int
    name: int


class Part(NamedTuple):
    """A run of text, and the name of its style."""

    text: str
    style: str


def groups_of(found: Sequence[Found], seen: Sequence[Found] = ()) -> list[tuple[str, list[Found]]]:
    """Search results grouped by what Enter does; an id that was seen before is shown with its name."""
    names = {one.id: one for one in seen}
    groups: dict[str, list[Found]] = {}
    for one in found:
        known = names.pop(one.id, None) if one.kind == "object" else None
        groups.setdefault(_group(one), []).append(known or one)
    order = list(groups.items())
    if names:
        at = next((place + 1 for place, (title, _) in enumerate(order) if title in (READY, OBJECTS)), 0)
        order.insert(at, (SEEN, list(names.values())))
    return order


def _group(one: Found) -> str:
    if one.kind == "object":
        return OBJECTS
    return READY if one.is_ready else TOOLS


def title_of(one: Found) -> str:
    """The title of a row."""
    return visible_line(one.title or one.tool.title.text or one.tool.name)


def columns_of(found: Sequence[Found], width: int) -> Columns:
    """The columns of all rows in a list of this width."""
    title = max((len(title_of(one)) for one in found), default=0) + 3
    name = max((len(one.tool.name) for one in found if not one.raw), default=0) + 3
    return Columns(min(title, max((width - _BEFORE) // 2, 20)), name)


def row_of(one: Found, columns: Columns, width: int, *, here: bool, sign: Part, count: str = "") -> list[Part]:
    """A row; `here` says that the cursor is on it, `sign` is its toolkit's, `count` how many it finds."""
    tool = one.tool
    plain = "tree--delete" if tool.effect == "delete" else "tree--tool"
    narrow = width < _BEFORE + columns.title + _LEAST_NAME
    title = shortened(title_of(one), width - _BEFORE if narrow else columns.title - 2)
    parts = [
        Part(" › " if here else "   ", "tree--match"),
        sign,
        Part(f" {EFFECT_SIGNS.get(tool.effect, ' ')} ", STYLES.get(tool.effect, plain)),
        Part(title if narrow else title.ljust(columns.title), plain),
    ]
    if narrow:
        return parts
    if counts := bool(count) and width >= _BEFORE + columns.title + _LEAST_NAME + _COUNT:
        width -= _COUNT
    parts += _call(one, columns, width - _BEFORE - columns.title)
    if counts:
        gap = width + _COUNT - sum(len(part.text) for part in parts) - len(count) - 1
        look = "tree--faint" if count in ("none", "…") else "tree--tool"
        parts += [Part(" " * max(gap, 1), "tree--tool"), Part(count, look)]
    return parts


def _call(one: Found, columns: Columns, room: int) -> list[Part]:
    """What a row says after its title: the tool's name (an object's type) and the arguments; or the name and the reason."""
    tool, values = one.tool, call_in_words(one.raw or {})
    name = words_for(one.type or next(iter(tool.objects), "object")) if one.kind == "object" else tool.name
    if not values:
        parts = _marked(shortened(name, room), set(one.letters))
        gap = max(columns.name - len(name), 3)
        reason = " · ".join(filter(None, ("† deprecated" * tool.deprecated, visible_line(one.reason))))
        if reason and (left := room - len(name) - gap) >= _LEAST_REASON:
            parts += [Part(" " * gap, "tree--faint"), Part(shortened(reason, left - 1), "tree--faint")]
        return parts
    if (left := room - len(values) - 3) < len(name):
        # The arguments say more than the beginning of a name.
        name = shortened(name, left) if left >= _LEAST_NAME else ""
    values = shortened(values, room - len(name) - 3)
    return [Part(name, "tree--faint"), Part(f"  {values}" if name else values, "tree--tool")]


def call_in_words(raw: Mapping[str, object]) -> str:
    """Arguments in a line: only the value if there is just one."""
    values = [_in_words(value) for value in raw.values()]
    if len(values) == 1:
        return visible_line(values[0])
    return visible_line("  ".join(f"{name} {value}" for name, value in zip(raw, values, strict=True)))


def _in_words(value: object) -> str:
    if isinstance(value, list) and not any(isinstance(one, list | dict) for one in value):
        return ", ".join(map(str, value))
    if isinstance(value, list | dict):
        return dumps(value, compact=True)
    return str(value)


def _marked(text: str, letters: set[int]) -> list[Part]:
    """A name in runs of matching and other letters."""
    runs: list[Part] = []
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or (place in letters) != (start in letters):
            runs.append(Part(text[start:place], "tree--match" if start in letters else "tree--faint"))
            start = place
    return runs
