"""The sandbox is as strict as the services: what they refuse, in which words, and what they leave out.

`strictness.json` is a table of requests to the world of seed 1, by what they are about and why: method and address, headers,
body, and the status and the error that come back. Of an error page the table has the paragraphs, of a redirect the address, and
of a success the fields, by dotted path, that are there or absent.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from registry.sandbox.server import application
from tests.sandbox.direct import Direct
from tests.sandbox.written_worlds import NOW

TABLE: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("strictness.json").read_text("utf-8"))
PAGES = "https://docs.payments.example/error-codes/"


@pytest.fixture(scope="module")
def api() -> Iterator[Direct]:
    with Direct(application(seed=1, now=NOW), "http://sandbox") as api:
        yield api


def words(response: httpx.Response) -> Any:
    """What a refusal says, without what is different each time."""
    if response.status_code == 303:
        return response.headers["location"]
    if response.headers["content-type"].startswith("text/html"):
        assert response.headers["content-security-policy"].endswith(
            "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        )
        return re.findall(r"<p>(.*?)</p>", response.text)
    if response.headers["content-type"].startswith("text/plain"):
        return response.text
    body = response.json()
    error = body.get("error", body)
    if "category" in body:
        assert (body["status"], bool(body.pop("correlationId"))) == ("error", True)
    if "request-id" in response.headers:
        assert error.pop("request_log_url").endswith(response.headers["request-id"])
        assert error.pop("doc_url", None) == (PAGES + error["code"].replace("_", "-") if "code" in error else None)
        assert response.headers["stripe-should-retry"] == "false"
    return error if isinstance(error, dict) else body


def has(value: Any, path: str) -> bool:
    """Whether there is something at a dotted path, be it null."""
    step, _, rest = path.partition(".")
    found = {str(place): one for place, one in enumerate(value)} if isinstance(value, list) else value
    return isinstance(found, dict) and step in found and (not rest or has(found[step], rest))


@pytest.mark.parametrize("about", TABLE)
def test_as_strict_as_the_service(about: str, api: Direct) -> None:
    for request, headers, body, status, said in TABLE[about]["rows"]:
        method, _, address = request.partition(" ")
        response = api.send(method, address, headers=headers, content=None if body is None else body.encode())
        assert response.status_code == status, (request, response.text)
        if status == 200:
            paths = [(path, there == "there") for there, paths in said.items() for path in paths]
            assert [(path, has(response.json(), path)) for path, _ in paths] == paths, request
        else:
            assert words(response) == said, request
