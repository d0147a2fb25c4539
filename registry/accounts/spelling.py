"""Finds a secret in a text in any encoding.

A service may echo a secret in its own way: plain, with JSON, URL or HTML escapes for some or all characters, as
the numbers of its bytes, inside Base64, with invisible characters in between, in capitals, or cut at the end of the text. All
of these must be found. Only a secret that could be a word, short and of letters in a usual letter case, is not searched for in
other letter cases: the word may occur anywhere.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from functools import cached_property
from urllib.parse import quote

SHORTEST = 8
"""The smallest length of a secret that is searched for; a shorter text may occur anywhere by chance."""

_HTML = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos"}
_NO_WORD = 16
"""The length from which on a secret cannot be a word."""

_STEP = 1 << 18
"""Bytes that are searched at a time if the search needs a copy, so that no large text is copied as a whole."""

# For a quick first check of a text: letter case is ignored, also in hexadecimal (4 and 6, 5 and 7), and characters that may be
# between numbers, differ between Base64 alphabets or are frequent in JSON are removed. Every form is still found after that.
_ALIKE = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ45", b"abcdefghijklmnopqrstuvwxyz67")
_LEFT_OUT = b' \t\r\n\v\f,:;-0xX\\+/_"{}[]'

# A character may be escaped again by each format that quotes the text, so there may be several backslashes or percent signs.
_BACKSLASHES, _PERCENT = r"\\(?:\\){0,7}", r"%(?:25){0,3}"
# Soft hyphens, joiners, direction marks, in UTF-8.
_SINGLE, _RANGE = (r"\xc2\xad", r"\xcd\x8f", r"\xef\xbb\xbf"), r"\xe2[\x80\x81][\x8b-\x8f\xa0]"
_UNSEEN = "|".join((*_SINGLE, _RANGE))
_UNSEEN_LETTER = re.compile(_UNSEEN.encode())
# Searching for them one by one is ten times as fast as for all at once; hardly a text has one.
_EACH_UNSEEN = tuple(re.compile(one.encode()) for one in (*_SINGLE, _RANGE))
# Between the characters of text that was decoded with a wrong width, or that was manipulated to look normal.
_NOTHING = rf"(?:\x00|{_BACKSLASHES}u0000|{_PERCENT}00|{_UNSEEN}){{0,3}}"
# The start of an escape, if the text is cut inside it.
_BEGUN = (
    rf"{_PERCENT}2?5?[0-9A-Fa-f]?|{_BACKSLASHES}(?:u\{{?[0-9A-Fa-f]{{0,4}}|x[0-9A-Fa-f]?|[0-7]{{0,2}})"
    r"|&#?[xX]?[0-9A-Za-z]{0,7}|=[0-9A-Fa-f]?"
)
# The first character of each of `_escapes`.
_SIGNS = (b"\\", b"%", b"=", b"&")
_BETWEEN_NUMBERS = rb"[\s,:;\-]{1,4}(?:0[xX]|\\x)?"


class Spelling:
    """All forms of one secret.

    Args:
        secret: at least `SHORTEST` characters; a shorter one is not searched for.
    """

    __slots__ = ("__dict__", "_secret")

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def replaced(self, text: bytes, mask: bytes) -> bytes:
        """A text with every occurrence of the secret masked."""
        if len(self._secret) < SHORTEST or not self._may_occur_in(text):
            return text
        return self._masked(text, mask)

    def _may_occur_in(self, text: bytes) -> bool:
        """Whether `_masked` must run: a quick check, which never says no if `_masked` would find something."""
        forms, before = self._left, b""
        for start in range(0, len(text), _STEP):
            part = before + text[start : start + _STEP].translate(_ALIKE, _LEFT_OUT)
            for form in forms:
                if form in part:
                    return True
            before = part[-len(forms[-1]) :]
        return self._needs_long_way(text) or self._may_break_off(text)

    @cached_property
    def _left(self) -> tuple[bytes, ...]:
        """The forms without escapes, as the first check sees them, longest last; none contains another one."""
        numbers = ("".join(map(str, case.encode("utf-8", "surrogatepass"))).encode() for case in self._cases)
        # Both byte orders of UTF-16 contain this, one of them shifted by a byte.
        wide = self._secret.encode("utf-16-le", "surrogatepass")[:-1]
        inside = (_inside(b64encode, wide, before, first) for before, first in _OFFSETS)
        left = dict.fromkeys(form.translate(_ALIKE, _LEFT_OUT) for form in (*inside, *self._folded, *self._plain, *numbers))
        return tuple(sorted((one for one in left if not any(other in one for other in left if other != one)), key=len))

    def _needs_long_way(self, text: bytes) -> bool:
        """Whether the text may contain the secret with escapes, or with invisible characters inside."""
        for place, sign in enumerate(_SIGNS):
            if sign in text and self._escapes[place].search(text) is not None:
                return True
        return b"\0" in text or self._has_unseen_letters(text)

    def _masked(self, text: bytes, mask: bytes) -> bytes:
        for form in self._plain:
            text = text.replace(form, mask)
        for form in self._folded:
            text = _without(text, form, mask)
        for numbers in self._numbers:
            text = numbers.sub(lambda _: mask, text)
        if self._needs_long_way(text):
            return self._any.sub(lambda _: mask, text)
        # A text that is cut inside the secret shows the part before.
        start = max(len(text) - 4 * len(self._secret), 0)
        return text[:start] + self._any.sub(lambda _: mask, text[start:]) if self._may_break_off(text) else text

    def _has_unseen_letters(self, text: bytes) -> bool:
        """Whether the text contains the secret once invisible characters are removed."""
        if text.isascii() or not any(letter.search(text) for letter in _EACH_UNSEEN):
            return False
        seen, count = _UNSEEN_LETTER.subn(b"", text)
        forms = self._folded or (self._secret.encode("utf-8", "surrogatepass"),)
        return count > 0 and any(form in (seen.lower() if self._folded else seen) for form in forms)

    def _may_break_off(self, text: bytes) -> bool:
        end = text[-4 * len(self._secret) :]
        if self._folded:
            end = end.lower()
        return any(beginning in end for beginning in self._beginnings)

    @cached_property
    def _beginnings(self) -> tuple[bytes, ...]:
        """Its first characters; in lower case if letter case is ignored."""
        beginnings = [case[:SHORTEST].encode("utf-8", "surrogatepass") for case in self._cases]
        return tuple(dict.fromkeys(one.lower() for one in beginnings)) if self._folded else tuple(beginnings)

    @cached_property
    def _cases(self) -> tuple[str, ...]:
        """The secret, and in capitals and in lower case if it cannot be a word."""
        secret = self._secret
        if len(secret) < _NO_WORD and secret.isalpha() and secret in (secret.lower(), secret.upper(), secret.capitalize()):
            return (secret,)
        return tuple(dict.fromkeys((secret, secret.upper(), secret.lower())))

    @cached_property
    def _folded(self) -> tuple[bytes, ...]:
        """Its forms in lower case, which are searched for in any letter case; empty if it has one case, or may be a word."""
        forms = [form for case in self._cases for form in _written(case)] if len(self._cases) > 1 else []
        return tuple(dict.fromkeys(form.lower() for form in forms))

    @cached_property
    def _plain(self) -> tuple[bytes, ...]:
        """The forms that are always written the same."""
        secret = self._secret.encode("utf-8", "surrogatepass")
        forms = list(_written(self._secret))
        for case in self._cases:
            held = case.encode("utf-8", "surrogatepass")
            forms += [held.hex().encode(), held.hex().upper().encode()]
            forms += [_inside(b64encode, held, before, first) for before, first in _OFFSETS]
        wide = [self._secret.encode(name, "surrogatepass") for name in ("utf-16-le", "utf-16-be")]
        for encode in (b64encode, urlsafe_b64encode):
            inner = (secret, b64encode(secret), *wide)
            forms += [_inside(encode, held, before, first) for held in inner for before, first in _OFFSETS]
        return tuple(dict.fromkeys(forms))

    @cached_property
    def _numbers(self) -> tuple[re.Pattern[bytes], ...]:
        """Its bytes one by one, in hexadecimal and decimal: ``73 6b 5f``, ``115, 107, 95``."""
        found = []
        for case in self._cases:
            codes = case.encode("utf-8", "surrogatepass")
            hexadecimal = _BETWEEN_NUMBERS.join(_hexadecimal(f"{code:02x}").encode() for code in codes)
            found += [hexadecimal, _BETWEEN_NUMBERS.join(str(code).encode() for code in codes)]
        return tuple(map(re.compile, found))

    @cached_property
    def _escapes(self) -> tuple[re.Pattern[bytes], ...]:
        """Escapes of its characters: if a text has none of them, it can only contain the plain forms.

        Each pattern starts with one plain character, for which `re` searches far faster than for one of several.
        """
        codes = {ord(letter) for letter in "".join(self._cases)} | {0}
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
            "|".join(dict.fromkeys(_quoted_printable(case[:2]) for case in self._cases)),
            "&(?:" + "|".join([f"#0*(?:{numbers})", f"#[xX]0*(?:{small})", *dict.fromkeys(named)]) + ")",
        )
        return tuple(re.compile(way.encode()) for way in ways)

    @cached_property
    def _any(self) -> re.Pattern[bytes]:
        """The secret with each character escaped or not; after the first few the text may end, also inside a character."""
        letters = [_letter(letter, alike=len(self._cases) > 1) for letter in self._secret]
        start = b"".join(letter + _NOTHING.encode() for letter in letters[:SHORTEST])
        end = rb"(?:%s)?(?=(?:\xef\xbf\xbd){0,4}\Z)" % _BEGUN.encode()
        rest = (rb"(?:%s%s|%s)" % (letter, _NOTHING.encode(), end) for letter in letters[SHORTEST:])
        return re.compile(start + b"".join(rest))


def _written(secret: str) -> tuple[bytes, ...]:
    """The secret as text, in JSON and in a URL."""
    texts = (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    held = [one.encode("utf-8", "surrogatepass") for one in texts]
    return (*held, quote(held[0], safe="").encode())


_OFFSETS = ((0, 0), (1, 2), (2, 3))
"""How many bytes come before it in its group of three, and the first Base64 character that depends only on it."""


def _inside(encode: Callable[[bytes], bytes], held: bytes, before: int, first: int) -> bytes:
    """The part of the Base64 text that depends only on the secret: at its ends, characters are shared with other bytes."""
    return encode(b"\0" * before + held)[first : (before + len(held)) * 8 // 6]


def _without(text: bytes, form: bytes, mask: bytes) -> bytes:
    """A text with a lower-case form masked wherever it occurs in any letter case."""
    kept, end = [], 0
    for start in range(0, len(text), _STEP):
        part = text[start : start + _STEP + len(form) - 1].lower()
        place = part.find(form)
        while place >= 0:
            if start + place >= end:
                kept += [text[end : start + place], mask]
                end = start + place + len(form)
            place = part.find(form, place + 1)
    return b"".join((*kept, text[end:])) if kept else text


def _letter(letter: str, *, alike: bool) -> bytes:
    """One character in any escape; with `alike` in either letter case."""
    cases = dict.fromkeys((letter, letter.upper(), letter.lower())) if alike else (letter,)
    return b"(?:" + b"|".join(_escaped(case) for case in cases if len(case) == 1) + b")"


def _escaped(letter: str) -> bytes:
    """One character in any escape."""
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


def _quoted_printable(text: str) -> str:
    return "".join(f"={_hexadecimal(f'{code:02x}')}" for code in text.encode("utf-8", "surrogatepass"))


def _hexadecimal(digits: str) -> str:
    """Hexadecimal digits in either letter case."""
    return "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits)
