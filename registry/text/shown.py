"""Text and values from outside as people may see them: safe, in two forms; times and amounts readable.

**For people** (`visible`, `visible_line`, `visible_json`): on a screen or a terminal, in messages. Control characters,
direction marks and invisible characters become escapes in JSON's form, so that JSON stays the same JSON; more
than eight combining marks on one letter are cut. Emoji, and letters of any script with all that belongs to their spelling,
stay unchanged.

**Exact** (`exact_text`, `exact_json`): in files, on the clipboard, on standard output that is not a terminal. JSON has the same
escapes and loses nothing; other text keeps everything but the controls that a terminal would execute.

Amounts are whole numbers of a currency's smallest unit (facts of the payments service): most currencies have a hundred of them,
some none and a few a thousand.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from math import ceil

_MOST_MARKS = 8
_PIECE = 1 << 20

# C1 controls and DEL; bidirectional marks, embeddings, overrides and isolates; line and paragraph separators; invisible
# operators; annotations; lone surrogates; invisible fillers and joiners; variation selectors; tags; noncharacters.
# `_escape` keeps those of them that spell a letter or an emoji.
_ABOVE_C0 = (
    "\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff"
    "\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
)
# What is escaped in one line, in several lines, and in JSON. `re` compiles them on first use: most text is plain.
_IN_LINE, _IN_LINES, _IN_JSON = (
    f"[{controls}{_ABOVE_C0}]" for controls in ("\x00-\x1f", "\x00-\x08\x0b-\x1f", "\x00-\x08\x0b\x0c\x0e-\x1f")
)
_JOINS, _NOT_JOINS, _AS_TEXT, _AS_EMOJI = "\u200d", "\u200c", "\ufe0e", "\ufe0f"
_JOINING = ("ARABIC", "SYRIAC", "MONGOLIAN", "NKO", "MANDAIC")
# The characters of emoji, apart from digits before a keycap.
_EMOJI = (
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b55\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
# Runs that may have more marks than a letter can: for `re`, marks are neither letters nor digits, nor ASCII.
_HEAP = rf"[^\x00-\u02ff\w]{{{_MOST_MARKS + 1},}}"
_HAN = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"


def visible(text: str) -> str:
    """Text for one or more lines: everything unsafe except tabs and line breaks becomes an escape."""
    return text if _plain(text.replace("\n", "")) else _for_eyes(text, _IN_LINES)


def visible_line(text: str) -> str:
    """Text for one line: tabs and line breaks become escapes as well."""
    return text if _plain(text) else _for_eyes(text, _IN_LINE)


def visible_json(text: str) -> str:
    """JSON text with everything unsafe escaped, for a screen."""
    # Between JSON tokens the kind of a line break does not matter, but to a terminal it does.
    return _in_pieces(text, lambda piece: _for_eyes(piece.replace("\r\n", "\n").replace("\r", "\n"), _IN_LINES))


def exact_json(text: str) -> str:
    """JSON text with everything escaped that could harm or mislead; its meaning is exactly the same."""
    return _in_pieces(text, lambda piece: re.sub(_IN_JSON, _escape, piece))


def exact_line(text: str) -> str:
    """Text for a line that is edited and sent: like `visible_line`, but nothing is cut, and joiners stay as typed."""
    if _plain(text):
        return text
    return re.sub(
        f"[\x00-\x1f{_ABOVE_C0}]", lambda found: found[0] if found[0] in (_JOINS, _NOT_JOINS) else _escape(found), text
    )


def exact_text(text: str) -> str:
    """Text unchanged, except for controls that a terminal would execute, and lone surrogates, which no file can hold."""
    return text if _plain(text) else re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", _escape, text)


def shortened(text: str, length: int) -> str:
    """At most `length` characters of a text, with an ellipsis if it was cut."""
    return text if len(text) <= length else text[: max(length - 1, 0)] + "…"


def _plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _in_pieces(text: str, safe: Callable[[str], str]) -> str:
    """JSON text made safe. Long text in pieces that end with a comma, which belongs to no letter: a signal can end the work."""
    made, start = [], 0
    while start < len(text):
        end = text.find(",", start + _PIECE) + 1 or len(text)
        piece = text[start:end]
        made.append(piece if _plain(piece.replace("\n", "")) else safe(piece))
        start = end
    return "".join(made)


def _for_eyes(text: str, unsafe: str) -> str:
    return re.sub(_HEAP, _cut_marks, re.sub(unsafe, _escape, text))


def _cut_marks(found: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for letter in found.group():
        marks = marks + 1 if unicodedata.category(letter).startswith("M") else 0
        if marks <= _MOST_MARKS:
            kept.append(letter)
        elif marks == _MOST_MARKS + 1:
            kept.append("…")
    return "".join(kept)


def _escape(found: re.Match[str]) -> str:
    letter = found.group()
    code = ord(letter)
    if code > 0xAD and _spells(letter, found.string, found.start()):
        return letter
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return {0x09: "\\t", 0x0A: "\\n"}.get(code, f"\\u{code:04x}")


def _spells(letter: str, text: str, place: int) -> bool:
    """Whether a character that is invisible by itself belongs to the emoji or letter before it."""
    before, after = text[place - 1 : place], text[place + 1 : place + 2]
    if not before:
        return False
    if letter == _AS_EMOJI and before in "#*0123456789":
        return after == "\u20e3"
    if letter in (_AS_EMOJI, _AS_TEXT):
        return re.match(_EMOJI, before) is not None
    if letter in (_JOINS, _NOT_JOINS):
        if letter == _JOINS and (
            re.match(_EMOJI, before) or (before == _AS_EMOJI and place > 1 and re.match(_EMOJI, text[place - 2]))
        ):
            return True
        if unicodedata.combining(before) == 9:  # a virama: the joiner after it says how the letters around it are joined
            return True
        # Joiners belong to the spelling of joined scripts, and those of India and beyond.
        joins = before.isalpha() or (letter == _NOT_JOINS and bool(unicodedata.combining(before)))
        return joins and unicodedata.name(before, "").startswith(_JOINING)
    return ("\ufe00" <= letter <= "\ufe02" or letter >= "\U000e0100") and re.match(_HAN, before) is not None


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
    sign, decimals = "-" if amount < 0 else "", places(currency)
    size = -amount if amount < 0 else amount
    if currency in _SENT_WITH_PARTS and size % 100 == 0:
        decimals, size = 0, size // 100
    if size != int(size):
        return f"{sign}{Decimal(size).scaleb(-decimals).normalize():,f} {currency.upper()}"
    whole, part = divmod(int(size), 10**decimals)
    return f"{sign}{whole:,}" + (f".{part:0{decimals}}" if decimals else "") + f" {currency.upper()}"


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
