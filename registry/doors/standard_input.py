"""Reads text from standard input."""

from __future__ import annotations

import sys

from registry.doors.output import fail

_MOST = 10_000_000
"""Characters; what has no end, such as a device, must not fill the memory."""


def read_text(field: str) -> str:
    """All of standard input, for an option or argument. Fails if it is too long."""
    text = sys.stdin.read(_MOST + 1)
    if len(text) > _MOST:
        fail(f"{field}: standard input has more than {_MOST:,} characters", field=field, way_out="pass less")
    return text
