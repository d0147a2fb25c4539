"""Times in a question as spans: ``last 3 days``, ``since August``, ``older than a week``, ``on 18 Nov``, ``in 2025``.

The ends are in the syntax of `registry.calling.times`; an empty end is open. Of what lies ahead (``soon``, ``tomorrow``) no
condition can be made: searches know when things were made.
"""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple

from registry.calling.invalid_value import InvalidValue
from registry.calling.times import MONTHS, WEEK, instant

UNSEARCHED = frozenset((
    "soon", "tomorrow", "later", "shortly", "upcoming", "lately", "recently", "nowadays",
    "best", "top", "worst", "biggest", "largest", "highest", "smallest", "lowest",
))  # fmt: skip
"""Words for times that have no ends, and for an order, which no search has."""

_UNITS = {"second": "s", "sec": "s", "minute": "m", "min": "m", "hour": "h", "hr": "h", "day": "d", "week": "w"}
_DAYS = {"month": 30, "quarter": 91, "year": 365}
_COUNTED = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12, "few": 3}
_COUNT = rf"\d{{1,4}}|{'|'.join(_COUNTED)}"
_UNIT = r"seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|quarters?|years?"
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    "|dec(?:ember)?"
)
_DAY = (
    rf"\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})(?:,?\s+\d{{4}})?"
    rf"|(?:{_MONTH})\s+\d{{1,2}}(?!\d)(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?"
)
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?"
_ZONE = r"Z|\s?[+-]\d\d:?\d\d|\s(?-i:[A-Z]{3,4})|\s[a-z]+/[a-z_/]+"
_MOMENT = (
    r"(?i)(?<![\w-])(?:(?P<edge>since|after|before|until)\s+)?(?P<at>(?:(?:mon|tue|wed|thu|fri|sat|sun)\s+)?"
    rf"(?:{_DAY})[ T]{_CLOCK}(?:{_ZONE})?)(?![\w:])"
)
# `re` compiles it when it is used first, which takes as long as the rest of this room's start.
_SPAN = (
    r"(?i)\b(?:(?P<edge>since|after|before|until|till|(?:older|earlier|longer|more)\s+than)\s+"
    r"|(?:(?P<inside>in|of|during)|over|within|for|from|on|between|at)\s+)?(?:the\s+)?(?:"
    rf"(?:(?P<past>last|past|previous)\s+)?(?P<count>{_COUNT})?\s*(?P<unit>{_UNIT}|night|weekend|[smhdw])(?P<ago>\s+ago)?"
    r"|this\s+(?P<this>week|month|quarter|year|morning|afternoon|evening|weekend)"
    r"|(?P<day>today|midnight|yesterday|yday|tonight|overnight|mtd|ytd)"
    rf"|(?:on\s+|last\s+)?(?P<weekday>{'|'.join(WEEK)})"
    rf"|(?P<from>{_DAY}|\d{{1,2}}(?=\s*(?:to|until|till|and|-|–)\s*\d{{1,2}}\s+(?:{_MONTH})))(?:\s*(?:to|until|till|and|-|–|\.\.)\s*(?P<to>{_DAY}))?"
    rf"|(?P<month>{_MONTH})(?:\s+(?P<of>\d{{4}}))?"
    r"|(?P<year>20\d\d)"
    r")(?![\w-])"
)


class Span(NamedTuple):
    """A typed time span: its ends in the time syntax, where an empty end is open, and its words as typed.

    Without any end, it is a day that does not exist. `began`: the day on which one that is counted in days began, for people.
    """

    since: str
    until: str = ""
    said: str = ""
    began: str = ""


