"""What a question has besides words: amounts of money, addresses, ids, numbers, times, each taken out of its text."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from decimal import Decimal

from msgspec import Struct, field

from registry.catalog.codes import currencies
from registry.finding.spans import Span, span_in
from registry.references.knowledge import EMAIL
from registry.text.readings import places

_SIGNS = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₩": "krw", "r$": "brl"}
_SPOKEN = {
    "dollar": "usd", "dollars": "usd", "bucks": "usd", "euro": "eur", "euros": "eur", "pound": "gbp", "pounds": "gbp",
    "yen": "jpy", "rupee": "inr", "rupees": "inr", "real": "brl", "reais": "brl", "won": "krw",
}  # fmt: skip
_NUMBER = r"\d{1,3}(?:[,. '’]\d{3})+(?:[.,]\d{1,3})?|\d+(?:[.,]\d{1,3})?"
_LETTERS = "usd|eur|gbp|jpy|inr|krw|brl|chf|sek|nok|dkk|pln|czk|huf|cad|aud|nzd|sgd|hkd|mxn|cny|zar|kwd"
# Other codes are words, too (all, top, try): only in capitals they are money.
_CURRENCY = rf"{_LETTERS}|(?-i:{'|'.join(currencies()).upper()})"
_MONEY = re.compile(
    rf"(?<![\w.])(?:(?P<sign>r\$|[$€£¥₹₩])\s?(?P<one>{_NUMBER})"
    rf"|(?P<code>{_CURRENCY})\s?(?P<two>{_NUMBER})"
    rf"|(?P<three>{_NUMBER})\s?(?P<behind>{_CURRENCY}|[€£¥₹₩$]|{'|'.join(_SPOKEN)}))(?![\w])",
    re.IGNORECASE,
)
_IN_CURRENCY = re.compile(rf"\bin\s+(?P<lower>{_CURRENCY}|{'|'.join(_SPOKEN)})\b|\b(?P<upper>{_LETTERS.upper()})\b")
_DECIMAL = re.compile(r"(?<![\w.:/-])(?P<number>\d{1,7}[.,]\d{2})(?![\w.:/-])")
_LAST4 = re.compile(r"(?<![\w.:/*•x-])(?:[*•x.]{2,}\s?)?(?P<digits>\d{4})(?![\w.:/-])", re.IGNORECASE)
_PHONE = re.compile(r"(?<!\w)\+\d[\d ()/-]{6,18}\d(?!\w)")
_NUMBERED = re.compile(r"(?<![\w-])(?=[A-Z0-9-]*[A-Z])[A-Z0-9]{3,16}-\d{3,8}(?![\w-])")
_YEAR = range(2000, 2100)
_OF_AN_END = re.compile(
    r"\b(?:due|deadline|ends?|ending|expires?|expiring|renews?|renewing)(?:\s+(?:on|by|in))?\s*$", re.IGNORECASE
)


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
        end: a time, as typed, at which something ends or is due, which no search supports; empty if none was typed.
        named: the name is one for sure; `either`: its words may also be words of the question.
    """

    text: str
    rest: str
    values: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    spoken: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    span: Span | None = None
    end: str = ""
    named: bool = False
    either: bool = False

    def value(self, name: str) -> str:
        """The value of a slot; empty without one."""
        return self.values.get(name) or self.ids.get(name) or ""

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match of a pattern, which is removed from the rest."""
        if found := pattern.search(self.rest):
            self.rest = f"{self.rest[: found.start()]} {self.rest[found.end() :]}"
        return found

    def pay(self, number: str, code: str) -> None:
        """Note an amount of money; without a code it may be of any currency with two decimal places."""
        digits = places(code)
        found = re.fullmatch(r"(.*?)(?:([.,])(\d{1,3}))?", number)
        whole, sign, part = found.groups("") if found else (number, "", "")
        if len(part) == 3 and (digits, sign) != (3, "."):  # thousands
            whole, part = whole + part, ""
        amount = int(Decimal(f"{re.sub(r'[^0-9]', '', whole)}.{part or 0}") * 10**digits)
        self.values |= {"amount": str(amount), "money": f"{amount / 10**digits:,.{digits}f} {code.upper()}".strip()}
        if code:
            self.values["currency"] = code


def slots_in(text: str, now: float, here: tzinfo | None = None) -> Slots:
    """Take times, addresses, numbers and amounts out of a text; `now` in Unix seconds, `here` this machine's time zone."""
    found = Slots(text, text)
    if mail := found.take(EMAIL):
        found.values["email"] = mail[0]
    if (timed := span_in(found.rest, datetime.fromtimestamp(now, here).date())) is not None:
        place, span = timed
        if _OF_AN_END.search(found.rest[: place.start()]):
            found.end = span.said
        else:
            found.span = span
        found.rest = f"{found.rest[: place.start()]} {found.rest[place.end() :]}"
    for name, pattern in (("number", _NUMBERED), ("phone", _PHONE)):
        if one := found.take(pattern):
            found.values[name] = one[0]
    four = _LAST4.search(found.rest)
    if money := found.take(_MONEY):
        said = (money["sign"] or money["code"] or money["behind"]).lower()
        found.pay(money["one"] or money["two"] or money["three"], _SIGNS.get(said) or _SPOKEN.get(said) or said)
    elif bare := found.take(_DECIMAL):
        found.pay(bare["number"], "")
    elif four and (int(four["digits"]) not in _YEAR or "card" in text.lower()):
        found.values["last4"] = four["digits"]
        found.take(_LAST4)
    if "currency" not in found.values and (code := found.take(_IN_CURRENCY)):
        said = (code["lower"] or code["upper"]).lower()
        found.values["currency"] = _SPOKEN.get(said, said)
    return found
