"""How a secret may be written in a text, and finding it there however it is.

A service that tells what it was sent tells it in its own way: plain, with escapes of JSON, of an address or of HTML for some or
all characters, as the numbers of its bytes, inside Base64, with unseen letters between, or cut at the end of the text.
All of these are the secret.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from functools import cached_property
from urllib.parse import quote

SHORTEST = 8
"""Characters from which on a text is a secret by itself; a shorter one may stand anywhere by chance."""

_HTML = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
# A character may be escaped again by whatever quotes the text, so backslashes and percent signs may be several.
_BACKSLASHES, _PERCENT = r"\\(?:\\){0,7}", r"%(?:25){0,3}"
# Soft hyphens, joiners, marks of direction, in UTF-8.
_UNSEEN = r"\xc2\xad|\xcd\x8f|\xe2[\x80\x81][\x8b-\x8f\xa0]|\xef\xbb\xbf"
_UNSEEN_LETTER = re.compile(_UNSEEN.encode())
# Between the letters of text that was read with a wrong width, or that somebody made look whole.
_NOTHING = rf"(?:\x00|{_BACKSLASHES}u0000|{_PERCENT}00|{_UNSEEN}){{0,3}}"
_BETWEEN_NUMBERS = rb"[\s,:;\-]{1,4}(?:0[xX]|\\x)?"


class Spelling:
    """All ways in which one secret may be written.

    Args:
        secret: at least `SHORTEST` characters; a shorter one is not looked for.
    """

    __slots__ = ("__dict__", "_secret")

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def replaced(self, text: bytes, mask: bytes) -> bytes:
        """A text with a mask wherever the secret stands in it."""
        if len(self._secret) < SHORTEST:
            return text
        for form in self._plain:
            text = text.replace(form, mask)
        for numbers in self._numbers:
            text = numbers.sub(lambda _: mask, text)
        if b"\0" in text or self._has_unseen_letters(text) or any(escape.search(text) is not None for escape in self._escapes):
            return self._any.sub(lambda _: mask, text)
        # What breaks off in the middle of the secret tells the part before.
        start = max(len(text) - 4 * len(self._secret), 0)
        return text[:start] + self._any.sub(lambda _: mask, text[start:]) if self._may_break_off(text) else text

    def _has_unseen_letters(self, text: bytes) -> bool:
        """Whether the secret is there once what nobody sees is taken out."""
        if text.isascii():
            return False
        seen, count = _UNSEEN_LETTER.subn(b"", text)
        return count > 0 and self._secret.encode("utf-8", "surrogatepass") in seen

    def _may_break_off(self, text: bytes) -> bool:
        beginning = self._secret[:SHORTEST].encode("utf-8", "surrogatepass")
        return beginning in text[-4 * len(self._secret) :]

    @cached_property
    def _plain(self) -> tuple[bytes, ...]:
        """The forms that are always the same."""
        secret = self._secret.encode("utf-8", "surrogatepass")
        texts = (self._secret, json.dumps(self._secret)[1:-1], json.dumps(self._secret, ensure_ascii=False)[1:-1])
        forms = [one.encode("utf-8", "surrogatepass") for one in texts]
        forms += [quote(secret, safe="").encode(), secret.hex().encode(), secret.hex().upper().encode()]
        wide = [self._secret.encode(name, "surrogatepass") for name in ("utf-16-le", "utf-16-be")]
        for encode in (b64encode, urlsafe_b64encode):
            # What stands before it decides how its bytes fall into groups of three; its ends share characters with others.
            forms += [
                encode(b"\0" * before + held)[first : (before + len(held)) * 8 // 6]
                for held in (secret, b64encode(secret), *wide)
                for before, first in ((0, 0), (1, 2), (2, 3))
            ]
        return tuple(dict.fromkeys(forms))

    @cached_property
    def _numbers(self) -> tuple[re.Pattern[bytes], ...]:
        """Its bytes one by one, in hexadecimal and decimal: ``73 6b 5f``, ``115, 107, 95``."""
        codes = self._secret.encode("utf-8", "surrogatepass")
        hexadecimal = _BETWEEN_NUMBERS.join(_hexadecimal(f"{code:02x}").encode() for code in codes)
        decimal = _BETWEEN_NUMBERS.join(str(code).encode() for code in codes)
        return re.compile(hexadecimal), re.compile(decimal)

    @cached_property
    def _escapes(self) -> tuple[re.Pattern[bytes], ...]:
        """Escapes of its characters: where there are none, only the plain forms can be there.

        Each begins with one plain character, for which `re` looks far faster than for one of several.
        """
        codes = {ord(letter) for letter in self._secret} | {0}
        small = "|".join(sorted({_hexadecimal(f"{code:02x}") for code in codes if code < 0x100}))
        numbers = "|".join(sorted({str(code) for code in codes}))
        wide = not self._secret.isascii()
        octal = "|".join(sorted({f"{code:03o}" for code in codes if code < 0x100} - {"000"}))
        back = [
            f"(?:u00|x)(?:{small})",
            rf"u\{{0*(?:{small})\}}",
            f"(?:{octal})",
            "u" * wide,
            r"""["'\\/]""" * any(letter in "\"'\\/" for letter in self._secret),
        ]
        named = [_HTML[letter] for letter in self._secret if letter in _HTML]
        ways = (
            r"\\(?:" + "|".join(filter(None, back)) + ")",
            "%" if wide else f"%(?:25)*(?:{small})",
            "".join(f"={_hexadecimal(f'{code:02x}')}" for code in self._secret[:2].encode("utf-8", "surrogatepass")),
            "&(?:" + "|".join([f"#0*(?:{numbers})", f"#[xX]0*(?:{small})", *dict.fromkeys(named)]) + ")",
        )
        return tuple(re.compile(way.encode()) for way in ways)

    @cached_property
    def _any(self) -> re.Pattern[bytes]:
        """The secret, each of its characters escaped or not; behind the first few the text may end, also within one."""
        letters = [_letter(letter) for letter in self._secret]
        start = b"".join(letter + _NOTHING.encode() for letter in letters[:SHORTEST])
        end = rb"(?=(?:\xef\xbf\xbd){0,4}\Z)"
        rest = (rb"(?:%s%s|%s)" % (letter, _NOTHING.encode(), end) for letter in letters[SHORTEST:])
        return re.compile(start + b"".join(rest))


