"""The search query of the history, parsed from one typed line.

Words are searched in calls and in their results: tool, arguments, ids, names. Some words are filters:

===================  =====================================================
``tool:refund``      the tool's name, or the beginning of a word in it
``on:sandbox``       the connection
``failed``           how it ended; also ``ok`` and ``cancelled``
``since:yesterday``  not before; also ``today``, ``2h``, ``3d``, ``2026-11-20``
``before:today``     before then
===================  =====================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

OUTCOMES = ("ok", "failed", "cancelled")

_AGO = re.compile(r"(\d{1,5})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A parsed search; times in Unix seconds. `problem` says which part of the line is invalid."""

    words: tuple[str, ...] = ()
    tool: str = ""
    connection: str = ""
    outcome: str = ""
    since: float | None = None
    before: float | None = None
    problem: str = ""


def parse_search(line: str, now: float) -> SearchQuery:
    """Parse a line; `now` is in Unix seconds. Days begin at midnight, local time."""
    words: list[str] = []
    named: dict[str, str] = {}
    times: dict[str, float] = {}
    problem = ""
    # Halves of characters, which a paste may hold, are in no text that was put down.
    for word in line.encode("utf-8", "replace").decode().split():
        key, colon, value = word.partition(":")
        if word.lower() in OUTCOMES:
            named["outcome"] = word.lower()
        elif colon and value and key in ("tool", "on"):
            named["connection" if key == "on" else key] = value
        elif colon and value and key in ("since", "before"):
            moment = _moment(value.lower(), now)
            if moment is None:
                problem = f"{value} is no time: yesterday, today, 2h, 3d or 2026-11-20"
            else:
                times[key] = moment
        elif not (colon and key in ("tool", "on", "since", "before")):
            words.append(word)
    return SearchQuery(tuple(words), **named, **times, problem=problem)  # type: ignore[arg-type]


def _moment(text: str, now: float) -> float | None:
    midnight = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
    if text in ("today", "yesterday"):
        return (midnight - timedelta(days=int(text == "yesterday"))).timestamp()
    try:
        if ago := _AGO.fullmatch(text):
            return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])}).total_seconds()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
