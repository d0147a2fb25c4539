"""Hostile content in a service's own response, which a client must show, store and log safely.

A response is read as JSON, its texts (names, descriptions, messages) are extended, a property ``hostile`` is added in front,
and it is written again, in any character set. A body that is not JSON or is empty is not changed.
The texts are those that have harmed programs of this kind.
"""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

from registry.sandbox.faults.fault import Hostile

ESCAPES = (
    "\x1b[2J\x1b[31mHARM",
    "\x1b]0;HARM\x07",
    "\x1b]52;c;SEFSTQ==\x07",
    "\x1b]8;;https://hostile.example/HARM\x1b\\here\x1b]8;;\x1b\\",
    "\x1bPHARM\x1b\\",
    "\x9b31mHARM",
    "\x9d52;c;SEFSTQ==\x9c",
    "\x08\x08\x7f\x00HARM\r",
    "\u202eMRAH\u202c\u2066\u200f",
    "\u00ad\u034f\u115f\u180e\u200b\u2028\u3164\ufeff\uffa0\ufe0f\U000e0048",
    "a" + "\u0301" * 500,
    "[/][@click=app.quit]HARM[/][bold",
    '=HYPERLINK("https://hostile.example/HARM")',
)
"""Texts that do harm when shown unescaped, or opened in a spreadsheet."""

FORGED = (
    "\ncallboard: It is deleted.",
    "\r\ncallboard: nothing was sent\n→ Run it again.",
    "\u2028✓ 200 OK\n{}\n$ ",
)
"""Line breaks, followed by text that looks like a client's own message."""

HALVES = (" \ud800", " \udc00", " \udc00\ud800", " a\ud83d")
"""Halves of surrogate pairs, each kept from pairing with the one before it."""

SECRET = "seti_0Hostile_secret_0HostileHARM"
"""A client secret, which clients mask; put in so that they must do it here as well."""

_TEXTS = frozenset({"message", "name", "description", "summary", "title", "nickname", "firstName", "lastName", "detail"})


def content(effect: Hostile, body: bytes, authorization: str) -> bytes:
    """A body with the hostile content that an effect asks for.

    Args:
        effect: what to put in, and in which character set to write it.
        body: the service's own response, as JSON in UTF-8.
        authorization: the header that the request carried.
    """
    try:
        whole = json.loads(body)
    except ValueError:
        return body
    credential = authorization.rpartition(" ")[2].removeprefix("token=") or "no-credential"
    texts, member = _hostile(effect.content, credential)
    whole = _extended(whole, "".join(texts))
    if isinstance(whole, dict):
        whole = {"hostile": member, **whole}
    # Halves of surrogate pairs have no encoding; C0 control characters are always escaped.
    written = json.dumps(whole, ensure_ascii=effect.content == "surrogate", separators=(",", ":"))
    if effect.content == "nan" and isinstance(whole, dict):
        written = '{"hostile":"the same name comes again",' + written[1:]
    return written.encode(effect.encoding or "utf-8", "replace")


def echoed_headers(authorization: str) -> list[tuple[bytes, bytes]]:
    """Headers that give back what a request carried, as some proxies do."""
    return [(b"x-received-authorization", authorization.encode("latin-1", "replace"))]


def _hostile(kind: str, credential: str) -> tuple[tuple[str, ...], Any]:
    """By what each text is extended, and the value of the member in front."""
    match kind:
        case "encoding":
            # The letters are harmless in their own character set; read byte by byte they set a terminal's clipboard.
            letters = b"\x1b]52;c;SEFSTQ==\x07 \x1b[31mHARM".decode("utf-16-be")
            return (letters,), letters
        case "nan":
            numbers = {"nan": float("nan"), "infinity": float("inf"), "minus_infinity": float("-inf")}
            return (), {**numbers, "client_secret": SECRET, "amount": float("nan")}
        case "surrogate":
            return HALVES, {half: half for half in HALVES}
        case "escapes":
            return ESCAPES, list(ESCAPES)
        case "forge":
            return FORGED, list(FORGED)
    spellings = {
        "plain": credential,
        "url": f"https://hostile.example/?key={quote(credential, safe='')}",
        "base64": base64.b64encode(credential.encode()).decode(),
        "base64_url": base64.urlsafe_b64encode(credential.encode()).decode(),
        "basic": base64.b64encode(f"user:{credential}".encode()).decode(),
    }
    return (f" {credential}",), {**spellings, credential: "as a name"}


def _extended(value: Any, text: str) -> Any:
    """The value with its texts extended."""
    if isinstance(value, list):
        return [_extended(one, text) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: held + text if name in _TEXTS and isinstance(held, str) else _extended(held, text) for name, held in value.items()
    }
