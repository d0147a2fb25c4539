"""Completions for fields whose values are known: codes, time zones, fields to expand, and suggested values.

Ids are completed by the journal, from earlier responses.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

from registry.calling.invalid_value import InvalidValue
from registry.calling.scalars import countries, currencies
from registry.calling.times import instant, words, zone_of, zones
from registry.catalog.model import Parameter, Tool
from registry.references.naming import expansions
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

    `before` are the earlier entries of a list. For no typed text: the first values, if they are few and of different kinds.
    """
    if parameter.format in _TIMED:
        return _times(typed, now)
    if parameter.format == "time-zone":
        return _zones(typed, now) if typed else []
    if parameter.format in ("country", "currency"):
        offers = list((countries() if parameter.format == "country" else currencies()).items())
    else:
        known = expansions(tool, before) if parameter.role == "expand" else parameter.suggestions or parameter.enum or ()
        offers = [(value, "") for value in known if value not in before]
    if not typed:
        return offers[:_MOST] if parameter.format is None else []
    return _fitting(offers, typed)


def _times(typed: str, now: float) -> list[Offer]:
    """A few relative times with their values; after a time, the time zones that begin with the next word."""
    time, _, last = typed.rpartition(" ")
    if time and last[:1].isalpha():
        with suppress(InvalidValue):
            instant(time, now)
            return [(f"{time} {name}", note) for name, note in _zones(last, now)]
    return [(text, words(instant(text, now).at)) for text in _TIMES if text.startswith(typed.lower())]


def _fitting(offers: Sequence[Offer], typed: str) -> list[Offer]:
    # One letter occurs in nearly every value.
    return ranked(offers, typed, lambda one: one, most=HOLDS if len(typed) > 1 else WORDS_BEGIN)[:_MOST]


def _zones(typed: str, now: float) -> list[Offer]:
    """The time zones that match, each with its current time and its offset from UTC."""
    names = [name for name, _ in _fitting([(name, "") for name in zones()], typed)]
    times = [datetime.fromtimestamp(now, UTC).astimezone(zone_of(name)) for name in names]
    return [(name, f"{at:%H:%M} now · UTC{at.isoformat()[19:25]}") for name, at in zip(names, times, strict=True)]
