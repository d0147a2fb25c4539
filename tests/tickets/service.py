"""An issue tracker with state, on a port of this machine: what the toolkit beside it talks to.

It checks who is calling, pages its lists in four ways, and names its requests. Everything that it was asked is kept.
"""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.loopback import listening

TOOLKIT = Path(__file__).parent / "toolkit"
USER, TOKEN = "ada@tickets.example", "tk_MARKED123456"
ISSUES, USERS, LABELS, COMMENTS = 23, 12, 20, 7


@dataclass
class Tracker:
    """Its issues, and what it was asked: method, target, headers by lower-case name, body."""

    base: str = ""
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    failures: list[tuple[int, dict[str, str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number in range(1, ISSUES + 1):
            self.issues[number] = {
                "id": str(number),
                "kind": "issue",
                "title": f"Login fails {number}" if number % 2 else f"Export is slow {number}",
                "state": "closed" if number % 5 == 0 else "open",
                "assignee": f"usr_p{number % USERS:05}",
                "blocked_by": [str(number - 1)] if number > 1 else [],
                "labels": ["bug"],
                "url": f"https://tickets.example/issues/{number}",
            }
        self.comments[7] = [self._comment(7, place, f"Comment {place}") for place in range(1, COMMENTS + 1)]

    def _comment(self, issue: int, place: int, text: str) -> dict[str, Any]:
        about = {"id": f"c{issue}-{place}", "kind": "comment", "issue": str(issue)}
        return {**about, "author": "usr_p00001", "text": text}

    def answer(self, method: str, target: str, body: bytes, expected: str | None) -> tuple[int, Any, dict[str, str]]:
        """Status, JSON and headers; `expected` is the version in the request's If-Match."""
        parts = urlsplit(target)
        path, query = parts.path.removesuffix(".json"), {name: values[-1] for name, values in parse_qs(parts.query).items()}
        match method, path:
            case "GET", "/issues":
                return self._issues(query)
            case "POST", "/issues":
                number = max(self.issues) + 1
                self.issues[number] = {"id": str(number), "kind": "issue", "state": "open", **json.loads(body)}
                return 201, self.issues[number], {}
            case "GET", "/search":
                found = [one for one in self.issues.values() if query["q"].lower() in one["title"].lower()]
                page, size = int(query.get("page", 1)), int(query.get("per_page", 10))
                some = found[(page - 1) * size : page * size]
                return 200, {"found": {"issues": some, "count": len(found), "page": page, "per_page": size}}, {}
            case "GET", "/users":
                start, size = int(query.get("offset", 0)), int(query.get("limit", 10))
                return 200, {"users": [user(place) for place in range(USERS)][start : start + size], "count": USERS}, {}
            case "GET", "/labels":
                page, size = int(query.get("page", 1)), int(query.get("per_page", 10))
                names = [f"label-{number}" for number in range(LABELS)][(page - 1) * size : page * size]
                return 200, {"labels": [{"id": name, "kind": "label"} for name in names]}, {}
        if match := re.fullmatch(r"/users/usr_p(\d{5})", path):
            return (200, user(int(match[1])), {}) if int(match[1]) < USERS else missing("user")
        if match := re.fullmatch(r"/issues/(\d+)(/comments)?", path):
            number = int(match[1])
            if number not in self.issues:
                return missing("issue")
            if match[2]:
                return self._comments(method, number, query, body)
            return self._issue(method, number, body, expected)
        return missing("page")

    def _issues(self, query: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        found = [one for one in reversed(self.issues.values()) if query.get("state") in (None, one["state"])]
        page, size = int(query.get("page", 1)), int(query.get("per_page", 10))
        last = (len(found) + size - 1) // size
        links = [("prev", page - 1)] * (page > 1) + [("next", page + 1)] * (page < last) + [("last", last)]
        address = f"{self.base}/issues.json?"
        header = ", ".join(f'<{address}{urlencode({**query, "page": number})}>; rel="{name}"' for name, number in links)
        return 200, found[(page - 1) * size : page * size], {"Link": header, "X-Total": str(len(found))}

    def _issue(self, method: str, number: int, body: bytes, expected: str | None) -> tuple[int, Any, dict[str, str]]:
        version = self.issues[number].get("version", "v1")
        if method == "PATCH":
            if expected not in (None, version):
                return 412, {"errors": [{"code": "changed", "message": f"It is in version {version}."}]}, {}
            self.issues[number] |= json.loads(body) | {"version": f"v{int(version[1:]) + 1}"}
        if method == "DELETE":
            del self.issues[number]
            return 204, None, {}
        return 200, self.issues[number], {}

    def _comments(self, method: str, number: int, query: dict[str, str], body: bytes) -> tuple[int, Any, dict[str, str]]:
        comments = self.comments.setdefault(number, [])
        if method == "POST":
            comments.append(self._comment(number, len(comments) + 1, json.loads(body)["text"]))
            return 201, comments[-1], {}
        start, size = int(query.get("after", "0").removeprefix("at-")), int(query.get("limit", 3))
        following = f"/issues/{number}/comments.json?limit={size}&after=at-{start + size}"
        more = start + size < len(comments)
        return 200, {"comments": comments[start : start + size], "links": {"next": following if more else None}}, {}


def user(place: int) -> dict[str, Any]:
    return {"id": f"usr_p{place:05}", "kind": "user", "name": f"Person {place}"}


def missing(what: str) -> tuple[int, Any, dict[str, str]]:
    return 404, {"errors": [{"code": "not_found", "message": f"There is no such {what}.", "field": "id"}]}, {}


@contextmanager
def tracker() -> Iterator[Tracker]:
    """A tracker that is served; `base` is its address."""
    one = Tracker()
    expected = "Basic " + base64.b64encode(f"{USER}:{TOKEN}".encode()).decode()

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            headers: dict[str, str]
            content: object
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            one.asked.append((self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            if self.headers["Authorization"] != expected:
                echo = f"Nobody knows {self.headers['Authorization']}."
                status, content, headers = 401, {"errors": [{"code": "who", "message": echo}]}, {}
            elif one.failures:
                status, headers = one.failures.pop(0)
                content = {"summary": "Try again."}
            else:
                status, content, headers = one.answer(self.command, self.path, body, self.headers["If-Match"])
            text = b"" if content is None else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.send_header("X-Tickets-Request", f"req-{len(one.asked)}")
            self.send_header("X-Rate-Remaining", "41")
            self.send_header("X-Rate-Most", "60")
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815  (the base class asks for these names)

    with listening(Answering) as one.base:
        yield one
