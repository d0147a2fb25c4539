"""What the ask line finds, as rows: sign, title, the typed words that are not used, the call with its arguments, the reason.

A call's row ends with its count, once there is one. If there is little room the reason is left out, then the tool's name is
cut, and the arguments last; beside a form and a result there is room for the title only.
"""

from collections.abc import Mapping
from typing import NamedTuple

from registry.catalog.listing import EFFECT_SIGNS, ToolSummary
from registry.finding.find import Item
from registry.json_text.values import dumps
from registry.references.targets import words_for
from registry.text.safe_text import shortened, visible_line

_BEFORE, _LEAST_NAME, _NAME, _COUNT = 7, 12, 31, 13
HUES = ("violet", "orange", "teal")
STYLES = {"write": "tree--write", "delete": "tree--delete"}
"""The styles of the signs of tools, by their effect."""


class Part(NamedTuple):
    """A run of text, and the name of its style."""

    text: str
    style: str


class Found(NamedTuple):
    """A search result, and the tool that it runs or fills in; `answers` says that its title answers the question."""

    item: Item
    tool: ToolSummary
    answers: bool = False

    @property
    def raw(self) -> Mapping[str, object] | None:
        """The values to open it with; None to open it as it was left."""
        return self.item.arguments if self.item.kind != "tool" else self.item.arguments or None

    @property
    def key(self) -> tuple[str, str]:
        """Identifies the call: its tool and values."""
        return self.tool.name, repr(self.raw)

    @property
    def is_ready(self) -> bool:
        item = self.item
        return self.raw is not None and not item.missing and item.effect == "read" and item.kind != "object"


def title_of(one: Found) -> str:
    """The title of a row."""
    return visible_line((one.item.title if one.item.kind != "tool" else "") or one.tool.title.text or one.tool.name)


def without_of(one: Found) -> str:
    """What follows the title: the typed words that are not used."""
    return f"   without: {visible_line(', '.join(one.item.without))}" if one.item.without else ""


def row_of(one: Found, longest: int, width: int, *, here: bool, sign: Part, count: str = "") -> list[Part]:
    """A row of so many cells: with the `longest` title of the list in mind, the sign of its toolkit, and how much it finds."""
    tool, column = one.tool, min(longest + 3, max((width - _BEFORE) // 2, 20))
    plain, room = "tree--delete" if tool.effect == "delete" else "tree--tool", width - _BEFORE - column
    effect = Part(f" {EFFECT_SIGNS.get(tool.effect, ' ')} ", STYLES.get(tool.effect, plain))
    parts = [Part(" › " if here else "   ", "tree--match"), sign, effect]
    if room < _LEAST_NAME or one.answers:
        return [*parts, *_title(one, width - _BEFORE, plain)]
    parts += _title(one, column - 2, plain)
    parts.append(Part(" " * (width - room - sum(len(part.text) for part in parts)), plain))
    if room < _LEAST_NAME + _COUNT or not count:
        return parts + _call(one, room)
    said = _call(one, room - _COUNT)
    gap = room - sum(len(part.text) for part in said) - 1
    return [*parts, *said, Part(count.rjust(gap), "tree--faint" if count in ("none", "…") else "tree--tool")]


def _title(one: Found, room: int, style: str) -> list[Part]:
    """The title, and the words that are not used as far as there is room."""
    title = shortened(title_of(one), room)
    return [Part(title, style), Part(shortened(without_of(one), max(room - len(title), 0)), "tree--faint")]


def _call(one: Found, room: int) -> list[Part]:
    """What a row says after its title: the tool's name (an object's type) with the arguments, or else with the reason."""
    tool, values = one.tool, call_in_words(one.raw or {})
    item = one.item
    name = words_for(item.type or next(iter(tool.objects), "object")) if item.kind == "object" else tool.name
    if not values:
        reason = " · ".join(filter(None, ("† deprecated" * tool.deprecated, visible_line(item.why))))
        return [Part(shortened(f"{name:{_NAME}} {reason}".rstrip(), room), "tree--faint")]
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
    return dumps(value, compact=True) if isinstance(value, list | dict) else str(value)
