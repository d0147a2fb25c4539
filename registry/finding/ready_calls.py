"""Ready calls: typed phrases, and the calls that answer them, from the ``ready_calls.json`` in the toolkits' folders.

Arguments contain slots, which are filled from the typed text: ``failed payments of Ada since yesterday`` → the words ``failed
payments of``, the name ``Ada``, the time since yesterday::

    {name} {email} {amount} {currency} {last4} {phone} {number}   words, an address, money, …: required
    {customer}                                           an id of an object of that type: required
    {customer?}                                          the same, left out if there is none
    {since -24h} {until}                                 the ends of the typed time span, with a default
    {when created -7d}                                   the same as conditions on a field of a search query

An argument, or a condition in a query, is left out if its slot stays empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from registry.catalog.loader import ToolkitFile, data_folders
from registry.catalog.model import Tool
from registry.catalog.reading import CatalogProblem, of_files
from registry.references.knowledge import EMAIL
from registry.text.readings import places

SLOT = re.compile(r"\{(?P<name>[a-z_.0-9]+)(?P<optional>\?)?(?: (?P<rest>[^{}]*))?\}")
_TIMES = ("since", "until", "when")
_TYPED = ("name", "email", "amount", "currency", "last4", "phone", "number", "money", *_TIMES)


class ReadyCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call with the words that people use for it.

    Attributes:
        title: what it returns, in words; may contain slots.
        words: phrases that ask for it; may contain slots.
        tool: the tool.
        arguments: its arguments; texts may contain slots.
        why: a note for the user, for example that no tool does exactly what was asked.
    """

    title: str
    words: tuple[str, ...]
    tool: str
    arguments: dict[str, str | list[str]] = {}
    why: str = ""

    @property
    def texts(self) -> list[str]:
        """All texts in its arguments."""
        return [text for value in self.arguments.values() for text in ([value] if isinstance(value, str) else value)]

    @property
    def slots(self) -> list[re.Match[str]]:
        """The slots in its arguments."""
        return [slot for text in self.texts for slot in SLOT.finditer(text)]

    @property
    def needed(self) -> frozenset[str]:
        """The required slots: all but times and optional ones."""
        return frozenset(one["name"] for one in self.slots if one["name"] not in _TIMES and not one["optional"])


def ready_calls(tools: Mapping[str, Tool]) -> Sequence[ReadyCall]:
    """The ready calls whose tools exist, in the order of the toolkits."""
    return [call for folder in data_folders() for call in _read(folder) if call.tool in tools]


@of_files
def _read(folder: Path) -> list[ReadyCall]:
    return _file(folder).listed("calls", ReadyCall)


def _file(folder: Path) -> ToolkitFile:
    return ToolkitFile(folder, "ready_calls.json", ("calls",))


def ready_call_problems(folder: Path, tools: Mapping[str, Tool]) -> list[CatalogProblem]:
    """The errors in the ``ready_calls.json`` of a folder, checked against the tools; empty if there is no such file."""
    file = _file(folder)
    for place, call in enumerate(file.listed("calls", ReadyCall)):
        for name, message in _faults(call, tools):
            file.problem(f"calls[{place}].{name}", message)
    return file.problems


def _faults(call: ReadyCall, tools: Mapping[str, Tool]) -> Iterator[tuple[str, str]]:
    """The errors of a ready call: field and rule."""
    tool = tools.get(call.tool)
    if tool is None:
        yield "tool", f"there is no tool {call.tool}"
        return
    for name, value in call.arguments.items():
        parameter = tool.parameter(name)
        texts = [value] if isinstance(value, str) else value
        if parameter is None:
            yield f"arguments.{name}", f"is not a parameter of {call.tool}"
        elif isinstance(value, list) != (parameter.type == "array"):
            yield f"arguments.{name}", f"{call.tool} takes {'a list' if parameter.type == 'array' else 'one value'} here"
        elif parameter.enum and (odd := [text for text in texts if text not in parameter.enum and not SLOT.search(text)]):
            yield f"arguments.{name}", f"is one of {', '.join(parameter.enum)}, not {odd[0]}"
    if tool.effect == "delete":
        yield "tool", f"{call.tool} deletes; a deletion is never a ready call"
    types = {type_ for one in tools.values() for parameter in one.parameters for type_ in parameter.refers_to}
    for slot in call.slots:
        if slot["name"] not in _TYPED and slot["name"] not in types:
            yield "arguments", f"{{{slot['name']}}} is neither a slot nor a type of object with an id"
    if not call.words:
        yield "words", "at least one phrase is needed"