def _letter(letter: str) -> bytes:
    """One character however it is escaped."""
    code = ord(letter)
    raw = letter.encode("utf-8", "surrogatepass")
    wide = letter.encode("utf-16-be", "surrogatepass")
    units = [wide[place : place + 2].hex() for place in range(0, len(wide), 2)]
    ways = [re.escape(raw)]
    ways.append("".join(rf"{_BACKSLASHES}u{_hexadecimal(unit)}" for unit in units).encode())
    ways.append("".join(rf"{_PERCENT}{_hexadecimal(f'{byte:02x}')}" for byte in raw).encode())
    ways.append(rf"&#0{{0,6}}{code};?|&#[xX]0{{0,6}}{_hexadecimal(f'{code:x}')};?".encode())
    ways.append(rf"{_BACKSLASHES}u\{{0*{_hexadecimal(f'{code:x}')}\}}".encode())
    ways.append("".join(f"={_hexadecimal(f'{byte:02x}')}" for byte in raw).encode())
    if code < 0x100:
        ways.append(rf"{_BACKSLASHES}(?:x{_hexadecimal(f'{code:02x}')}|{code:03o})".encode())
    if letter in _HTML:
        ways.append(f"&{_HTML[letter]};".encode())
    if letter in "\"'\\/":
        ways.append(rb"\\(?:\\){0,7}" + re.escape(raw))
    if letter == " ":
        ways.append(rb"\+")
    return b"(?:" + b"|".join(ways) + b")"


def _hexadecimal(digits: str) -> str:
    """Hexadecimal digits in small or capital letters."""
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)
