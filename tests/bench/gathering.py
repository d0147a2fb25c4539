"""Fetching a whole list, compared with the payments platform's own client, from one server.

The server is a separate process that sends prepared pages on a raw socket, so that only the client is measured. It waits for
the latency before each response.
"""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import stripe

from registry.accounts.connection import connections
from registry.engine import Settings, open_engine
from registry.results.spool import Spool
from tests.bench.table import Row
from tests.large_responses import response_of
from tests.terminal import ROOT

PAGE = 100
_KEY = "sk_test_bench"


@contextmanager
def _serving(latency: float, pages: int) -> Iterator[str]:
    command = [sys.executable, "-u", "-m", "tests.bench.gathering", str(latency), str(pages)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def _answer(item: dict[str, object], number: int, *, last: bool) -> bytes:
    items = [{**item, "id": f"ch_{place:014}"} for place in range(number * PAGE, (number + 1) * PAGE)]
    body = json.dumps({"object": "list", "url": "/v1/charges", "has_more": not last, "data": items}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def _serve(latency: float, pages: int) -> None:
    """Answer each request with the page after its cursor."""
    item = json.loads(response_of(1))["data"][0]
    item |= {name: dict(item) for name in ("card", "owner", "source")}  # about 2 KB
    answers = [_answer(item, number, last=number == pages - 1) for number in range(pages)]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                cursor = head.split(b" ", 2)[1].partition(b"starting_after=ch_")[2][:14]
                await asyncio.sleep(latency)
                writer.write(answers[int(cursor) // PAGE + 1 if cursor else 0])

    server = await asyncio.start_server(answer, "127.0.0.1")
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}\n")
    await server.serve_forever()


async def _ours(address: str, pages: int) -> float:
    """Seconds that this program takes. The first page does not count, because it opens the connection."""
    connection = connections({"PAYMENTS_API_KEY": _KEY, "PAYMENTS_BASE_URL": address})["payments"]
    async with open_engine(Settings(journal=False)) as engine:
        tool = engine.tool("GetPaymentsWebhookEndpoints")
        assert (await engine.run(tool, {}, connection)).ok
        with Spool() as spool:
            started = time.perf_counter()
            assert (await engine.fetch_all(tool, {}, connection, spool).run()).complete
            assert len(spool) == pages * PAGE
            return time.perf_counter() - started


def _official(address: str, pages: int) -> float:
    client = stripe.StripeClient(_KEY, base_addresses={"api": address})
    client.v1.charges.list({"limit": PAGE})
    started = time.perf_counter()
    assert sum(1 for _ in client.v1.charges.list({"limit": PAGE}).auto_paging_iter()) == pages * PAGE
    return time.perf_counter() - started


def _bare(address: str, pages: int) -> float:
    """Seconds that a bare socket takes. It knows the cursors beforehand and only reads the length."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname or "", parts.port or 0)) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        started = time.perf_counter()
        for page in range(pages):
            cursor = f"?starting_after=ch_{page * PAGE - 1:014}" if page else ""
            line.sendall(f"GET /v1/charges{cursor} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            head, _, body = line.recv(1 << 18).partition(b"\r\n\r\n")
            left = int(head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0]) - len(body)
            while left > 0:
                left -= len(line.recv(1 << 18))
    return time.perf_counter() - started


def fetching_rows(rounds: int) -> list[Row]:
    """Fetching a whole list: objects a second, compared with the official client and with a bare socket in the same round."""
    official = Row("fetch all, objects/s at 0 ms, × `stripe` auto_paging_iter", "≥ 40")
    for _ in range(rounds):
        with _serving(0.0, 200) as address:
            ours = asyncio.run(_ours(address, 200)) / 200
        with _serving(0.0, 15) as address:
            official.ratios.append(_official(address, 15) / 15 / ours)
    rows = [official]
    for latency, pages, goal in ((0.02, 50, "≥ 0.95"), (0.1, 20, "≥ 0.97")):
        what = f"fetch all, objects/s at {latency * 1000:.0f} ms, × a bare socket that only waits for the next page"
        rows.append(Row(what, goal))
        for _ in range(min(rounds, 3)):
            with _serving(latency, pages) as address:
                rows[-1].ratios.append(_bare(address, pages) / asyncio.run(_ours(address, pages)))
    return rows


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1]), int(sys.argv[2])))
