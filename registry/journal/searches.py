"""Searches of the history, as people write them: words and filters in one line."""

from typing import Any

from registry.calling.invalid_value import InvalidValue
from registry.calling.times import instant
from registry.journal.schema import SearchQuery
from registry.text.filter_line import words_of

_OUTCOMES = ("ok", "failed", "cancelled")
_FILTERS = {"tool": "tool", "on": "connection", "since": "since", "before": "before"}


def parse_search(line: str, now: float) -> SearchQuery:
    """Parse a line in the grammar of `registry.text.filter_line`; `now` is in Unix seconds. Days begin at midnight, local time.

    Words are searched in calls and in their results: tool, arguments, ids, names. Some words are filters:

    ===================  =====================================================
    ``tool:refund``      the tool's name, or the start of a word in it
    ``on:sandbox``       the account
    ``failed``           how it ended; also ``ok`` and ``cancelled``
    ``since:yesterday``  not before; also ``today``, ``2h``, ``3d``, ``2026-11-20``
    ``before:today``     before then; quotes around a value with spaces: ``since:"yesterday 9:00"``
    ===================  =====================================================

    Times are those of `registry.calling.times`, in this machine's zone; a duration such as ``2h`` is counted back from now.
    """
    words: list[str] = []
    found: dict[str, Any] = {}
    # No recorded text contains halves of surrogate pairs; pasted text may.
    line = line.encode("utf-8", "replace").decode()
    for word in words_of(line):
        value, typed = word.value, line[word.start : word.end]
        if typed.lower() in _OUTCOMES:
            found["outcome"] = typed.lower()
        elif word.sign != ":" or word.name not in _FILTERS:
            words += [value if word.quoted and not word.name else typed] if typed else []
        elif value and word.name in ("tool", "on"):
            found[_FILTERS[word.name]] = value
        elif value:
            try:
                found[word.name] = instant(value.lower(), now, local_dates=True).at.timestamp()
            except InvalidValue:
                found["problem"] = f"Not a time: {value}. Use yesterday, today, 2h, 3d or 2026-11-20"
    return SearchQuery(tuple(words), **found)
