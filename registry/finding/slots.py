"""What a question has besides words: a name, amounts, addresses, ids, numbers, times and spans of time, taken out of it.

The ends are in the syntax of `registry.calling.times`; an empty end is open. Of what lies ahead (``soon``, ``tomorrow``) no
condition can be made: searches know when things were made.

A name is a run of words of which at least one is in no tool: ``Olsen & Sønner``, ``De Vries Fietsen B.V.``, ``AT&T``.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct, field

from registry.calling.scalars import countries, currencies
from registry.calling.times import MONTHS, WEEK, InvalidValue, instant
from registry.references.knowledge import EMAIL
from registry.text.shown import money, places

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
    # A span such as ``last 3 days`` or ``last month``.
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


def _start(unit: str, day: date) -> date:
    """The first day of the week, month, quarter or year with a day; for other units the day."""
    if unit in ("week", "weekend"):
        return day - timedelta(days=day.weekday())
    first = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1, "year": 1}.get(unit)
    return day if first is None else date(day.year, first, 1)


_SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₩": "krw", "r$": "brl"}
_SPOKEN = {
    "dollar": "usd", "dollars": "usd", "bucks": "usd", "euro": "eur", "euros": "eur", "pound": "gbp", "pounds": "gbp",
    "yen": "jpy", "rupee": "inr", "rupees": "inr", "real": "brl", "reais": "brl", "won": "krw",
}  # fmt: skip
# `re` compiles these when they are used first: together they take as long as the rest of this room's start.
_NUMBER = r"\d{1,3}(?:[,. '’]\d{3})+(?:[.,]\d{1,3})?(?!\d)|\d+(?:[.,]\d{1,12})?"
_LETTERS = "usd|eur|gbp|jpy|inr|krw|brl|chf|sek|nok|dkk|pln|czk|huf|cad|aud|nzd|sgd|hkd|mxn|cny|zar|kwd"
# Other codes are words, too (all, top, try): only in capitals they are money.
_CURRENCY = rf"{_LETTERS}|(?-i:{'|'.join(currencies()).upper()})"
_MONEY = (
    rf"(?<![\w.,])(?:(?P<sign>r\$|[$€£¥₹₩])\s?(?P<one>{_NUMBER})"
    rf"|(?P<code>{_CURRENCY})\s?(?P<two>{_NUMBER})"
    rf"|(?P<three>-?(?:{_NUMBER}))\s?(?P<behind>{_CURRENCY}|[€£¥₹₩$]|{'|'.join(_SPOKEN)}))(?![\w])"
)
_COMPARED = {
    "over": ">", "above": ">", "more than": ">", "larger than": ">", "bigger than": ">", "higher than": ">", "at least": ">=",
    "under": "<", "below": "<", "less than": "<", "smaller than": "<", "lower than": "<", "at most": "<=", "up to": "<=",
}  # fmt: skip
_COMPARES = rf"(?i)(?:\b(?P<compared>{'|'.join(_COMPARED)})\s+)?"
_RANGE = rf"(?i)\bbetween\s+[$€£¥₹₩]?(?P<low>{_NUMBER})\s?(?:{_CURRENCY})?\s+and\s+(?={_MONEY})"
_NO_MONEY = rf"{_COMPARES}(?<![\w.,])(?:[$€£¥₹₩]\s?\d\S*|-?\d[\w.,'’]*\s?(?:{_CURRENCY}|[€£¥₹₩$]|{'|'.join(_SPOKEN)})(?!\w))"
_COUNTRY = rf"(?i)\b(?:from|in)\s+(?:the\s+)?(?:{'|'.join(map(re.escape, countries().values()))}|UK|USA?)(?!\w)"
_IN_CURRENCY = rf"\bin\s+(?P<lower>{_CURRENCY}|{'|'.join(_SPOKEN)})\b|\b(?P<upper>{_LETTERS.upper()})\b"
_DECIMAL = r"(?<![\w.:/-])(?P<number>\d{1,7}[.,]\d{2})(?![\w.:/-])"
_LAST4 = r"(?i)(?<![\w.:/*•x-])(?:[*•x.]{2,}\s?)?(?P<digits>\d{4})(?![\w.:/-])"
_PHONE = r"(?<!\w)\+\d[\d ()/-]{6,18}\d(?!\w)"
_NUMBERED = r"(?<![\w-])(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{2,16}-\d{3,8}(?![\w-])"
_YEAR = range(2000, 2100)
_OF_AN_END = r"(?i)\b(?:due|deadline|ends?|ending|expires?|expiring|renews?|renewing)(?:\s+(?:on|by|in))?\s*$"


class Slots(Struct):
    """The slots in a text.

    Attributes:
        text: the text.
        rest: the words around it.
        values: values by slot name.
        ids: ids by type; an id is listed under each type that it may have.
        spoken: how ids were typed, if not as themselves: the name or address of their object.
        labels: the names of ids, as far as they are known.
        span: the time span; None if none was typed.
        amounts: conditions on an amount of money: signs and numbers of the currency's smallest unit.
        lost: what no search supports, as typed: a time at which something ends or is due, a country, and what is in `odd`.
        odd: what looks like a date or an amount and is none.
        named: the name is one for sure.
    """

    text: str
    rest: str
    values: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    spoken: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    span: Span | None = None
    amounts: list[tuple[str, str]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    named: bool = False

    def value(self, name: str) -> str:
        """The value of a slot; empty without one."""
        return self.values.get(name) or self.ids.get(name) or ""

    def take(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """The first match of a pattern, which is removed from the rest."""
        if found := re.search(pattern, self.rest):
            self.rest = f"{self.rest[: found.start()]} {self.rest[found.end() :]}"
        return found

    def pay(self, sign: str, number: str, code: str, *, as_shown: bool = False) -> None:
        """Note an amount of money, after a word such as over; without a code it may be of any currency with two decimal places.

        A point before three digits separates thousands, unless the amount is written as we show it, or begins with 0. An amount
        with parts of the currency's smallest unit stays in the rest: no search knows it, and it is no other amount.
        """
        digits = places(code)
        found = re.fullmatch(r"(.*?)(?:([.,])(\d+))?", number)
        whole, point, part = found.groups("") if found else (number, "", "")
        if len(part) == 3 and (point == "," or not (digits == 3 or as_shown or whole.strip("-") == "0")):
            whole, part = whole + part, ""
        minus = "-" * number.startswith("-")
        amount = Decimal(f"{minus}{re.sub(r'[^0-9]', '', whole)}.{part or 0}") * 10**digits
        if amount != int(amount):
            self.rest += f" {number} {code.upper()}"
            return
        amount, said = int(amount), [self.value("money"), sign, money(amount, code).strip()]
        self.amounts.append((_COMPARED.get(sign.lower(), ":"), str(amount)))
        self.values |= {"amount": str(amount), "money": " ".join(filter(None, said))}
        if code:
            self.values["currency"] = code


def slots_in(text: str, now: float, here: tzinfo | None = None) -> Slots:
    """Take times, addresses, numbers and amounts out of a text; `now` in Unix seconds, `here` this machine's time zone."""
    found = Slots(text, text)
    if mail := found.take(EMAIL):
        found.values["email"] = mail[0]
    if (timed := span_in(found.rest, now, here)) is not None:
        place, span = timed
        if not (span.since or span.until):
            found.odd.append(span.said)
        elif re.search(_OF_AN_END, found.rest[: place.start()]):
            found.lost.append(span.said)
        else:
            found.span = span
        found.rest = f"{found.rest[: place.start()]} {found.rest[place.end() :]}"
    for name, pattern in (("number", _NUMBERED), ("phone", _PHONE)):
        if one := found.take(pattern):
            found.values[name] = one[0]
    four = re.search(_LAST4, found.rest)
    ranged = found.take(_RANGE)
    if paid := found.take(f"{_COMPARES}{_MONEY}"):
        said = (paid["sign"] or paid["code"] or paid["behind"]).lower()
        code = _SIGNS.get(said) or _SPOKEN.get(said) or said
        if ranged:
            found.pay("at least", ranged["low"], code)
        sign = "at most" if ranged else paid["compared"] or ""
        found.pay(sign, paid["one"] or paid["two"] or paid["three"], code, as_shown=paid["behind"] == code.upper())
    elif bare := found.take(f"{_COMPARES}{_DECIMAL}"):
        found.pay(bare["compared"] or "", bare["number"], "")
    elif no_money := found.take(_NO_MONEY):
        found.odd.append(no_money[0].strip())
    elif four and (int(four["digits"]) not in _YEAR or "card" in text.lower()):
        found.values["last4"] = four["digits"]
        found.take(_LAST4)
    if "currency" not in found.values and (code := found.take(_IN_CURRENCY)):
        said = (code["lower"] or code["upper"]).lower()
        found.values["currency"] = _SPOKEN.get(said, said)
    if country := found.take(_COUNTRY):
        found.lost.append(country[0])
    found.lost += found.odd
    return found


