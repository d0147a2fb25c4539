"""Extracts times, amounts of money, addresses, ids, four digits and names from a question, and fills slots with them.

``failed payments of Ada since yesterday`` → the words ``failed payments of``, the name ``Ada``, the time since yesterday.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal

from registry.finding.ready_calls import SLOT, ReadyCall
from registry.references.knowledge import EMAIL
from registry.text.readings import places

_SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₩": "krw", "r$": "brl"}
_SPOKEN = {
    "dollar": "usd", "dollars": "usd", "bucks": "usd", "euro": "eur", "euros": "eur", "pound": "gbp", "pounds": "gbp",
    "yen": "jpy", "rupee": "inr", "rupees": "inr", "real": "brl", "reais": "brl", "won": "krw",
}  # fmt: skip
_NUMBER = r"\d{1,3}(?:[,. ]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,3})?"
_CURRENCY = "usd|eur|gbp|jpy|inr|krw|brl|chf|sek|nok|dkk|pln|czk|ron|huf|cad|aud|nzd|sgd|hkd|mxn|cny|try|zar|kwd"
_MONEY = re.compile(
    rf"(?<![\w.])(?:(?P<sign>r\$|[$€£¥₹₩])\s?(?P<one>{_NUMBER})"
    rf"|(?P<code>{_CURRENCY})\s?(?P<two>{_NUMBER})"
    rf"|(?P<three>{_NUMBER})\s?(?P<behind>{_CURRENCY}|[€£¥₹₩$]|{'|'.join(_SPOKEN)}))(?![\w])",
    re.IGNORECASE,
)
_IN_CURRENCY = re.compile(rf"\bin\s+(?P<lower>{_CURRENCY}|{'|'.join(_SPOKEN)})\b|\b(?P<upper>{_CURRENCY.upper()})\b")
_DECIMAL = re.compile(r"(?<![\w.:/-])(?P<number>\d{1,7}[.,]\d{2})(?![\w.:/-])")
_LAST4 = re.compile(r"(?<![\w.:/*•x-])(?:[*•x.]{2,}\s?)?(?P<digits>\d{4})(?![\w.:/-])", re.IGNORECASE)
_PHONE = re.compile(r"(?<!\w)\+\d[\d ()/-]{6,18}\d(?!\w)")
_NUMBERED = re.compile(r"(?<![\w-])(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{3,16}-\d{3,8}(?![\w-])")
_YEAR = range(2000, 2100)
_OF_AN_END = re.compile(
    r"\b(?:due|deadline|ends?|ending|expires?|expiring|renews?|renewing)(?:\s+(?:on|by|in))?\s*$", re.IGNORECASE
)

_UNITS = {"second": "s", "sec": "s", "minute": "m", "min": "m", "hour": "h", "hr": "h", "day": "d", "week": "w"}
_COUNTED = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12, "few": 3}
_WEEK = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_SPAN = re.compile(
    r"\b(?:(?:in|over|during|within|of|for|from|since)\s+)?(?:the\s+)?(?:"
    r"(?P<past>last|past|previous)\s+(?P<count>\d{1,4}|a|an|one|two|three|four|five|six|ten|twelve|few)?\s*"
    r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|quarter|years?|night|weekend|[smhdw])"
    r"|(?P<bare>\d{1,4})\s?(?P<short>[mhdw]|min|mins|hours?|hrs?|days?|weeks?)(?:\s+ago)?"
    r"|this\s+(?P<this>week|month|quarter|year|morning|afternoon|evening|weekend)"
    r"|(?P<day>today|yesterday|yday|tonight|overnight|mtd|ytd)"
    r"|(?:on\s+|last\s+)?(?P<weekday>" + _WEEK + r")"
    r"|(?P<from>\d{4}-\d{2}-\d{2})(?:\s*(?:to|until|till|-|\.\.)\s*(?P<to>\d{4}-\d{2}-\d{2}))?"
    r")(?![\w-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """A typed time span: its ends in the time syntax, where an empty end is the current time, and its words as typed."""

    since: str
    until: str = ""
    said: str = ""


@dataclass(slots=True)
class Slots:
    """The slots in a text.

    Attributes:
        rest: the words around it.
        values: values by slot name.
        ids: ids by type; an id is listed under each type that it may have.
        span: the time span; None if none was typed.
        end: a time, as typed, at which something ends or is due, which no search supports; empty if none was typed.
    """

    rest: str
    values: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    span: Span | None = None
    end: str = ""

    def value(self, name: str) -> str:
        """The value of a slot; empty without one."""
        return self.values.get(name) or self.ids.get(name) or ""

    def take(self, found: re.Match[str]) -> str:
        """Remove a match from the rest, and return it."""
        self.rest = f"{self.rest[: found.start()]} {self.rest[found.end() :]}"
        return found[0]


def slots_in(text: str, now: float, here: tzinfo | None = None) -> Slots:
    """Take times, addresses, numbers and amounts out of a text; `now` in Unix seconds, `here` this machine's time zone."""
    found = Slots(text)
    if mail := EMAIL.search(found.rest):
        found.values["email"] = found.take(mail)
    if (match := _SPAN.search(found.rest)) and (span := _span(match, now, here)) is not None:
        if _OF_AN_END.search(found.rest[: match.start()]):
            found.end = span.said
        else:
            found.span = span
        found.take(match)
    for name, pattern in (("number", _NUMBERED), ("phone", _PHONE)):
        if one := pattern.search(found.rest):
            found.values[name] = found.take(one)
    if money := _MONEY.search(found.rest):
        said = (money["sign"] or money["code"] or money["behind"]).lower()
        _take_money(found, money["one"] or money["two"] or money["three"], _SIGNS.get(said) or _SPOKEN.get(said) or said)
        found.take(money)
    elif bare := _DECIMAL.search(found.rest):
        _take_money(found, bare["number"], "usd")
        found.take(bare)
    elif (four := _LAST4.search(found.rest)) and (int(four["digits"]) not in _YEAR or "card" in text.lower()):
        found.values["last4"] = four["digits"]
        found.take(four)
    if "currency" not in found.values and (code := _IN_CURRENCY.search(found.rest)):
        said = (code["lower"] or code["upper"]).lower()
        found.values["currency"] = _SPOKEN.get(said, said)
        found.take(code)
    return found


