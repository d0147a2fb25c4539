"""The search query of the history, parsed from one typed line.

Words are searched in calls and in their results: tool, arguments, ids, names. Some words are filters:

===================  =====================================================
``tool:refund``      the tool's name, or the beginning of a word in it
``on:sandbox``       the connection
``failed``           how it ended; also ``ok`` and ``cancelled``
``since:yesterday``  not before; also ``today``, ``2h``, ``3d``, ``2026-11-20``
``before:today``     before then
===================  =====================================================

Times are those of `registry.calling.times`, in the zone of this machine; a duration such as ``2h`` is counted back from now.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

OUTCOMES = ("ok", "failed", "cancelled")

_DURATION = re.compile(r"(?:\d+[smhdw])+")


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
            moment = _time(value.lower(), now)
            if moment is None:
                problem = f"{value} is no time: yesterday, today, 2h, 3d or 2026-11-20"
            else:
                times[key] = moment
        elif not (colon and key in ("tool", "on", "since", "before")):
            words.append(word)
    return SearchQuery(tuple(words), **named, **times, problem=problem)  # type: ignore[arg-type]


def _time(text: str, now: float) -> float | None:
    """A time in Unix seconds, in the grammar of all times; a duration alone is counted back from now. None where it is none."""
    from registry.calling.invalid_value import InvalidValue
    from registry.calling.times import instant

    try:
        return instant(f"-{text}" if _DURATION.fullmatch(text) else text, now, local_dates=True).at.timestamp()
    except InvalidValue:
        return None
