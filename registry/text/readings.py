"""Timestamps and amounts of money in readable form, shown next to the raw value and never instead of it.

Amounts are whole numbers of a currency's smallest unit (facts of the payments service): most currencies have a hundred of them,
some none and a few a thousand.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from math import ceil

DUE = "due, checking"  # the text of a countdown at zero, until the next refresh

MINUTE, HOUR, DAY = 60, 3_600, 86_400

_MOST = 18  # such numbers fit into the integers of databases, clocks and floats

_WITHOUT_PARTS = re.compile("bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf")
_THOUSANDTHS = re.compile("bhd|jod|kwd|omr|tnd")
# Currencies without parts whose amounts the service takes with two places all the same, always zeros.
_SENT_WITH_PARTS = ("isk", "ugx")
_MOMENT_NAMES = re.compile(
    r'"(?:created|updated|date|start|end|\w*_at|\w*_(?:time|date|start|end|until|before|after|from)|available_on|'
    r'billing_cycle_anchor|timestamp)"'
)
_AMOUNT_NAMES = re.compile(r'"(?:\w*amount\w*|total\w*|subtotal\w*|(?:\w+_)?balance|fee|net|tax|credit|debit|gross)"')
_ISO = re.compile(r'"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})"')
_FIRST, _LAST = 946_684_800, 4_102_444_800  # the years 2000 to 2100
_SHORT = ((31_557_600, "y"), (86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_UNITS = ((31_557_600, "year"), (2_629_800, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def reading(key: str | None, value: str, beside: Callable[[str], object], now: float) -> str:
    """The readable form of a property's value; empty if there is nothing to add.

    Args:
        key: the property's name as in the JSON text, quotes included.
        value: its value as in the JSON text.
        beside: returns the value of another property of the same object.
        now: the current time in Unix seconds.
    """
    if (at := moment(key, value)) is not None:
        far = distance(at.timestamp(), now)
        return far if value.startswith('"') else f"{at.day} {at:%b %Y %H:%M} UTC, {far}"
    if key is not None and is_amount(key, value) and (of := currency_beside(key[1:-1], beside)):
        return money(int(value), of)
    return ""


def moment(key: str | None, value: str) -> datetime | None:
    """The time of a property's value, in UTC: an ISO time with a zone, or Unix seconds under a name for times."""
    if _ISO.fullmatch(value):
        try:
            return datetime.fromisoformat(value[1:-1]).astimezone(UTC)
        except (ValueError, OverflowError):
            return None  # 30 February, or an hour before the year 1
    if key is None or not _is_whole(value) or not _MOMENT_NAMES.fullmatch(key) or not _FIRST <= int(value) < _LAST:
        return None
    return datetime.fromtimestamp(int(value), UTC)


def is_amount(key: str | None, value: str) -> bool:
    """Whether a property's value is an amount in a currency's smallest unit, if the object has a currency."""
    return key is not None and _is_whole(value) and _AMOUNT_NAMES.fullmatch(key) is not None


def currency_names(name: str) -> tuple[str, ...]:
    """The properties that may hold an amount's currency, its own first: ``merchant_amount`` has a ``merchant_currency``."""
    return tuple(dict.fromkeys((f"{name.removesuffix('_amount')}_currency", f"{name}_currency", "currency")))


def currency_beside(name: str, beside: Callable[[str], object]) -> str:
    """The currency of an amount in lower case; empty without one. `beside` gives the object's other properties by name."""
    found = (beside(one) for one in currency_names(name))
    return next((one.lower() for one in found if isinstance(one, str) and len(one) == 3 and one.isalpha()), "")


def places(currency: str) -> int:
    """How many decimal places a currency has."""
    return 0 if _WITHOUT_PARTS.fullmatch(currency) else 3 if _THOUSANDTHS.fullmatch(currency) else 2


def money(amount: int | Decimal, currency: str) -> str:
    """An amount in a currency's smallest unit, with the currency's code: ``42.00 USD``, ``-500 JPY``.

    It is written in this way everywhere: digits of one currency align in a column, and no two currencies share a sign. With
    parts of the smallest unit, all digits: ``0.0005 USD``.
    """
    return f"{'-' if amount < 0 else ''}{_digits(-amount if amount < 0 else amount, currency)} {currency.upper()}"


def _digits(amount: int | Decimal, currency: str) -> str:
    decimals = places(currency)
    if currency in _SENT_WITH_PARTS and amount % 100 == 0:
        decimals, amount = 0, amount // 100
    if amount != int(amount):
        return f"{Decimal(amount).scaleb(-decimals).normalize():,f}"
    whole, part = divmod(int(amount), 10**decimals)
    return f"{whole:,}" + (f".{part:0{decimals}}" if decimals else "")