def filled(call: ReadyCall, slots: Slots) -> dict[str, str | list[str]] | None:
    """A ready call's arguments with its slots filled; None if a required slot has no value."""
    if not all(map(slots.value, call.needed)):
        return None
    arguments: dict[str, str | list[str]] = {}
    for name, value in call.arguments.items():
        texts = [text for one in ([value] if isinstance(value, str) else value) if (text := _filled(one, slots))]
        if texts:
            arguments[name] = texts[0] if isinstance(value, str) else texts
    return arguments


def shown(text: str, slots: Slots) -> str:
    """A title with its slots filled; a missing value is replaced by its type."""
    return SLOT.sub(lambda slot: slots.value(slot["name"]) or slot["name"], text)


def _filled(text: str, slots: Slots) -> str:
    """A text with its slots filled; a condition whose optional value is missing is removed together with its AND."""

    def is_kept(part: str) -> bool:
        return all(not slot["optional"] or slots.value(slot["name"]) for slot in SLOT.finditer(part))

    parts = [SLOT.sub(lambda slot: _value(slot, slots), part) for part in text.split(" AND ") if is_kept(part)]
    return " AND ".join(filter(None, parts))


def _value(slot: re.Match[str], slots: Slots) -> str:
    name, rest, span = slot["name"], slot["rest"] or "", slots.span
    match name:
        case "since":
            return span.since if span else rest
        case "until":
            return span.until if span else rest
        case "when":
            by, _, usual = rest.partition(" ")
            return " AND ".join(_conditions(by, span or (Span(usual) if usual else None)))
    return slots.value(name).replace("\\", "\\\\").replace('"', '\\"')  # it stands between quotes in a search expression


def _conditions(by: str, span: Span | None) -> Iterator[str]:
    if span is not None:
        yield f"{by}>={span.since}" if span.until else f"{by}>{span.since}"
        if span.until:
            yield f"{by}<{span.until}"


def _take_money(found: Slots, number: str, code: str) -> None:
    digits = places(code)
    whole = re.sub(r"[ ,.](?=\d{3}(?!\d))", "", number).replace(",", ".")
    amount = int(Decimal(whole) * 10**digits)
    found.values |= {"amount": str(amount), "currency": code, "money": f"{amount / 10**digits:,.{digits}f} {code.upper()}"}


def _span(found: re.Match[str], now: float, here: tzinfo | None) -> Span | None:
    today = datetime.fromtimestamp(now, here).date()
    said = " ".join(found[0].split())
    if found["from"]:
        return _days(found["from"], found["to"], said)
    if day := (found["day"] or "").lower():
        return {
            "yesterday": Span("yesterday", "today", said),
            "yday": Span("yesterday", "today", "yesterday"),
            "overnight": Span("-12h", "", said),
            "mtd": Span(_start("month", today).isoformat(), "", said),
            "ytd": Span(f"{today.year}-01-01", "", said),
        }.get(day, Span("today", "", said))
    if found["weekday"]:
        return Span(found["weekday"].lower(), "", said)
    if this := (found["this"] or "").lower():
        return Span(_start(this, today).isoformat(), "", said)
    return _past(found, today, said)


def _past(found: re.Match[str], today: date, said: str) -> Span:
    unit = (found["unit"] or found["short"] or "").lower()
    unit = unit if len(unit) == 1 else unit.removesuffix("s")
    counted = found["count"] or found["bare"]
    count = int(counted) if counted and counted.isdecimal() else _COUNTED.get((counted or "").lower(), 1)
    if unit == "night":
        return Span("-16h", "", said)
    if unit == "weekend":
        return Span((_start(unit, today) - timedelta(days=2)).isoformat(), "", said)
    if unit in ("week", "month", "quarter", "year") and not counted:
        first = _start(unit, today)
        return Span(_start(unit, first - timedelta(days=1)).isoformat(), first.isoformat(), said)
    if unit in ("month", "year", "quarter"):
        return Span(f"-{count * {'month': 30, 'quarter': 91, 'year': 365}[unit]}d", "", said)
    return Span(f"-{count}{_UNITS.get(unit, unit)}", "", said)


def _start(unit: str, day: date) -> date:
    """The first day of the week, month, quarter or year with a day; for other units the day."""
    match unit:
        case "week" | "weekend":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
        case "year":
            return date(day.year, 1, 1)
    return day


def _days(first: str, last: str | None, said: str) -> Span | None:
    try:
        date.fromisoformat(first)
        return Span(first, (date.fromisoformat(last) + timedelta(days=1)).isoformat() if last else "", said)
    except ValueError:
        return None
