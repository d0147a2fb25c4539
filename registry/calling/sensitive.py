"""Properties of responses that are secret: client secrets, signing secrets, private calendar addresses, full card numbers.

They stay in the response. On screen, and in the command line's output, their values are redacted unless the user asks for
them. A name matches in any spelling, also inside a string that contains JSON itself.
"""

from __future__ import annotations

import json
import re
from functools import cache

from registry.accounts.secrets import MASK

_NAMES = {
    '"client_secret"',
    '"secret"',
    '"cvc"',
    '"http_cal_url"',
    '"web_cal_url"',
    '"access_token"',
    '"refresh_token"',
    '"private_key"',
}
_NUMBER = '"number"'
_CARD_NUMBER = re.compile(r'"[0-9]{12,19}"')

MASKED = f'"{MASK}"'

# The same names without quotes, and ``number``: for a quick first check.
MEMBERS = frozenset(name.strip('"') for name in _NAMES) | {"number"}


def is_sensitive(key: str | None, value: str) -> bool:
    """Whether a property's value should be redacted. Name and value are given as JSON text, quotes included."""
    if not value.startswith('"') or value == '""':
        return False
    if '\\"' in value and _quoted_members().search(value.encode("utf-8", "replace")) is not None:
        return True
    if key is None:
        return False
    if "\\" in key:
        key = _spelled_out(key)
    if key in _NAMES:
        return True
    return key == _NUMBER and _CARD_NUMBER.fullmatch(_spelled_out(value) if "\\" in value else value) is not None


def mask(text: bytes) -> tuple[bytes, int]:
    """A JSON text with a mask in place of each secret, otherwise unchanged; and the number of masked values.

    Text that is truncated, or invalid further on, is masked as far as possible.
    """
    text, count = _members(escaped=b"\\u00" in text).subn(lambda found: b'"' + (found[1] or found[2]) + MASKED.encode(), text)
    if b'\\"' in text:
        text, more = _quoted_members().subn(lambda found: found[1] + MASK.encode() + found[3], text)
        count += more
    return text, count


def _spelled_out(token: str) -> str:
    """A JSON string with only the necessary escapes; unchanged if it is not a JSON string."""
    try:
        return json.dumps(json.loads(token), ensure_ascii=False)
    except ValueError:
        return token


@cache
def _members(*, escaped: bool) -> re.Pattern[bytes]:
    """Properties with values to mask. Compiled on first use: the screens start without it."""
    names = "|".join(_spelling(name, escaped=escaped) for name in sorted(_NAMES)).encode()
    number, digit = _spelling(_NUMBER, escaped=escaped).encode(), rb"(?:[0-9]|\\u003[0-9])" if escaped else b"[0-9]"
    colon = rb"[ \t\r\n]*:[ \t\r\n]*"
    string = rb'"(?!")[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
    card = rb'"%s{12,19}(?:"|\Z)' % digit
    # A quote after a backslash is inside a string, so what follows is not a property name. The pattern starts with the plain
    # quote, because `re` searches for a plain character ten times as fast.
    return re.compile(rb'"(?<!\\")(?:((?:%s)"%s)%s|(%s"%s)%s)' % (names, colon, string, number, colon, card), re.DOTALL)


@cache
def _quoted_members() -> re.Pattern[bytes]:
    """The same inside a string that contains JSON: its quotes are escaped by backslashes, more at each depth."""
    names = "|".join(name.strip('"') for name in sorted(_NAMES)).encode()
    start = rb'((?<!\\)(\\++")(?:%s)\2[ \t]*:[ \t]*\2)(?!\2)' % names
    return re.compile(start + rb'.*?((?<!\\)(?:\2|")|\Z)', re.DOTALL)


def _spelling(name: str, *, escaped: bool) -> str:
    """A name without its quotes as a pattern; each letter may be escaped."""
    name = name.strip('"')
    return "".join(map(_letter, name)) if escaped else name


def _letter(letter: str) -> str:
    code = f"{ord(letter):02x}"
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in code)
    return rf"(?:{re.escape(letter)}|\\u00{digits})"
