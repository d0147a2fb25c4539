"""A local service that repeats everything it was sent in its responses, as some debug modes and proxies do."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.loopback import listening

ANSWER_SECRETS = {
    "client_secret": "pi_1_secret_MARKEDanswer",
    "secret": "whsec_MARKEDwebhook",
    "access_token": "MARKEDaccess",
    "http_cal_url": "https://calendar.example/MARKEDcalendar",
}


@contextmanager
def telltale() -> Iterator[tuple[str, list[str]]]:
    """Yields its base URL and a list with a line for each request: target, headers and body.

    Ids that begin with ``no`` are not found. The error response repeats the request too.
    """
    sent: list[str] = []

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            headers = " ".join(f"{name}: {value}" for name, value in self.headers.items())
            told = f"{self.command} {self.path} {headers} {content}"
            sent.append(told)
            missing = "/no" in self.path
            thing: dict[str, Any] = {"object": "payment_intent", "id": "pi_1", "email": "ada@fernway.example", **ANSWER_SECRETS}
            things = [{**thing, "id": f"pi_{number}"} for number in range(3)]
            found = {**thing, "told": self.headers["Authorization"], "data": things, "users": things, "has_more": False}
            refusal = {"error": {"message": f"No such thing; you sent {told}"}, "message": told, **ANSWER_SECRETS}
            body = json.dumps(refusal if missing else found).encode()
            self.send_response(404 if missing else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Request-Id", "req_1")
            self.send_header("X-Told", self.headers["Authorization"] or "")
            self.send_header("Set-Cookie", "session=MARKEDcookie")
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  (the base class asks for these names)

    with listening(Answering) as address:
        yield address, sent
