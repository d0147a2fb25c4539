"""Members of answers that open doors: client secrets, signing secrets, private calendar addresses, full card numbers.

They are part of the answer and stay in it. On a screen, and in what the command line prints, their values are masked unless
they are asked for.
"""

from __future__ import annotations

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
_CARD_NUMBER = re.compile(r'"[0-9]{12,19}"')

MASKED = f'"{MASK}"'

# The names, without their quotes, under which such values may stand: for a first look.
MEMBERS = frozenset(name.strip('"') for name in _NAMES) | {"number"}


def is_sensitive(key: str | None, value: str) -> bool:
    """Whether a member's value should not be shown: both as they stand in JSON text, quotes included."""
    if key is None or not value.startswith('"') or value == '""':
        return False
    return key in _NAMES or (key == '"number"' and _CARD_NUMBER.fullmatch(value) is not None)


def mask(text: bytes) -> tuple[bytes, int]:
    """A JSON text with a mask in place of each value that opens doors, everything else as it came; and how many there were."""
    return _members().subn(lambda found: (found[1] or found[2]) + MASKED.encode(), text)


@cache
def _members() -> re.Pattern[bytes]:
    """Members with values to mask. Compiled when it is first needed: the screens start without."""
    # A quote that a backslash stands before belongs to a string, so what follows it is no member's name.
    names = "|".join(sorted(_NAMES)).encode()
    colon = rb"[ \t\r\n]*:[ \t\r\n]*"
    string = rb'"(?!")[^"\\]*(?:\\.[^"\\]*)*"'
    card = _CARD_NUMBER.pattern.encode()
    return re.compile(rb'(?<!\\)(?:((?:%s)%s)%s|("number"%s)%s)' % (names, colon, string, colon, card))
