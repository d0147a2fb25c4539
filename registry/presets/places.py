"""Where a value inside a JSON text begins."""

from __future__ import annotations

import json
import re

from registry.calling.invalid_value import Inside

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def place_inside(text: str, start: int, inside: Inside) -> int:
    """Where a value inside another one begins, in characters from 0.

    Args:
        text: JSON that can be read.
        start: where the outer value begins.
        inside: the way to the inner one. Where it is not there, the place of the innermost one that is.
    """
    here = start
    for step in inside:
        found = _child(text, here, step)
        if found is None:
            break
        here = found
    return here


def _child(text: str, start: int, step: str | int) -> int | None:
    """Where a property, or an item by its number, begins in the object or list that begins at `start`."""
    if text[start : start + 1] != ("[" if isinstance(step, int) else "{"):
        return None
    at, number = _skip(text, start + 1), 0
    while text[at] not in "]}":
        name: str | int = number
        if isinstance(step, str):
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # behind the colon
        if name == step:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at, number = _skip(text, at), number + 1
        if text[at] == ",":
            at = _skip(text, at + 1)
    return None


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
