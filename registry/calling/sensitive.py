"""Properties of responses that are secret: client secrets, signing secrets, private calendar addresses, full card numbers.

They stay in the response. On screen, and in the output of the command line, their values are redacted unless they are asked
for. A name counts however it is spelled, also inside a string that holds JSON itself.
"""

from __future__ import annotations

import json
import re
from functools import cache

from registry.connections.secrets import MASK

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

# The names, without their quotes, under which such values may stand: for a first look.
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
    """A JSON text with a mask in place of each secret, everything else as it came; and how many there were.

    Text that breaks off, or is not JSON further on, is masked as far as it goes.
    """
    text, count = _members(escaped=b"\\u00" in text).subn(lambda found: b'"' + (found[1] or found[2]) + MASKED.encode(), text)
    if b'\\"' in text:
        text, more = _quoted_members().subn(lambda found: found[1] + MASK.encode() + found[3], text)
        count += more
    return text, count


def _spelled_out(token: str) -> str:
    """A JSON string with escapes only where they are needed; as it is when it is none."""
    try:
        return json.dumps(json.loads(token), ensure_ascii=False)
    except ValueError:
        return token


@cache
def _members(*, escaped: bool) -> re.Pattern[bytes]:
    """Members with values to mask. Compiled when it is first needed: the screens start without."""
    names = "|".join(_spelling(name, escaped=escaped) for name in sorted(_NAMES)).encode()
    number, digit = _spelling(_NUMBER, escaped=escaped).encode(), rb"(?:[0-9]|\\u003[0-9])" if escaped else b"[0-9]"
    colon = rb"[ \t\r\n]*:[ \t\r\n]*"
    string = rb'"(?!")[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
    card = rb'"%s{12,19}(?:"|\Z)' % digit
    # A quote that a backslash stands before belongs to a string, so what follows it is no member's name. The quote is looked at
    # first: for a plain character `re` looks ten times as fast.
    return re.compile(rb'"(?<!\\")(?:((?:%s)"%s)%s|(%s"%s)%s)' % (names, colon, string, number, colon, card), re.DOTALL)


@cache
def _quoted_members() -> re.Pattern[bytes]:
    """The same inside a string that holds JSON: its quotes are escaped by backslashes, more at each depth."""
    names = "|".join(name.strip('"') for name in sorted(_NAMES)).encode()
    start = rb'((?<!\\)(\\++")(?:%s)\2[ \t]*:[ \t]*\2)(?!\2)' % names
    return re.compile(start + rb'.*?((?<!\\)(?:\2|")|\Z)', re.DOTALL)


def _spelling(name: str, *, escaped: bool) -> str:
    """A name without its quotes as a pattern, with each letter escaped or not."""
    name = name.strip('"')
    return "".join(map(_letter, name)) if escaped else name


def _letter(letter: str) -> str:
    code = f"{ord(letter):02x}"
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in code)
    return rf"(?:{re.escape(letter)}|\\u00{digits})"