def _is_whole(value: str) -> bool:
    return len(value) <= 18 and value.lstrip("-").isdecimal()


def size(count: int) -> str:
    """A number of bytes in readable form."""
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB" if count >= 1e3 else f"{count} B"


def distance(moment: float, now: float) -> str:
    """The distance to a time, both in Unix seconds: ``3 days ago``, ``in 2 hours``, ``now``."""
    count, unit = _largest(abs(now - moment), _UNITS)
    words = f"{count} {unit}{'s' if count > 1 else ''}"
    return "now" if not count else f"{words} ago" if now > moment else f"in {words}"


def when(at: float, now: float, zone: tzinfo | None = None) -> str:
    """A time in few cells, as in tables: its distance within a day, else its date: ``4 min ago``, ``in 3 h``, ``24 Nov``."""
    if abs(at - now) < 86_400:
        far = short_distance(at, now)
        return far if far == "now" or at > now else f"{far} ago"
    return date(at, now, zone)


def date(at: float, now: float, zone: tzinfo | None = None) -> str:
    """A day, with its year if that is not the current one: ``15 Nov``, ``15 Nov 2025``."""
    then = datetime.fromtimestamp(at, zone)
    return f"{then.day} {then:%b}" if then.year == datetime.fromtimestamp(now, zone).year else f"{then.day} {then:%b %Y}"


def short_distance(moment: float, now: float) -> str:
    """The distance to a time, both in Unix seconds, in a few cells: ``18 h`` for the past, ``in 4 d`` for the future."""
    count, unit = _largest(abs(now - moment), _SHORT)
    return "now" if not count else f"{count} {unit}" if now > moment else f"in {count} {unit}"


def _largest(seconds: float, units: tuple[tuple[int, str], ...]) -> tuple[int, str]:
    """How many of the largest unit a time lasts, and the unit."""
    return next(((int(seconds // length), unit) for length, unit in units if seconds >= length), (0, ""))


def whole(text: str) -> int | None:
    """The number in a text of digits; None for any other text, and for too many digits."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST else None


def local_moment(at: float) -> str:
    """A time in Unix seconds in local time: the time of day for today, with the date for another day."""
    then, today = datetime.fromtimestamp(at), datetime.now()
    if then.date() == today.date():
        return f"{then:%H:%M:%S}"
    return f"{then.day} {then:%b %H:%M}" if then.year == today.year else f"{then.day} {then:%b %Y}"


def time_left(seconds: float) -> str:
    """A short time, in minutes or seconds."""
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(seconds, 0):.0f} s"


def lasted(seconds: float) -> str:
    """A length of time in its two largest units: ``7 min``, ``1 h 8 min``, ``3 d 2 h``."""
    parts, left = list[str](), int(abs(seconds))
    for length, unit in _SHORT:
        count, left = divmod(left, length)
        if count:
            parts.append(f"{count} {unit}")
        elif parts:
            break
    return " ".join(parts[:2]) or "0 s"


def counted(count: int, one: str, several: str = "") -> str:
    """A number with its noun: ``1 row``, ``1,200 rows``."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def age(seconds: float) -> str:
    """How long something has lasted, in at most six characters: ``12s``, ``4m12s``, ``44m``, ``5h46m``, ``30h``, ``41d``."""
    whole = max(int(seconds), 0)
    if MINUTE <= whole < 10 * MINUTE:
        return f"{whole // MINUTE}m{whole % MINUTE:02}s"
    if whole < DAY:
        return span(whole)
    return f"{whole // HOUR}h" if whole < 2 * DAY else f"{whole // DAY}d"


def countdown(at: float, now: float) -> str:
    """How long until a moment: ``0:48``, ``12m05s`` (no time of day), ``2h05m``, ``3d 4h``; `DUE` from zero on."""
    left = ceil(at - now)
    if left <= 0:
        return DUE
    if left < MINUTE:
        return f"0:{left:02}"
    return f"{left // MINUTE}m{left % MINUTE:02}s" if left < HOUR else span(left)


def span(seconds: float) -> str:
    """A duration in its two largest units: ``48s``, ``5m``, ``5h46m``, ``3d 4h``."""
    whole = max(int(seconds), 0)
    if whole < MINUTE:
        return f"{whole}s"
    if whole < HOUR:
        return f"{whole // MINUTE}m"
    if whole < DAY:
        return f"{whole // HOUR}h{whole % HOUR // MINUTE:02}m"
    hours = whole % DAY // HOUR
    return f"{whole // DAY}d {hours}h" if hours else f"{whole // DAY}d"


def bare(media_type: str) -> str:
    """A media type without its parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()
