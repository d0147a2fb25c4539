"""Draws rows: safe for any terminal, cut at the edge of the list or wrapped over several rows of the screen."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from rich.cells import cell_len, get_character_cell_size, set_cell_size
from rich.segment import Segment

from registry.text.safe_text import visible_json

_LEAST_WORDS = 0.7  # of a row: a line is broken between two words only after this much of it
_HANG = 4
_PLAIN_NAME = re.compile(r'"[A-Za-z_][A-Za-z0-9_.-]*"')


def component(value: str) -> str:
    """The style of a value, by its first letter."""
    match value[:1]:
        case '"':
            return "json--string"
        case "t" | "f" | "n":
            return "json--word"
        case "{" | "[" | "}" | "]":
            return "json--mark"
    return "json--number"


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


def wrapped(head: list[Segment], parts: list[Segment], width: int, most: int, readings: list[Segment]) -> list[list[Segment]]:
    """The parts of a line over as many rows as they take, indented to where they begin, and a reading where it has room.

    Args:
        head: what comes before them: indentation and key. It is broken at any letter, the parts rather between words.
        parts: what may be wrapped.
        width: cells in a row.
        most: rows; what does not fit into them ends with an ellipsis.
        readings: ways to say what the value means, best first; empty when there is nothing to say.
    """
    starts = sum(cell_len(part.text) for part in head)
    indent = len(head[0].text) if head else 0
    hang = starts if starts <= width // 2 else min(indent + _HANG, width // 2)
    rows: list[list[Segment]] = [[]]
    room = width
    for place, part in enumerate([*head, *parts]):
        rest = part.text
        while rest:
            taken = _beginning(rest, room, breaks=place >= len(head))
            if taken:
                rows[-1].append(Segment(rest[:taken], part.style))
                room -= cell_len(rest[:taken])
                rest = rest[taken:]
            if rest:
                if len(rows) >= most:
                    return [*rows[:-1], _with_ellipsis(rows[-1], width)]
                rows.append([Segment(" " * hang)])
                room = width - hang
    reading = next((one for one in readings if cell_len(one.text) <= room), None)
    if reading is not None:
        rows[-1].append(reading)
    elif readings and len(rows) < most:
        rows.append(fitted([Segment(" " * hang)], width, readings))
    return rows


def _beginning(text: str, room: int, *, breaks: bool) -> int:
    """How many letters of a text fit into so many cells; with `breaks`, rather up to the end of a word."""
    if cell_len(text) <= room:
        return len(text)
    taken = end = 0
    for letter in text:
        end += get_character_cell_size(letter)
        if end > room:
            break
        taken += 1
    space = text.rfind(" ", 0, taken) + 1 if breaks else 0
    return space if space > taken * _LEAST_WORDS else taken


def _with_ellipsis(row: list[Segment], width: int) -> list[Segment]:
    if not row:  # not even one letter had room
        return [Segment("…")] if width > 0 else []
    length = sum(cell_len(part.text) for part in row)
    if length < width:
        return [*row, Segment("…", row[-1].style)]
    last = row[-1]
    return [*row[:-1], Segment(set_cell_size(last.text, max(cell_len(last.text) - 1, 0)) + "…", last.style)]
