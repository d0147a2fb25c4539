"""Syncs of lists that a test holds, through the engine and a scripted network; and deaths at any step of a sink."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx

from registry.engines.address import address_of
from registry.engines.saving import Sink, sink_of
from registry.engines.sync import RunResult, Sync, SyncSource
from registry.results.list_fetch import ListFetch
from registry.results.spool import Spool
from tests.calling.network import LIVE, TOOLS, Handler, ScriptedNetwork
from tests.engines.targets import Target
from tests.opened import opened

NOW = 1772496000.0
"""2026-03-03."""

CURSORS, OFFSETS = "GetPaymentsWebhookEndpoints", "ListIncidents"


class Killed(BaseException):
    """The process is dead."""


class CursorService:
    """A list by cursors, the newest first: ids and amounts."""

    def __init__(self, *ids: str) -> None:
        self.ids = list(ids)
        self.value = 1
        self.breaks_after = ""
        """The id after which the connection breaks."""

    def item(self, one: str) -> dict[str, Any]:
        return {"id": one, "amount": 9007199254740993 + int(one.rpartition("_")[2]), "version": self.value}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        after = request.url.params.get("starting_after")
        if after is not None and after == self.breaks_after:
            raise httpx.ReadError("reset by peer", request=request)
        if after is not None and after not in self.ids:
            error = {"type": "invalid_request_error", "param": "starting_after", "message": f"No such thing: '{after}'"}
            return httpx.Response(400, json={"error": error})
        start, size = self.ids.index(after) + 1 if after else 0, 10
        items = [self.item(one) for one in self.ids[start : start + size]]
        return httpx.Response(200, json={"object": "list", "data": items, "has_more": start + size < len(self.ids)})


def names(count: int, first: int = 0) -> list[str]:
    return [f"we_{number}" for number in range(first, first + count)]


def sink_for(target: Target, *, pages: int = 2) -> Sink:
    """The sink of a target, which writes after so many pages."""
    address = address_of(target.address, Path())
    assert address is not None
    sink = sink_of(address)
    sink.most_pages = pages
    return sink


async def sync(
    target: Target,
    handler: Handler,
    tool: str = CURSORS,
    raw: Mapping[str, object] | None = None,
    *,
    full: bool = False,
    pages: int = 2,
    prepare: Callable[[Sink], object] = lambda sink: None,
    report: Callable[[str], None] = lambda words: None,
    clock: Callable[[], float] = lambda: NOW,
) -> RunResult:
    """One run of a sync, as a process of its own would make it."""
    network = ScriptedNetwork(handler)
    connection = next(one for one in LIVE.values() if one.name != "sandbox" and TOOLS[tool].toolkit in one.endpoints)
    async with opened(network, clock=clock) as engine:

        def fetch(arguments: Mapping[str, object], spool: Spool) -> ListFetch:
            return engine.fetch_all(TOOLS[tool], arguments, connection, spool)

        sink = sink_for(target, pages=pages)
        prepare(sink)
        with Sync(sink, SyncSource(TOOLS[tool], connection.name, raw or {}, fetch), masked=True, clock=clock) as one:
            return await one.run(full=full, report=report)


class Deaths:
    """Kills at the n-th thing that a sink does with its store: before it, or after it. Dead is dead: nothing works then.

    Attributes:
        done: how many things were done.
    """

    def __init__(self, at: int, *, after: bool) -> None:
        self._at, self._after = at, after
        self.done = 0

    def lurk(self, sink: Any) -> None:
        """Watch a sink."""
        for name in ("put", "remove", "_exists", "names") if hasattr(sink, "put") else ("_sql",):
            setattr(sink, name, self._deadly(getattr(sink, name)))

    def _deadly(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            self.done += 1
            if self.done > self._at or (self.done == self._at and not self._after):
                raise Killed
            result = method(*given)
            if self.done == self._at:
                raise Killed
            return result

        return call
