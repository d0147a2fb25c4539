"""Completions for fields whose values are known: codes, time zones, fields to expand, and suggested values.

Ids are completed by the journal, from earlier responses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from registry.calling.invalid_value import InvalidValue
from registry.calling.times import instant, words, zone_of, zones
from registry.catalog import codes
from registry.catalog.model import Parameter, Tool
from registry.references.expanding import expansions
from registry.text.name_ranking import HOLDS, WORDS_BEGIN, ranked

Offer = tuple[str, str]
"""A value, and a name or note to show with it; empty if it would add nothing."""

_MOST = 8
_TIMES = ("now", "-24h", "-7d", "today", "yesterday 9:00", "monday 9:00")
_TIMED = ("date-time", "unix-minute")


def completes(parameter: Parameter) -> bool:
    """Whether a parameter has known values."""
    known = parameter.format in ("country", "currency", "time-zone", *_TIMED) or bool(parameter.suggestions or parameter.enum)
    return known or parameter.role == "expand"


def completions(tool: Tool, parameter: Parameter, before: Sequence[str], typed: str, now: float) -> list[Offer]:
    """Known values that match the typed text, best first: prefix of the value, then of the name, then of any word.

    Args:
        tool: the tool that the parameter belongs to.
        parameter: the parameter of the field.
        before: the earlier entries, if it is a list.
        typed: the typed text; empty for the first values, if they are few and of different kinds.
        now: the current time in Unix seconds, to show the time in a zone.
    """
    if parameter.format in _TIMED:
        return _times(typed, now)
    offers = [offer for offer in _known(tool, parameter, before) if offer[0] not in before]
    if not typed:
        return offers[:_MOST] if parameter.format is None else []
    found = _fitting(offers, typed)[:_MOST]
    return [(name, _time_in(name, now)) for name, _ in found] if parameter.format == "time-zone" else found


def _known(tool: Tool, parameter: Parameter, before: Sequence[str]) -> Iterable[Offer]:
    if parameter.format in ("country", "currency"):
        return (codes.countries() if parameter.format == "country" else codes.currencies()).items()
    if parameter.format == "time-zone":
        return [(name, "") for name in zones()]
    if parameter.role == "expand":
        return [(name, "") for name in expansions(tool, before)]
    return [(value, "") for value in parameter.suggestions or parameter.enum or ()]


def _times(typed: str, now: float) -> list[Offer]:
    """A few relative times with their values; after a time, the time zones that begin with the next word."""
    time, _, last = typed.rpartition(" ")
    if time and last[:1].isalpha():
        try:
            instant(time, now)
        except InvalidValue:
            pass
        else:
            zones_fitting = _fitting([(name, "") for name in zones()], last)[:_MOST]
            return [(f"{time} {name}", _time_in(name, now)) for name, _ in zones_fitting]
    return [(text, words(instant(text, now).at)) for text in _TIMES if text.startswith(typed.lower())]


def _fitting(offers: Sequence[Offer], typed: str) -> list[Offer]:
    # One letter occurs in nearly every value.
    return ranked(offers, typed, lambda one: one, most=HOLDS if len(typed) > 1 else WORDS_BEGIN)


def _time_in(name: str, now: float) -> str:
    """The current time in a zone and its offset from UTC."""
    at = datetime.fromtimestamp(now, UTC).astimezone(zone_of(name))
    return f"{at:%H:%M} now · UTC{at.isoformat()[19:25]}"
