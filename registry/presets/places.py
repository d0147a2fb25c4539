"""Finds where a value inside a JSON text begins."""

from __future__ import annotations

import json
import re

from registry.calling.invalid_value import Inside

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def place_inside(text: str, start: int, inside: Inside) -> int:
    """The index where a value inside another one begins, in characters from 0.

    Args:
        text: valid JSON.
        start: where the outer value begins.
        inside: the path to the inner one. If that does not exist, the result is for the innermost value that does.
    """
    here = start
    for step in inside:
        found = _child(text, here, step)
        if found is None:
            break
        here = found
    return here


def _child(text: str, start: int, step: str | int) -> int | None:
    """The index where a property, or an item, of the object or list at `start` begins."""
    if text[start : start + 1] != ("[" if isinstance(step, int) else "{"):
        return None
    at, number = _skip(text, start + 1), 0
    while text[at] not in "]}":
        name: str | int = number
        if isinstance(step, str):
            name, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # after the colon
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