def span_in(text: str, now: float, here: tzinfo | None) -> tuple[re.Match[str], Span] | None:
    """The first time span in a text, and where it is. A moment as it is shown spans its minute, unless an edge is before it."""
    today = datetime.fromtimestamp(now, here)
    if shown := re.search(_MOMENT, text):
        try:
            at = instant(" ".join(shown["at"].split()), now, here).at.astimezone(UTC)
        except InvalidValue:
            pass
        else:
            start, end = (f"{one:%Y-%m-%dT%H:%M:%SZ}" for one in (at, at + timedelta(minutes=1)))
            edge = (shown["edge"] or "").lower()
            ends = ("", start) if edge in ("before", "until") else (start, "" if edge else end)
            return shown, Span(*ends, " ".join(shown[0].split()))
    for found in re.finditer(_SPAN, text):
        edge = " ".join((found["edge"] or "").lower().split())
        inside, count = (found["inside"] or "").lower(), found["count"] or ""
        # Some months are verbs, too; a bare year could be anything; "a day" is a rate, and "in 3 days" lies ahead.
        is_verb = found["month"] and found["month"].lower() in ("may", "march", "mar")
        is_rate = not (edge or found["past"] or found["ago"]) and (not count.isdecimal() or inside == "in")
        if (found["unit"] and (is_rate or not (found["past"] or count))) or (
            not edge and not inside and (found["year"] or is_verb)
        ):
            continue
        try:
            since, until = _ends(found, today)
        except ValueError:  # the 31st of June
            since, until = "", ""
        if edge in ("before", "until", "till") or edge.endswith("than"):
            since, until = "", since
        elif edge:
            until = ""
        first = today - timedelta(int(since[1:-1])) if re.fullmatch(r"-\d+d", since) else None
        return found, Span(since, until, " ".join(found[0].split()), f"{first.day} {first:%b}" if first else "")
    return None


def _ends(found: re.Match[str], at: datetime) -> tuple[str, str]:
    """The ends of a span without the word before it.

    Raises:
        ValueError: it has a day that does not exist.
    """
    today = at.date()
    if found["from"]:
        last = _date(found["to"] or found["from"], today)
        first = last.replace(day=int(found["from"])) if found["from"].isdecimal() else _date(found["from"], today)
        is_open = not found["to"] and found[0].lower().startswith("from")
        return first.isoformat(), "" if is_open else (last + timedelta(days=1)).isoformat()
    if found["month"]:
        month = MONTHS.index(found["month"][:3].lower()) + 1
        first = date(int(found["of"] or today.year - (month > today.month)), month, 1)
        return first.isoformat(), _start("month", first + timedelta(days=31)).isoformat()
    if found["year"]:
        return f"{found['year']}-01-01", f"{int(found['year']) + 1}-01-01"
    if found["this"]:
        return _start(found["this"].lower(), today).isoformat(), ""
    if found["weekday"]:
        return found["weekday"].lower(), ""
    if day := (found["day"] or "").lower():
        if day == "tonight":  # after midnight the night that has begun
            return ("yesterday 18:00", "today 6:00") if at.hour < 6 else ("today 18:00", "tomorrow 6:00")
        begun = {"overnight": "-12h", "mtd": _start("month", today).isoformat(), "ytd": _start("year", today).isoformat()}
        return ("yesterday", "today") if day in ("yesterday", "yday") else (begun.get(day, "today"), "")
    return _past(found, today)


def _date(text: str, today: date) -> date:
    """A day as typed; without a year the last one. Of 11/12/2026 nobody knows which day it is."""
    if text[:4].isdecimal():
        return date.fromisoformat(text)
    if not any(map(str.isalpha, text)):
        return datetime.strptime(text, "%d.%m.%Y").date()
    numbers = [int(one) for one in re.findall(r"\d+", text)]
    month = next(place for place, one in enumerate(MONTHS, 1) if re.search(rf"\b{one}", text.lower()))
    day = date(numbers[1] if len(numbers) > 1 else today.year, month, numbers[0])
    return day if len(numbers) > 1 or day <= today else day.replace(year=day.year - 1)


def _past(found: re.Match[str], today: date) -> tuple[str, str]:
    """The ends of a span such as ``last 3 days`` or ``last month``."""
    unit, counted = found["unit"].lower(), (found["count"] or "").lower()
    unit = unit if len(unit) == 1 else unit.removesuffix("s")
    count = int(counted) if counted.isdecimal() else _COUNTED.get(counted, 1)
    if unit == "night":
        return "-16h", ""
    if unit == "weekend":
        monday = _start(unit, today)
        return (monday - timedelta(days=2)).isoformat(), monday.isoformat()
    if unit in ("week", *_DAYS) and not counted:
        first = _start(unit, today)
        return _start(unit, first - timedelta(days=1)).isoformat(), first.isoformat()
    return (f"-{count * _DAYS[unit]}d" if unit in _DAYS else f"-{count}{_UNITS.get(unit, unit)}"), ""


def _start(unit: str, day: date) -> date:
    """The first day of the week, month, quarter or year with a day; for other units the day."""
    if unit in ("week", "weekend"):
        return day - timedelta(days=day.weekday())
    first = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}.get(unit)
    return day if first is None else date(day.year, first, 1)
