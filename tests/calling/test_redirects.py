"""A redirect is never followed, and where it points to is never taken for a fault of the request or the response."""

from __future__ import annotations

import httpx
import pytest

from registry.calling.network import outside_client
from tests.workshop import echo

PLACES = [
    b"javascript:alert(1)",
    b"https://evil.example/\x1b[31m",
    b"https://[::1",
    b"https://evil.example:99999/",
    b"file:///etc/passwd",
    b"/" + b"x" * 70_000,
    b"\xff\xfe",
    b"",
]


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("place", PLACES, ids=lambda place: repr(place[:30]))
async def test_any_address_of_a_redirect_is_a_response(method: str, place: bytes) -> None:
    response = b"HTTP/1.1 307 Elsewhere\r\nLocation: " + place + b"\r\nContent-Length: 2\r\n\r\n{}"
    async with echo([response]) as (url, received), outside_client(httpx.Timeout(30)) as client:
        found = await client.request(method, f"{url}/v1/x")
    assert (found.status_code, found.content, len(received)) == (307, b"{}", 1)
