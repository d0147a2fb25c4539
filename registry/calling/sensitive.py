"""Properties of responses that are secret: client secrets, signing secrets, private calendar addresses, full card numbers.

They stay in the response. On screen, and in the command line's output, their values are redacted unless the user asks for
them. A name matches in any spelling, also inside a string that contains JSON itself.
"""

import re
from functools import cache

from registry.accounts.secrets import MASK

_NAMES = ["access_token", "client_secret", "cvc", "http_cal_url", "private_key", "refresh_token", "secret", "web_cal_url"]
_NUMBER = "number"
"""The property whose value is secret if it is a whole card number."""

MASKED = f'"{MASK}"'
MEMBERS = frozenset((*_NAMES, _NUMBER))
"""The names, for a quick first check."""


def is_sensitive(key: str | None, value: str) -> bool:
    """Whether a property's value should be redacted. Name and value are given as JSON text, quotes included."""
    if not value.startswith('"') or value == '""':
        return False
    return mask(f"{key or MASKED}:{value}".encode("utf-8", "replace"))[1] > 0


def mask(text: bytes) -> tuple[bytes, int]:
    """A JSON text with a mask in place of each secret, otherwise unchanged; and the number of masked values.

    Text that is truncated, or invalid further on, is masked as far as possible.
    """
    text, count = _members(escaped=b"\\u00" in text).subn(lambda found: b'"' + (found[1] or found[2]) + MASKED.encode(), text)
    if b'\\"' in text:
        text, more = _quoted_members().subn(lambda found: found[1] + MASK.encode() + found[3], text)
        count += more
    return text, count


@cache
def _members(*, escaped: bool) -> re.Pattern[bytes]:
    """Properties with values to mask. Compiled on first use: the screens start without it."""
    names = "|".join(_spelling(name) if escaped else name for name in _NAMES).encode()
    number, digit = (_spelling(_NUMBER), r"(?:[0-9]|\\u003[0-9])") if escaped else (_NUMBER, "[0-9]")
    colon = rb"[ \t\r\n]*:[ \t\r\n]*"
    string = rb'"(?!")[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
    card = rb'"%s{12,19}(?:"|\Z)' % digit.encode()
    # A quote after a backslash is inside a string, so what follows is not a property name. The pattern starts with the plain
    # quote, because `re` searches for a plain character ten times as fast.
    pattern = rb'"(?<!\\")(?:((?:%s)"%s)%s|(%s"%s)%s)' % (names, colon, string, number.encode(), colon, card)
    return re.compile(pattern, re.DOTALL)


@cache
def _quoted_members() -> re.Pattern[bytes]:
    """The same inside a string that contains JSON: its quotes are escaped by backslashes, more at each depth."""
    start = rb'((?<!\\)(\\++")(?:%s)\2[ \t]*:[ \t]*\2)(?!\2)' % "|".join(_NAMES).encode()
    return re.compile(start + rb'.*?((?<!\\)(?:\2|")|\Z)', re.DOTALL)


def _spelling(name: str) -> str:
    """A name as a pattern in which each letter may be escaped."""
    codes = ((letter, f"{ord(letter):02x}") for letter in name)
    return "".join(rf"(?:{letter}|\\u00{code[0]}[{code[1]}{code[1].upper()}])" for letter, code in codes)
