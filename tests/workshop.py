"""A test toolkit with every kind of parameter and body, and a server that keeps the bytes it receives.

The toolkit is data in a folder, loaded like any other. Nothing in the product knows it.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from registry.accounts.connection import Connection, Endpoint
from registry.accounts.secrets import Secret
from registry.catalog.folders import Found, ToolkitFolder, forget
from registry.catalog.loader import Catalog, load
from registry.catalog.model import Tool
from registry.catalog.service import Authentication, Host, RequestStyle, Service

TOOLKIT = "Workshop"

ADDRESS = {
    "name": "address",
    "type": "object",
    "help": "Where.",
    "properties": [
        {"name": "street", "type": "string"},
        {"name": "city", "type": "string", "required": True},
        {"name": "geo", "type": "object", "properties": [{"name": "lat", "type": "number"}, {"name": "lon", "type": "number"}]},
    ],
}
FIELDS: dict[str, Any] = {
    "name": "fields",
    "type": "object",
    "help": "What the issue says.",
    "properties": [
        {"name": "summary", "type": "string", "required": True, "help": "A line."},
        {"name": "points", "type": "number", "minimum": 0, "maximum": 99.5},
        {"name": "priority", "type": "string", "enum": ["low", "high"]},
        {"name": "urgent", "type": "boolean"},
        {"name": "labels", "type": "array"},
        {
            "name": "assignee",
            "type": "object",
            "when_empty": "null",
            "properties": [
                {"name": "email", "type": "string", "required": True, "format": "email"},
                {"name": "since", "type": "string", "format": "date-time", "role": "timestamp"},
                {"name": "address", "type": "object", "properties": ADDRESS["properties"]},
            ],
        },
        {"name": "meta", "type": "object", "when_empty": "send"},
        {
            "name": "estimate",
            "type": "one_of",
            "branches": [
                {"name": "hours", "type": "number", "minimum": 0},
                {"name": "words", "type": "string"},
                {
                    "name": "range",
                    "type": "object",
                    "properties": [
                        {"name": "from", "type": "integer", "required": True},
                        {"name": "to", "type": "integer", "required": True},
                    ],
                },
            ],
        },
        {
            "name": "links",
            "type": "array",
            "max_items": 3,
            "items": {
                "type": "object",
                "properties": [{"name": "url", "type": "string", "required": True, "pattern": "^https://"}],
            },
        },
    ],
}


_SERVICE = {
    "toolkit": TOOLKIT,
    "name": "workshop",
    "title": "Workshop",
    "summary": "For tests.",
    "hosts": {"api": {"usual": "https://workshop.example", "variable": "WORKSHOP_URL"}},
    "authentication": [{"kind": "header", "title": "a key", "variable": "WORKSHOP_KEY"}],
}


def parameter(name: str, type_: str, place: str, **more: Any) -> dict[str, Any]:
    """A parameter's entry."""
    wire = {} if "wire_name" in more or place == "local" else {"wire_name": name}
    return {"name": name, "type": type_, "in": place, "help": "Help.", "role": "field", **wire, **more}


def tool(name: str, method: str, path: str, *parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A tool's entry."""
    effect = "read" if method in ("GET", "HEAD") else "delete" if method == "DELETE" else "write"
    returns = {"kind": "object", "objects": ["thing"]}
    entry = {"name": name, "operation": name, "method": method, "path": path, "effect": effect, "summary": "Does it."}
    return {**entry, "returns": returns, "parameters": list(parameters), **more}


def nested(entry: dict[str, Any], place: str = "body", **more: Any) -> dict[str, Any]:
    """A parameter made from an entry such as `ADDRESS` or `FIELDS`."""
    return {**entry, "in": place, "wire_name": entry["name"], "role": "field", **more}


def written(folder: Path, *tools: dict[str, Any]) -> Catalog:
    """Write the toolkit with these tools to a folder and load its catalogue."""
    (folder / "tools").mkdir(exist_ok=True)
    (folder / "service.json").write_text(json.dumps(_SERVICE))
    (folder / "tools" / "workshop.json").write_text(json.dumps({"groups": [{"name": "All", "tools": list(tools)}]}))
    forget()
    catalog = load(Found((ToolkitFolder(folder),)))
    forget()
    return catalog


def only(folder: Path, entry: dict[str, Any]) -> Tool:
    """The tool of an entry. The entry must be valid."""
    catalog = written(folder, entry)
    assert catalog.problems == ()
    return catalog.tools[entry["name"]]


def connection(url: str = "http://workshop.example", key: str = "workshop-key-1") -> Connection:
    """A connection to the toolkit's service."""
    host, way = Host(usual=url), Authentication(kind="header", variable="WORKSHOP_KEY")
    headers = RequestStyle(headers={"Accept": "application/json"})
    service = Service(
        toolkit=TOOLKIT, name="workshop", title="Workshop", summary="For tests.", hosts={"api": host}, authentication=(way,),
        request=headers,
    )  # fmt: skip
    return Connection("workshop", "Workshop", {TOOLKIT: Endpoint(service, {"api": url}, way, Secret(key), "sandbox")})


@dataclass(frozen=True)
class Received:
    """A request as received."""

    line: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """The header with that name, or None. It must not be there twice."""
        found = [value for other, value in self.headers if other.lower() == name.lower()]
        assert len(found) <= 1, f"{name} is there {len(found)} times"
        return found[0] if found else None


@asynccontextmanager
async def echo(answers: list[bytes] | None = None) -> AsyncIterator[tuple[str, list[Received]]]:
    """Runs a server on loopback. Yields its address and the requests received.

    It sends the answers in turn and then repeats the last one.
    """
    received: list[Received] = []
    left = answers or [b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                line, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
                headers = tuple((name, value.strip()) for name, _, value in (one.partition(":") for one in lines))
                length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
                received.append(Received(line, headers, await reader.readexactly(length)))
                answer = left.pop(0) if len(left) > 1 else left[0]
                # A response to HEAD has no body: another would be read as the next response.
                writer.write(answer[: answer.find(b"\r\n\r\n") + 4] if line.startswith("HEAD ") else answer)
                await writer.drain()
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", received
    finally:
        server.close()
        await server.wait_closed()
