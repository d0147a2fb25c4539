"""A redirect is never followed, and where it points to is never taken for a fault of the request or the response."""

from __future__ import annotations

import asyncio
import contextlib

import httpx
import pytest

from registry.calling.http_client import outside_client

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
    requests = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer):
            requests.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 307 Elsewhere\r\nLocation: " + place + b"\r\nContent-Length: 2\r\n\r\n{}")
            await writer.drain()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server, outside_client(httpx.Timeout(30)) as client:
        response = await client.request(method, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/x")
    assert (response.status_code, response.content, len(requests)) == (307, b"{}", 1)