# Slots: times, amounts of money, addresses, ids, four digits and names in a question

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
_DAYS = {"month": 30, "quarter": 91, "year": 365}
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


class Span(NamedTuple):
    """A typed time span: its ends in the time syntax, where an empty end is the current time, and its words as typed."""

    since: str
    until: str = ""
    said: str = ""


class Slots(Struct):
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

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match of a pattern, which is removed from the rest."""
        if found := pattern.search(self.rest):
            self.rest = f"{self.rest[: found.start()]} {self.rest[found.end() :]}"
        return found

    def pay(self, number: str, code: str) -> None:
        """Note an amount of money."""
        digits = places(code)
        whole = re.sub(r"[ ,.](?=\d{3}(?!\d))", "", number).replace(",", ".")
        amount = int(Decimal(whole) * 10**digits)
        self.values |= {"amount": str(amount), "currency": code, "money": f"{amount / 10**digits:,.{digits}f} {code.upper()}"}


def slots_in(text: str, now: float, here: tzinfo | None = None) -> Slots:
    """Take times, addresses, numbers and amounts out of a text; `now` in Unix seconds, `here` this machine's time zone."""
    found = Slots(text)
    if mail := found.take(EMAIL):
        found.values["email"] = mail[0]
    if (match := _SPAN.search(found.rest)) and (span := _span(match, datetime.fromtimestamp(now, here).date())) is not None:
        if _OF_AN_END.search(found.rest[: match.start()]):
            found.end = span.said
        else:
            found.span = span
        found.take(_SPAN)
    for name, pattern in (("number", _NUMBERED), ("phone", _PHONE)):
        if one := found.take(pattern):
            found.values[name] = one[0]
    four = _LAST4.search(found.rest)
    if money := found.take(_MONEY):
        said = (money["sign"] or money["code"] or money["behind"]).lower()
        found.pay(money["one"] or money["two"] or money["three"], _SIGNS.get(said) or _SPOKEN.get(said) or said)
    elif bare := found.take(_DECIMAL):
        found.pay(bare["number"], "usd")
    elif four and (int(four["digits"]) not in _YEAR or "card" in text.lower()):
        found.values["last4"] = four["digits"]
        found.take(_LAST4)
    if "currency" not in found.values and (code := found.take(_IN_CURRENCY)):
        said = (code["lower"] or code["upper"]).lower()
        found.values["currency"] = _SPOKEN.get(said, said)
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
    if name in ("since", "until"):
        return rest if span is None else span.since if name == "since" else span.until
    if name == "when":
        by, _, usual = rest.partition(" ")
        since, until, _ = span or Span(usual)
        conditions = (f"{by}{'>=' if until else '>'}{since}" if since else "", f"{by}<{until}" if until else "")
        return " AND ".join(filter(None, conditions))
    return slots.value(name).replace("\\", "\\\\").replace('"', '\\"')  # it stands between quotes in a search expression


def _span(found: re.Match[str], today: date) -> Span | None:
    said = " ".join(found[0].split())
    if found["from"]:
        try:
            date.fromisoformat(found["from"])
            last = (date.fromisoformat(found["to"]) + timedelta(days=1)).isoformat() if found["to"] else ""
        except ValueError:
            return None
        return Span(found["from"], last, said)
    if day := (found["day"] or "").lower():
        return {
            "yesterday": Span("yesterday", "today", said),
            "yday": Span("yesterday", "today", "yesterday"),
            "overnight": Span("-12h", "", said),
            "mtd": Span(_start("month", today).isoformat(), "", said),
            "ytd": Span(_start("year", today).isoformat(), "", said),
        }.get(day, Span("today", "", said))
    if found["weekday"]:
        return Span(found["weekday"].lower(), "", said)
    if found["this"]:
        return Span(_start(found["this"].lower(), today).isoformat(), "", said)
    return Span(*_past(found, today), said)


def _past(found: re.Match[str], today: date) -> tuple[str, str]:
    """The ends of a span such as ``last 3 days`` or ``last month``."""
    unit = (found["unit"] or found["short"] or "").lower()
    unit = unit if len(unit) == 1 else unit.removesuffix("s")
    counted = found["count"] or found["bare"]
    count = int(counted) if counted and counted.isdecimal() else _COUNTED.get((counted or "").lower(), 1)
    if unit == "night":
        return "-16h", ""
    if unit == "weekend":
        return (_start(unit, today) - timedelta(days=2)).isoformat(), ""
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
