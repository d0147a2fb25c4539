"""Local time as text."""

from __future__ import annotations

from datetime import datetime


def local_moment(at: float) -> str:
    """A time in Unix seconds as people here read it: the hour of today, the day and the hour of another day."""
    then, today = datetime.fromtimestamp(at), datetime.now()
    if then.date() == today.date():
        return f"{then:%H:%M:%S}"
    return f"{then.day} {then:%b %H:%M}" if then.year == today.year else f"{then.day} {then:%b %Y}"
