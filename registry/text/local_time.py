"""Local times as text, and short remaining times."""

from __future__ import annotations

from datetime import datetime


def local_moment(at: float) -> str:
    """A time in Unix seconds in local time: the time of day for today, with the date for another day."""
    then, today = datetime.fromtimestamp(at), datetime.now()
    if then.date() == today.date():
        return f"{then:%H:%M:%S}"
    return f"{then.day} {then:%b %H:%M}" if then.year == today.year else f"{then.day} {then:%b %Y}"


def time_left(seconds: float) -> str:
    """A short time, in minutes or seconds."""
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 0):.0f} s"
