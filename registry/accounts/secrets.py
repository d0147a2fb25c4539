"""Secrets: wrapped so that they cannot be shown by accident, and masked in whatever comes from outside."""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Mapping
from functools import lru_cache
from urllib.parse import quote, quote_plus

MASK = "••••••••"
SHORTEST = 8
"""The smallest length of a secret that is masked; a shorter text may occur anywhere by chance."""

_MASK = MASK.encode()
_IN_HTML = re.compile("[<>&]")
_ESCAPED = re.compile(rb"%[0-9A-F]{2}")


def redacted(text: bytes, secrets: Iterable[str]) -> bytes:
    """A text with every secret in it masked, in the spellings of `_spellings`."""
    for secret in sorted(secrets, key=len, reverse=True):  # one may be the beginning of another
        for spelling in _spellings(secret):
            text = text.replace(spelling, _MASK)
    return text


@lru_cache(maxsize=128)
def _spellings(secret: str) -> tuple[bytes, ...]:
    """How a service may send a secret back: as itself, JSON-escaped, percent-encoded, and in Base64 of both alphabets.

    Base64 is found also inside a longer text, such as that of ``user:secret`` for Basic authentication: its letters depend on
    how many bytes come before the secret in a group of three. At the ends a letter is shared with other bytes, and not masked.
    """
    if len(secret) < SHORTEST:
        return ()
    plain = secret.encode("utf-8", "surrogatepass")
    found = [plain]
    for escaped in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        for_html = _IN_HTML.sub(lambda sign: f"\\u{ord(sign[0]):04x}", escaped)  # some encoders do this always
        found += [one.encode("utf-8", "surrogatepass") for one in (escaped, escaped.replace("/", "\\/"), for_html)]
    for encoded in (*(quote(plain, safe=signs) for signs in ("", "/", "!'()*")), quote_plus(plain)):
        found += [encoded.encode(), _ESCAPED.sub(lambda code: code[0].lower(), encoded.encode())]
    for encode in (b64encode, urlsafe_b64encode):
        for before, first in ((0, 0), (1, 2), (2, 3)):
            found.append(encode(b"\0" * before + plain)[first : (before + len(plain)) * 8 // 6])
    return tuple(sorted(dict.fromkeys(found), key=len, reverse=True))


def texts_in(value: object) -> list[str]:
    """The texts in a secret argument, which may be an object or a list."""
    if isinstance(value, Mapping):
        return [text for one in value.values() for text in texts_in(one)]
    if isinstance(value, list | tuple):
        return [text for one in value for text in texts_in(one)]
    return [] if value is None else [str(value)]


def basic_proof(user: str, password: str) -> str:
    """A user name and password in the encoding of Basic authentication."""
    return b64encode(f"{user}:{password}".encode()).decode()


class Secret:
    """A credential. Printing, formatting or logging it shows a mask of fixed width; only `reveal` returns the text.

    Args:
        text: the credential.
        parts: the credentials in it that are sent separately.

    Attributes:
        identity: identifies the credential as long as it is the same; as secret as the credential.
        texts: everything that must be masked of it.
        renews: whether its text changes, as that of a `registry.accounts.renewed.RenewedSecret` does.
    """

    __slots__ = ("_text", "identity", "texts")
    renews = False

    def __init__(self, text: str, *parts: str) -> None:
        self._text = text
        self.identity = text
        self.texts = (text, *parts)

    def reveal(self) -> str:
        """The credential itself, for the one place that puts it into a request."""
        return self._text

    async def ready(self, refused: str | None = None) -> None:
        """Renew it if it is about to expire, or if it is still the text that a service `refused` with 401.

        Raises:
            CredentialProblem: there is no valid one.
        """

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)