AROUND = " \t\n\"'`“”‘’<>()[],;:?!"
_POSSESSIVE = re.compile(r"(?<=\w)[’'`]s?$")
_BETWEEN = ("&", "+", "and", "of", "the", "de", "der", "van", "von", "e", "y", "und", "et", "la", "el", "di", "da", "do")
_PARTICLES = ("de", "der", "van", "von", "la", "el", "di", "da")
_BEFORE = ("of", "named", "called", "for", "from", "by", "customer", "user", "contact", "reach", "is", "does", "did")
_NAMED = ("named", "called")
_WHERE = ("in", "at", "on", "near", "with", "without")


class _Word(NamedTuple):
    text: str
    start: int
    end: int
    is_name: bool
    may_be: bool


def take_name(slots: Slots, is_known: Callable[[str, bool], bool]) -> None:
    """Take the best name out of the rest: it is sure if capitals or the word before it say that it is one.

    Args:
        slots: the slots in a text.
        is_known: whether a word is one of the tools' words; the second argument is whether it has a capital like a name.
    """
    text = slots.rest
    words = list[_Word]()
    for spot in re.finditer(r"\S+", text):
        word = _word(spot, text, is_known)
        # After a word such as "of" begins a name, also with a word that is only similar to one of the tools' words.
        above = words[-1].text.lower() if words else ""
        follows, is_told = bool(words) and (words[-1].may_be or above in _BEFORE), above in _NAMED
        may_be = word.may_be or is_told or (follows and not is_known(word.text, True))
        words.append(word._replace(may_be=may_be, is_name=word.is_name or is_told))
    for at, (one, following) in enumerate(pairwise(words)):
        said = one.text.lower()
        # A name also begins with such a word: de Vries, however it is typed. Others are in it only between two of its words.
        is_between = said in _BETWEEN and at > 0 and words[at - 1].may_be and following.may_be
        if (said in _PARTICLES and following.is_name) or is_between:
            words[at] = one._replace(may_be=True)
    runs: list[list[_Word]] = [[]]
    for word in words:
        if not word.may_be or (runs[-1] and text[runs[-1][-1].end] in ",;:?!"):
            runs.append([])
        if word.may_be:
            runs[-1].append(word)
    names = []
    for run in runs:
        if not any(one.is_name for one in run):
            continue
        first, last = run[0].start, run[-1].end
        before = text[:first].split()[-1:]
        is_capital = any(one.text[:1].isupper() or not one.text[:1].isascii() for one in run)
        # Where something is, is no name of an object that could be looked for.
        sure = bool(before and before[0].lower() in _BEFORE) or (is_capital and not (before and before[0].lower() in _WHERE))
        last -= len(found[0]) if (found := _POSSESSIVE.search(text[first:last])) else 0
        names.append((sure, last - first, first))
    if names:
        slots.named, length, first = max(names, key=lambda one: one[:2])
        slots.values["name"] = text[first : first + length]
        slots.rest = f"{text[:first]} {text[first + length :]}"


def _word(found: re.Match[str], text: str, is_known: Callable[[str, bool], bool]) -> _Word:
    """A word without what is around it; a full stop belongs to it if there is another one inside."""
    bare = found[0].strip(AROUND)
    if bare.endswith(".") and "." not in bare[:-1]:
        bare = bare[:-1]
    start = found.start() + found[0].find(bare)
    plain = _POSSESSIVE.sub("", bare)
    capital = plain[:1].isupper() and not (plain.isupper() and plain.isalpha())
    is_first = not text[:start].strip(AROUND)
    is_name = bool(plain) and not is_known(plain, capital and not is_first)
    may_be = is_name or (plain[:1].isupper() and not (is_first and is_known(plain, True)))
    return _Word(bare, start, start + len(bare), is_name, may_be)
