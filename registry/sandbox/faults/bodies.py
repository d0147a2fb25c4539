"""Bodies that faults put in place of a service's, or make of one: hostile content, pages of proxies, very large lists."""

import base64
import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from starlette.responses import HTMLResponse, Response

from registry.sandbox.faults.specification import Fault

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


def content(fault: Fault, body: bytes, authorization: str) -> bytes:
    """A body with the hostile content that a fault asks for.

    Args:
        fault: what to put in, and in which character set to write it.
        body: the service's own response, as JSON in UTF-8.
        authorization: the header that the request carried.
    """
    try:
        whole = json.loads(body)
    except ValueError:
        return body
    credential = authorization.rpartition(" ")[2].removeprefix("token=") or "no-credential"
    texts, member = _hostile(fault.kind, credential)
    whole = _extended(whole, "".join(texts))
    if isinstance(whole, dict):
        whole = {"hostile": member, **whole}
    # Halves of surrogate pairs have no encoding; C0 control characters are always escaped.
    written = json.dumps(whole, ensure_ascii=fault.kind == "surrogate", separators=(",", ":"))
    if fault.kind == "nan" and isinstance(whole, dict):
        written = '{"hostile":"the same name comes again",' + written[1:]
    return written.encode(fault.encoding or "utf-8", "replace")


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
    if isinstance(value, list):
        return [_extended(one, text) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        name: held + text if name in _TEXTS and isinstance(held, str) else _extended(held, text) for name, held in value.items()
    }


_PAGES = {
    200: ("Sign in to the network", "This network asks you to sign in before you go on."),
    502: ("502 Bad Gateway", "The proxy received no valid answer from the server behind it."),
}
_PIECE = 65_536
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"


def page(status: int) -> Response:
    """A page of HTML with this status, 200 or 502."""
    title, text = _PAGES[status]
    html = f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>\n"
    return HTMLResponse(html, status)


def large_list(service: str, path: str, size: int) -> Iterator[bytes]:
    """A list in the service's shape, of exactly `size` bytes of JSON, in pieces of at most 64 KB.

    Args:
        service: whose shape.
        path: the path that was asked for; the incident service calls a list by its last word.
        size: bytes, enough for the list's frame (1000 are).
    """
    filler = {"id": "filler_0000000000000000", "object": "filler", "description": "An object that only takes up room. " * 20}
    # The frame must fit into the smallest list, however long the address is.
    shown = path[:100]
    match service:
        case "incidents":
            name = shown.rstrip("/").rpartition("/")[2] or "incidents"
            before, after = f'{{"limit":100,"offset":0,"more":false,"total":null,{json.dumps(name)}:[', "]}"
            filler = {"id": "PFILLER", "type": "filler", "summary": filler["description"]}
        case "crm":
            before, after = '{"results":[', "]}"
            filler = {"id": "0", "email": "filler@fernway.example", "firstName": filler["description"]}
        case _:
            kind = "search_result" if shown.endswith("/search") else "list"
            before, after = f'{{"object":"{kind}","url":{json.dumps(shown)},"has_more":false,"data":[', "]}"
    head, item, tail = before.encode(), json.dumps(filler).encode(), after.encode()
    room = size - len(head) - len(tail)
    yield head
    comma = b""
    for piece in (b",".join([item] * max(_PIECE // (len(item) + 1), 1)), item):
        while room >= len(piece) + 1:
            yield comma + piece
            room -= len(comma + piece)
            comma = b","
    yield b" " * room + tail


def compressed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same as one gzip stream. Pieces that occur again are compressed once, so that making it costs little."""
    yield _GZIP_HEAD
    check, size = 0, 0
    known: dict[bytes, bytes] = {}
    for piece in pieces:
        check, size = zlib.crc32(piece, check), size + len(piece)
        if piece not in known:
            packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
            # After a full flush what follows refers to nothing before it, and begins with a whole byte.
            known[piece] = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
        yield known[piece]
    yield (
        zlib.compressobj(9, wbits=-zlib.MAX_WBITS).flush() + check.to_bytes(4, "little") + (size % 2**32).to_bytes(4, "little")
    )
