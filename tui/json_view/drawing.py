"""Draws rows: safe for any terminal, cut at the edge of the list."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment

from registry.text.safe_text import visible_json

_PLAIN_NAME = re.compile(r'"[A-Za-z_][A-Za-z0-9_.-]*"')


_KINDS = {'"': "string", **dict.fromkeys("tfn", "word"), **dict.fromkeys("{[}]", "mark")}


def component(value: str) -> str:
    """The style of a value, by its first letter."""
    return f"json--{_KINDS.get(value[:1], 'number')}"


def name(key: str) -> str:
    """A property's name fit for the screen: with quotes only if it would not read as one name without them."""
    return key[1:-1] if _PLAIN_NAME.fullmatch(key) else shown(key)


def shown(token: str) -> str:
    """A token fit for the screen: letters that the service escaped are spelled out, everything unsafe is escaped."""
    if token.startswith('"') and "\\u" in token and token.endswith('"') and len(token) > 1:
        with suppress(ValueError):  # it may be cut in the middle of an escape
            token = json.dumps(json.loads(token), ensure_ascii=False)
    return visible_json(token)


def shapes(reading: str) -> list[str]:
    """The forms in which a reading may be shown: whole, or of a moment the time or the day. A cut one would be misread."""
    first, comma, _ = reading.partition(", ")
    if not comma:
        return [reading] if reading else []
    return [reading, first, " ".join(first.split()[:3])]


def fitted(parts: list[Segment], width: int, readings: Sequence[Segment] = ()) -> list[Segment]:
    """The parts of a line, cut with an ellipsis where they are too long; after them the first reading that has room."""
    room = width - sum(cell_len(part.text) for part in parts)
    if room >= 0:
        return parts + [one for one in readings if cell_len(one.text) <= room][:1]
    room = width - 1
    line: list[Segment] = []
    for part in parts:
        length = cell_len(part.text)
        if length > room:
            line.append(Segment(set_cell_size(part.text, max(room, 0)) + "…", part.style))
            break
        line.append(part)
        room -= length
    return line
