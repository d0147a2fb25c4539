"""What comes back is read as what it is: JSON with suffixes, lines, events, text, files; and what leads elsewhere is said."""

import asyncio
import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from registry.calling.listing import listing_of
from registry.calling.result import Result
from registry.engine.reading import ReadingEngine, Settings
from tests.loopback import listening
from tests.openapi.echo import connected
from tests.openapi.making import document, made, service_of, tools

EVENTS = b': hello\ndata: {"id": 1}\n\nevent: done\nid: 7\ndata: two\ndata: lines\n\ndata: [DONE]\n\n'
ANY: dict[str, Any] = {}
LINK = {"Link": '<https://things.example/v1/things?page=2>; rel="next"'}


def called(
    declared: dict[str, Any],
    status: int,
    headers: dict[str, str],
    body: bytes,
    folder: Path,
    given: dict[str, Any] | None = None,
    **operation: Any,
) -> Result:
    """The result of a call whose operation declares these media types, for a response."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    responses = {"200": {"description": "", "content": declared, **operation.pop("response", {})}}
    found = made(document({"/things": {"get": {"operationId": "things", "responses": responses, **operation}}}))
    tool = tools(found)["Things"]

    async def call(address: str) -> Result:
        async with ReadingEngine(Settings({}, journal=False, downloads=folder)) as engine:
            return await engine.read(tool, given or {}, connected(service_of(found), address, {}))

    with listening(Answering) as address:
        return asyncio.run(call(address))


@pytest.mark.parametrize(
    ("declared", "kind", "body", "value"),
    [
        ("application/json", "application/json", b'{"a": 1}', {"a": 1}),
        ("application/json", "application/problem+json", b'{"a": 1}', {"a": 1}),
        ("application/vnd.github+json", "application/vnd.github+json; charset=utf-8", b"[1]", [1]),
        ("application/json", "text/plain", b'{"a": 1}', {"a": 1}),
        ("application/x-ndjson", "application/x-ndjson", b'{"a": 1}\n\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ("application/jsonl", "application/jsonl", b"", []),
        ("application/json-seq", "application/json-seq", b'\x1e{"a": 1}\n\x1e{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        (
            "text/event-stream",
            "text/event-stream",
            EVENTS,
            [{"data": {"id": 1}}, {"event": "done", "id": "7", "data": "two\nlines"}, {"data": "[DONE]"}],
        ),
        ("text/plain", "text/plain", b"a\nb", "a\nb"),
        ("text/plain", "text/plain; charset=iso-8859-1", b"caf\xe9", "caf\u00e9"),
        ("text/csv", "text/csv", b"a,b\r\n1,2\r\n", "a,b\r\n1,2\r\n"),
        ("application/xml", "application/xml", b"<a>1</a>", "<a>1</a>"),
        ("text/*", "text/markdown", b"# Hi", "# Hi"),
        ("text/html", "text/html", b"<p>Hi</p>", "<p>Hi</p>"),
    ],
)
def test_a_body_is_read_by_its_type(declared: str, kind: str, body: bytes, value: Any, tmp_path: Path) -> None:
    result = called({declared: ANY}, 200, {"Content-Type": kind}, body, tmp_path)
    assert (result.failure, json.loads(result.body)) == (None, value)
    assert result.text == (value if isinstance(value, str) else None)
    if declared in ("application/x-ndjson", "text/event-stream"):
        listing = listing_of(result)
        assert listing is not None
        assert len(listing.items) == len(value)


@pytest.mark.parametrize(
    ("declared", "kind", "ending"),
    [
        ("application/pdf", "application/pdf", ".pdf"),
        ("image/*", "image/png", ".png"),
        ("application/zip", "application/zip", ".zip"),
        ("application/x-sh", "application/x-sh", ".bin"),
        ("application/x-msdownload", "application/x-msdownload", ".bin"),
    ],
)
def test_a_file_is_named_by_its_type(declared: str, kind: str, ending: str, tmp_path: Path) -> None:
    result = called({declared: ANY, "text/plain": ANY}, 200, {"Content-Type": kind}, b"\x00\xff\x01", tmp_path)
    said = json.loads(result.body)
    assert said["file"].endswith(ending)
    assert (Path(said["file"]).read_bytes(), said["content_type"]) == (b"\x00\xff\x01", kind)


@pytest.mark.parametrize(
    ("declared", "kind", "body"),
    [
        ("application/json", "text/html", b"<p>Sign in</p>"),
        ("application/json", "text/csv", b"a,b"),
        ("application/x-ndjson", "application/x-ndjson", b'{"a": 1}\n{'),
    ],
)
def test_what_is_not_declared_or_broken_is_no_result(declared: str, kind: str, body: bytes, tmp_path: Path) -> None:
    result = called({declared: ANY}, 200, {"Content-Type": kind}, body, tmp_path)
    assert result.failure is not None
    assert result.failure.title == "Invalid response"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_shown_and_not_followed(status: int, tmp_path: Path) -> None:
    result = called({"application/json": ANY}, status, {"Location": "https://elsewhere.example/x"}, b"", tmp_path)
    assert result.failure is not None
    assert result.failure.title == "Redirected"
    assert f"HTTP {status} leads to https://elsewhere.example/x" in result.failure.cause
    assert len(result.exchanges) == 1


@pytest.mark.parametrize(
    ("kind", "body", "cause", "type_and_code"),
    [
        ("text/plain", b"Name is taken\n", "Name is taken", (None, None)),
        ("application/json", b'{"error": "Name is taken"}', "Name is taken", (None, None)),
        ("application/json", b'{"message": "Name is taken", "type": "taken", "code": 422}', "Name is taken", ("taken", None)),
    ],
)
def test_an_error_says_each_thing_once(
    kind: str, body: bytes, cause: str, type_and_code: tuple[str | None, str | None], tmp_path: Path
) -> None:
    result = called({"application/json": ANY}, 422, {"Content-Type": kind}, body, tmp_path)
    assert result.failure is not None
    assert (result.failure.cause, (result.failure.type, result.failure.code)) == (cause, type_and_code)


PAGE = {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}
WHOLE = {"type": "object", "properties": {"things": PAGE, "next_page_number": {"type": "integer"}}}
OUTER = {"type": "object", "properties": {"after": {"type": "string"}, "link": {"type": "string"}}}
INNER = {"type": "object", "properties": {"things": PAGE, "paging": {"type": "object", "properties": {"next": OUTER}}}}
ADDRESS = {"type": "object", "properties": {"things": PAGE, "next_page_uri": {"type": "string"}}}
TOKEN = {"name": "PageToken", "in": "query", "schema": {"type": "string"}}
AFTER = {"name": "after", "in": "query", "schema": {"type": "string"}}
NUMBER = {"name": "page", "in": "query", "schema": {"type": "integer"}}


@pytest.mark.parametrize(
    ("schema", "operation", "headers", "body", "following"),
    [
        (PAGE, {"parameters": [NUMBER], "response": {"headers": {"Link": ANY}}}, LINK, b'[{"id": 1}]', {"page": 2}),
        (WHOLE, {"parameters": [NUMBER]}, {}, b'{"things": [{"id": 1}], "next_page_number": 2}', {"page": 2}),
        (INNER, {"parameters": [AFTER]}, {}, b'{"things": [], "paging": {"next": {"after": "b"}}}', {"after": "b"}),
        (
            ADDRESS,
            {"parameters": [TOKEN]},
            {},
            b'{"things": [{"id": 1}], "next_page_uri": "/v1?PageToken=b"}',
            {"page_token": "b"},
        ),
    ],
    ids=["Link header", "a property", "an inner property", "an address"],
)
def test_the_next_page(
    schema: dict[str, Any], operation: dict[str, Any], headers: dict[str, str], body: bytes, following: Any, tmp_path: Path
) -> None:
    content = {"application/json": {"schema": schema}}
    result = called(content, 200, {"Content-Type": "application/json"} | headers, body, tmp_path, **operation)
    assert result.page is not None
    assert dict(result.page.next or {}) == following
