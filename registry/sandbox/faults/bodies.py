"""Bodies that the services do not send themselves: proxy pages, and lists of any size, also compressed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator

from starlette.responses import HTMLResponse, Response

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
    head, item, tail = _shape(service, path)
    room = size - len(head) - len(tail)
    yield head
    together = max(_PIECE // (len(item) + 1), 1)
    items = b",".join([item] * together)
    first = True
    while room >= len(items) + 1:
        piece = items if first else b"," + items
        first = False
        room -= len(piece)
        yield piece
    while room >= len(item) + 1:
        piece = item if first else b"," + item
        first = False
        room -= len(piece)
        yield piece
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


def _shape(service: str, path: str) -> tuple[bytes, bytes, bytes]:
    """The text before the items, one item, and the text after them."""
    item = {"id": "filler_0000000000000000", "object": "filler", "description": "An object that only takes up room. " * 20}
    # The frame must fit into the smallest list, however long the address is.
    shown = path[:100]
    match service:
        case "incidents":
            name = shown.rstrip("/").rpartition("/")[2] or "incidents"
            head, tail = f'{{"limit":100,"offset":0,"more":false,"total":null,{json.dumps(name)}:[', "]}"
            item = {"id": "PFILLER", "type": "filler", "summary": item["description"]}
        case "crm":
            head, tail = '{"results":[', "]}"
            item = {"id": "0", "email": "filler@fernway.example", "firstName": item["description"]}
        case _:
            kind = "search_result" if shown.endswith("/search") else "list"
            head, tail = f'{{"object":"{kind}","url":{json.dumps(shown)},"has_more":false,"data":[', "]}"
    return head.encode(), json.dumps(item).encode(), tail.encode()
