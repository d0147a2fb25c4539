"""A service that notes what it was asked and answers with an empty object."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.loopback import listening


@dataclass(frozen=True)
class Asked:
    """A request as it arrived: the query's pairs are sorted, because their order means nothing across names."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...]
    accept: str
    authorization: str
    body: Any

    @classmethod
    def of(cls, method: str, target: str, headers: Any, content: bytes) -> "Asked":
        parts = urlsplit(target)
        pairs = tuple(sorted(parse_qsl(parts.query, keep_blank_values=True)))
        body = json.loads(content) if content else None
        return cls(method, parts.path, pairs, headers["Accept"], headers["Authorization"], body)


@contextmanager
def recording_service() -> Iterator[tuple[str, list[Asked]]]:
    """The base URL on loopback, and the list that grows with each request."""
    asked: list[Asked] = []

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append(Asked.of(self.command, self.path, self.headers, content))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  (the base class asks for these names)

    with listening(Answering) as address:
        yield address, asked
