"""What a question has besides words: a name, amounts of money, addresses, ids, numbers, times, each taken out of its text.

A name is a run of words of which at least one is in no tool: ``Olsen & Sønner``, ``De Vries Fietsen B.V.``, ``AT&T``.
"""

import re
from collections.abc import Callable
from datetime import tzinfo
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct, field

from registry.calling.scalars import countries, currencies
from registry.finding.spans import Span, span_in
from registry.references.knowledge import EMAIL
from registry.text.readings import money, places

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


class TypedName(NamedTuple):
    """A name: `is_sure` if capitals or the word before it say that it is one."""

    text: str
    start: int
    end: int
    is_sure: bool


class _Word(NamedTuple):
    text: str
    start: int
    end: int
    is_name: bool
    may_be: bool


def name_in(text: str, is_known: Callable[[str, bool], bool]) -> TypedName | None:
    """The best name in a text; None without one.

    Args:
        text: the text.
        is_known: whether a word is one of the tools' words; the second argument is whether it has a capital like a name.
    """
    words: list[_Word] = []
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
        names.append(TypedName(text[first:last], first, last, sure))
    return max(names, key=lambda one: (one.is_sure, len(one.text)), default=None)


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
