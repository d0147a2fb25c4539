"""What a value means to a person: moments and amounts, beside the number and never in its place.

Amounts are whole numbers of a currency's smallest unit (facts of the payments service): most currencies have a hundred of them,
some none and a few a thousand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

_WITHOUT_PARTS = re.compile("bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|ugx|vnd|vuv|xaf|xof|xpf")
_THOUSANDTHS = re.compile("bhd|jod|kwd|omr|tnd")
_SIGNS = {"usd": "$", "eur": "€", "gbp": "£", "jpy": "¥", "inr": "₹", "krw": "₩"}
_MOMENT_NAMES = re.compile(
    r'"(?:created|updated|date|due_date|effective_at|start|end|\w*_at|\w*_(?:time|date|start|end|until|before|after)|available_on|'
    r'billing_cycle_anchor|timestamp)"'
)
_AMOUNT_NAMES = re.compile(
    r'"(?:\w*amount\w*|total\w*|subtotal\w*|balance|starting_balance|ending_balance|fee|net|tax|unit_amount|credit|debit|gross)"'
)
_ISO = re.compile(r'"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})"')
_FIRST, _LAST = 946_684_800, 4_102_444_800  # the years 2000 to 2100
_UNITS = ((31_557_600, "year"), (2_629_800, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def reading(key: str | None, value: str, currency: Callable[[], str | None], now: float) -> str:
    """What a member's value means; empty where there is nothing to add.

    Args:
        key: the member's name as it stands in the text, quotes included.
        value: its value as it stands in the text.
        currency: gives the currency that stands in the same object, in lower case.
        now: the present in Unix seconds.
    """
    if _ISO.fullmatch(value):
        return _ago(datetime.fromisoformat(value[1:-1]).timestamp(), now)
    if key is None or not value.lstrip("-").isdecimal() or len(value) > 18:
        return ""
    number = int(value)
    if _MOMENT_NAMES.fullmatch(key) and _FIRST <= number < _LAST:
        moment = datetime.fromtimestamp(number, UTC)
        return f"{moment.day} {moment:%b %Y %H:%M} UTC, {_ago(number, now)}"
    if _AMOUNT_NAMES.fullmatch(key) and (of := currency()):
        return money(number, of)
    return ""


def money(amount: int, currency: str) -> str:
    """An amount in a currency's smallest unit, as people write it: ``$42.00``, ``¥500``, ``1.500 KWD``."""
    places = 0 if _WITHOUT_PARTS.fullmatch(currency) else 3 if _THOUSANDTHS.fullmatch(currency) else 2
    whole, part = divmod(abs(amount), 10**places)
    text = f"{whole:,}" + (f".{part:0{places}}" if places else "")
    sign = "-" if amount < 0 else ""
    return f"{sign}{_SIGNS[currency]}{text}" if currency in _SIGNS else f"{sign}{text} {currency.upper()}"


def _ago(moment: float, now: float) -> str:
    distance = now - moment
    for seconds, unit in _UNITS:
        count = int(abs(distance) // seconds)
        if count:
            words = f"{count} {unit}{'s' if count > 1 else ''}"
            return f"{words} ago" if distance > 0 else f"in {words}"
    return "now"
