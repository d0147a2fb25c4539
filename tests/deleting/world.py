"""A sandbox of its own with everything that reaches it counted, and the reads of a tool on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from registry.calling.client import ToolClient
from registry.calling.sending import Network
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.connections.policy import Policy
from registry.connections.profiles import Connection, Mode, sandbox
from registry.deleting.reads import Reads
from registry.journal.audit import Audit
from registry.references.routes import Routes
from registry.sandbox.server import application

CATALOG = load()
TOOLS = CATALOG.tools
WAYS = Routes(CATALOG)


class Counting:
    """Passes requests on and remembers them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.seen: list[tuple[str, str]] = []
        self.changed = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.seen.append((scope["method"], scope["path"]))
        if scope["method"] != "GET":
            self.changed.set()
        await self._app(scope, receive, send)

    @property
    def changes(self) -> list[str]:
        """The methods of the requests that change something."""
        return [method for method, path in self.seen if method != "GET" and not path.startswith("/sandbox")]


class Place:
    """A sandbox, and a client on it."""

    def __init__(self, app: ASGIApp, mode: Mode, audit: Audit | None, policy: Policy | None) -> None:
        self.wire = Counting(app)
        self.waits: list[float] = []
        self.client = ToolClient(
            Path(), network=Network(sandbox=lambda: self.wire), sleep=self._sleep, recorder=audit, policy=policy
        )
        plain = sandbox()
        self.connection: Connection = replace(
            plain, endpoints={name: replace(one, mode=mode) for name, one in plain.endpoints.items()}
        )

    def reads(self, tool: Tool) -> Reads:
        return Reads(self.client, CATALOG, WAYS.of(tool), self.connection, self._sleep)

    async def json(self, name: str, **arguments: Any) -> Any:
        """What a tool that reads answers."""
        result = await self.client.call(TOOLS[name], arguments, self.connection)
        return result.json if result.ok else None

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


@asynccontextmanager
async def place(
    app: ASGIApp | None = None,
    *,
    faults: Iterable[str] = (),
    mode: Mode = "sandbox",
    audit: Audit | None = None,
    policy: Policy | None = None,
) -> AsyncIterator[Place]:
    """A sandbox while the context lasts; the whole one where none is given."""
    one = Place(app or application(faults=faults, limits=False), mode, audit, policy)
    if mode == "live":
        for toolkit in one.connection.endpoints:
            one.client.policy.open_writing(one.connection, toolkit)
    try:
        yield one
    finally:
        await one.client.aclose()
