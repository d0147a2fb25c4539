"""A network whose other end is a function, for tests of what happens between a request and its response."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from registry.accounts.connection import Connection, connections
from registry.calling.network import Network
from registry.catalog.loader import load
from tests.opened import open_writing, opened, unchecked

TOOLS = load().tools
LIVE = connections({"PAYMENTS_API_KEY": "sk_live_1", "INCIDENTS_API_TOKEN": "t", "CRM_ACCESS_TOKEN": "c"})

Answer = httpx.Response | Exception
Handler = Callable[[httpx.Request], Answer | Awaitable[Answer]]


class ScriptedNetwork(Network):
    """Answers every request by the handler and remembers it; an exception that the handler gives is raised."""

    def __init__(self, handler: Handler) -> None:
        super().__init__()
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self._handler = handler
        self._client = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))

    def client_for(self, url: str) -> httpx.AsyncClient:
        return self._client

    async def aclose(self) -> None:
        await self._client.aclose()

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        response = self._handler(request)
        if isinstance(response, Awaitable):
            response = await response
        if isinstance(response, Exception):
            raise response
        return response


def one_after_the_other(*responses: Answer) -> Handler:
    """A handler that gives these responses in turn, and then repeats the last one."""
    rest = list(responses)
    return lambda request: rest.pop(0) if len(rest) > 1 else rest[0]


async def call(name: str, handler: Handler, tmp_path: Path | None = None, **raw: Any) -> tuple[Any, ScriptedNetwork]:
    """Run a tool on a live connection against a handler, a change without a look; gives the result and what was sent."""
    network = ScriptedNetwork(handler)
    engine = opened(network, folder=tmp_path)
    open_writing(engine, *LIVE.values())
    tool = TOOLS[name]
    connection: Connection = next(one for one in LIVE.values() if one.name != "sandbox" and tool.toolkit in one.endpoints)
    async with engine:
        made = engine.run if tool.effect == "read" else partial(unchecked, engine)
        return await made(tool, raw, connection), network
