"""Entries of audit logs as lines of a table."""

from __future__ import annotations

import time
from collections.abc import Sequence

from registry.engine import Change
from registry.text.safe_text import shortened, visible_line

_SIGNS = {"done": "✓ done", "refused": "✗ refused", "not done": "✗ not done", "unknown": "? unknown", "sent": "… sent"}


def columns_of(one: Change) -> tuple[str, ...]:
    """An entry: number, time, its outcome, tool, what it was about, account and mode, HTTP status. Safe to print."""
    try:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.at))
    except (OverflowError, ValueError, OSError):  # a team's server may send anything
        at = "?"
    status = f"HTTP {one.status}" if one.status is not None else "by reading" if one.looked is not None else ""
    subject = shortened(visible_line(one.subject), 40)
    account = visible_line(one.connection) + (f" ({visible_line(one.mode)})" if one.mode != one.connection else "")
    account += f" by {shortened(visible_line(one.caller), 40)}" if one.caller else ""
    return (str(one.id).rjust(6), at, _SIGNS[one.state], visible_line(one.tool), subject, account, status)


def in_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of texts as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip() for row in rows]
