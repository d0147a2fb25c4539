"""A sandbox of its own with everything that reaches it counted, and the reads of a tool on it."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

from msgspec.structs import replace as with_fields
from starlette.types import ASGIApp, Receive, Scope, Send

from registry.accounts.connection import Connection, Mode, sandbox
from registry.accounts.policy import Consent
from registry.calling.arguments import Arguments
from registry.calling.result import Result
from registry.catalog.loader import load
from registry.catalog.model import Tool
from registry.changes.check_result import CheckResult
from registry.changes.checked import ChangeCheck
from registry.changes.deletion import Outcome, carry_out
from registry.changes.reads import Reads
from registry.sandbox.server import application
from tests.opened import open_writing, opened, unchecked

CATALOG = load()
TOOLS = CATALOG.tools


async def look(reads: Reads, tool: Tool, arguments: Mapping[str, object], **options: Any) -> CheckResult:
    """What a check of a change finds."""
    return await ChangeCheck(reads, tool, Arguments(dict(cast(Any, arguments))), **options).run()


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
    """A sandbox, and an engine on it."""

    def __init__(self, app: ASGIApp, mode: Mode, **options: Any) -> None:
        self.wire = Counting(app)
        self.waits: list[float] = []
        self.engine = opened(sandbox=lambda: self.wire, sleep=self._sleep, **options)
        plain = sandbox()
        self.connection: Connection = with_fields(
            plain, endpoints={name: replace(one, mode=mode) for name, one in plain.endpoints.items()}
        )

    def reads(self, tool: Tool) -> Reads:
        return self.engine.reads(tool, self.connection)

    async def checked(self, tool: Tool, arguments: Mapping[str, object]) -> ChangeCheck:
        """The check of a change, which has ended."""
        checking = ChangeCheck(self.reads(tool), tool, self.engine.validate(tool, arguments))
        await checking.run()
        return checking

    async def send(self, checking: ChangeCheck, consent: Consent = Consent.TYPED, **options: Any) -> Outcome:
        return await carry_out(checking, consent, self.engine.policy, self.engine.audit, **options)

    async def carry_out(self, tool: Tool, arguments: Mapping[str, object], **options: Any) -> Outcome:
        """What becomes of a change that is looked at and agreed to."""
        return await self.send(await self.checked(tool, arguments), **options)

    async def unchecked(self, tool: Tool, arguments: Mapping[str, object]) -> Result:
        """What the service itself says to a change, whatever a look would show."""
        return await unchecked(self.engine, tool, arguments, self.connection)

    async def json(self, name: str, **arguments: Any) -> Any:
        """What a tool that reads answers."""
        result = await self.engine.run(name, arguments, self.connection)
        return result.json if result.ok else None

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


@asynccontextmanager
async def place(
    app: ASGIApp | None = None, *, faults: Iterable[str] = (), mode: Mode = "sandbox", **options: Any
) -> AsyncIterator[Place]:
    """A sandbox while the context lasts; the whole one where none is given. `options` are those of `opened`."""
    one = Place(app or application(faults=faults, limits=False), mode, **options)
    if mode == "live":
        open_writing(one.engine, one.connection)
    async with one.engine:
        yield one
