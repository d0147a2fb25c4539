"""A server that gives back the raw request that it received, and calls of a document's operations to it."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from typing import Any

from msgspec.structs import replace as with_fields

from registry.accounts.connection import Connection, account_in, needed_account
from registry.calling.arguments import check
from registry.calling.network import Network
from registry.calling.request import plan
from registry.calling.sending import Sender
from registry.calling.tracing import Traces
from registry.catalog.service import Service
from tests.loopback import listening
from tests.openapi.making import NOW, made, service_of, tools

_UNSAID = {"host", "user-agent", "accept-encoding", "connection", "content-length"}
"""Headers of the transport, which no document is about."""

USUAL = "things.example/v1"


@contextmanager
def echo() -> Iterator[tuple[str, list[str]]]:
    """The server's address, and the requests that it received, as in ``requests.yaml``."""
    received: list[str] = []

    class Echo(BaseHTTPRequestHandler):
        def __getattr__(self, name: str) -> Any:  # one method for all
            return self._answer if name.startswith("do_") else super().__getattribute__(name)

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            received.append(_shown(self.command, self.path, dict(self.headers.items()), body))
            content = json.dumps({"raw": received[-1]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content if self.command != "HEAD" else b"")

    with listening(Echo) as address:
        yield address, received


def _shown(method: str, target: str, headers: Mapping[str, str], body: bytes) -> str:
    """A request as text: line, headers in the order of their names, body. JSON that is only asked for is not said."""
    target = target.removeprefix(f"/{USUAL}") if target.startswith(f"/{USUAL}") else f"/{target}"
    text = body.decode("utf-8", "backslashreplace").replace("\r\n", "\n")
    lines = [f"{name}: {value}" for name, value in headers.items() if name.lower() not in _UNSAID]
    head = "\n".join(sorted(line for line in lines if line != "Accept: application/json"))
    if (found := re.search('boundary="?([^;"\n]+)', head)) is not None:
        head, text = head.replace(found[1], "B"), text.replace(found[1], "B")
    elif "json" in headers.get("Content-Type", "") and text:
        text = json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False)
    return "\n".join(part for part in (f"{method} {target}", head, f"\n{text}" if text else "") if part).strip()


def connected(service: Service, address: str, environment: Mapping[str, str]) -> Connection:
    """The account for these variables, with each host as a folder of the echo server."""
    connection = account_in(service, environment) or needed_account(service)
    endpoint = connection.endpoint(service.toolkit)
    hosts = {name: f"{address}/{host.usual.removeprefix('https://')}" for name, host in service.hosts.items()}
    others = tuple(replace(one, addresses=hosts) for one in endpoint.others)
    return with_fields(connection, endpoints={service.toolkit: replace(endpoint, addresses=hosts, others=others)})


def request_of(
    content: dict[str, Any], given: Mapping[str, Any], environment: Mapping[str, str], address: str, received: list[str]
) -> str:
    """The request of the first operation of a document, as the echo server received it; or why nothing was sent."""
    found = made(content)
    assert found.left_out == []
    tool = next(iter(tools(found).values()))
    connection = connected(service_of(found), address, environment)
    if needs := connection.endpoint_for(tool).needs:
        return f"needs {needs}"
    arguments = check(tool, given, NOW)
    assert arguments.errors == (), arguments.errors

    async def call() -> None:
        network = Network()
        sender = Sender(
            network, tool, connection, connection.endpoint_for(tool), None, None, asyncio.sleep, Traces(), whose="test"
        )
        await sender.send(plan(tool, arguments))
        await network.aclose()

    asyncio.run(call())
    return received.pop()
