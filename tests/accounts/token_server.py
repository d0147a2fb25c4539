"""A token endpoint on this machine that gives the answers of a list, and keeps what it was sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl

from tests.loopback import listening

GOOD: dict[str, Any] = {"access_token": "access-MARKED-1", "refresh_token": "refresh-MARKED-1", "expires_in": 3600}


@dataclass
class TokenServer:
    """What it answers next, and what it was sent.

    An answer is (status, body) or (status, body, headers); a body that is no bytes is sent as JSON. The last one stays.
    """

    address: str = ""
    answers: list[tuple[Any, ...]] = field(default_factory=lambda: [(200, GOOD)])
    forms: list[dict[str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    asked: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    def answer(self) -> tuple[int, bytes, dict[str, str]]:
        status, body, *more = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return status, content, more[0] if more else {"Content-Type": "application/json"}


@contextmanager
def token_server() -> Iterator[TokenServer]:
    """It waits with its answers as long as `go_on` is not set."""
    told = TokenServer()
    told.go_on.set()

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            told.forms.append(dict(parse_qsl(self.rfile.read(length).decode())))
            told.headers.append({name.lower(): value for name, value in self.headers.items()})
            told.asked.set()
            told.go_on.wait(30)
            status, content, headers = told.answer()
            if status == 0:  # the answer is lost on its way
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with listening(Answering) as address:
        told.address = f"{address}/token"
        try:
            yield told
        finally:
            told.go_on.set()
