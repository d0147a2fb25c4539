"""The reads of a check: sent through the client like any call, a few at a time.

A failed read is recorded in words and never raises.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from registry.accounts.connection import Connection
from registry.calling.arguments import ArgumentError
from registry.calling.client import ToolClient
from registry.calling.failures import is_list
from registry.calling.result import ResultPage
from registry.calling.sending import Sleep
from registry.catalog.loader import Catalog
from registry.catalog.model import Parameter, Tool
from registry.json_text import NotJson, read_json
from registry.references.routes import Route, ToolkitRoutes
from registry.text.shown import visible_line

Call = tuple[Tool, dict[str, object]]
Object = Mapping[str, Any]

_AT_ONCE = 4


class ReadResult(Struct, frozen=True):
    """The result of a read.

    Attributes:
        json: the response as Python values; None if there is none.
        body: the same as received.
        gone: the service says that the object does not exist, or not any more.
        problem: why there is no response, in words; empty if there is one, or if the object is gone.
    """

    json: Any = None
    body: bytes = b""
    gone: bool = False
    problem: str = ""

    @classmethod
    def of(cls, body: bytes) -> "ReadResult":
        """A result from its JSON text; the short form that some deleted objects keep means that they are gone."""
        try:
            content = read_json(body) if body else None
        except NotJson:
            return cls(problem="it is not JSON")
        return cls(content, body, gone=isinstance(content, dict) and content.get("deleted") is True)

    @property
    def members(self) -> Mapping[str, Any]:
        """The response, if it is an object; otherwise empty."""
        return self.json if isinstance(self.json, dict) else {}


class Items(Struct, frozen=True):
    """The items of a list that were read, whether there are more, and why a read failed."""

    items: tuple[Mapping[str, Any], ...] = ()
    more: bool = False
    problem: str = ""


class Reads(Struct, frozen=True):
    """Reads from one service, on one connection; `routes` say how its tools reach objects, `sleep` waits between reads."""

    client: ToolClient
    catalog: Catalog
    routes: ToolkitRoutes
    connection: Connection
    sleep: Sleep = asyncio.sleep
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    def tool(self, name: str) -> Tool | None:
        """The tool with this name that reads from this service, or None. Names come from data and are not trusted."""
        return next((tool for tool in self.routes.tools if tool.own_name == name and tool.effect == "read"), None)

    async def read(self, tool: Tool, arguments: Mapping[str, object]) -> ReadResult:
        """Make one call. The client refuses tools that do not read."""
        return (await self._page(tool, arguments))[0]

    async def read_object(self, retrieval: Call) -> ReadResult:
        """Read one object. A list in its place, as from a proxy or cache, is a problem: it shows nothing about it."""
        result = await self.read(*retrieval)
        listed = is_list(self.connection.endpoint(retrieval[0].toolkit).service, result.body)
        return ReadResult(problem="the service returned a list instead of the object") if listed else result

    async def named(self, name: str, arguments: Mapping[str, object]) -> ReadResult:
        """Call the tool with this name."""
        return await self.read(self.catalog.tools[name], arguments)

    async def items(self, name: str, arguments: Mapping[str, object], pages: int = 1) -> Items:
        """The items of a list tool, from at most `pages` pages of the largest size."""
        tool = self.catalog.tools[name]
        limit = tool.with_role("limit")
        raw = dict(arguments) | ({limit.name: limit.maximum} if limit is not None and limit.maximum else {})
        found: list[Mapping[str, Any]] = []
        for _ in range(pages):
            result, page = await self._page(tool, raw)
            if result.json is None:
                return Items(tuple(found), True, result.problem or "no list found")
            listed = next((value for value in result.members.values() if isinstance(value, list)), [])
            found += [item for item in listed if isinstance(item, dict)]
            if page is None or page.next is None:
                return Items(tuple(found), page is not None and page.has_more)
            raw = {name: value for name, value in (raw | dict(page.next)).items() if value is not None}
        return Items(tuple(found), True)

    async def one(self, type_: str, id_: str) -> ReadResult:
        """An object that can be read by its id alone."""
        way = next((way for way in self.routes.retrieving.get(type_, ()) if not way.owners and way.by is not None), None)
        if way is None or way.by is None:
            return ReadResult(problem=f"no tool can get a {type_} by id alone")
        return await self.read(way.tool, {way.by.name: id_})

    async def retrieval(self, tool: Tool, arguments: Mapping[str, object]) -> Call | None:
        """The tool that reads the object of another tool, with arguments from that tool's; None if no tool can.

        If an owner's id is missing, it is looked up in the objects that the arguments do name.
        """
        known = {type_: arguments[one.name] for one in tool.parameters for type_ in one.refers_to if one.name in arguments}
        if (found := self._call(tool, arguments, known)) is not None:
            return found
        for type_, id_ in list(known.items()):
            for name, value in (await self.one(type_, str(id_))).members.items():
                if isinstance(value, str) and self.routes.retrieving.get(name):
                    known.setdefault(name, value)
        return self._call(tool, arguments, known)

    async def _page(self, tool: Tool, arguments: Mapping[str, object]) -> tuple[ReadResult, ResultPage | None]:
        async with self._places:
            try:
                result = await self.client.read(tool, arguments, self.connection, whose="check")
            except ArgumentError as error:
                return ReadResult(problem=str(error)), None
        if result.failure is None:
            return ReadResult.of(result.body), result.page
        gone, words = result.status in (404, 410), visible_line(f"{result.failure.title}: {result.failure.cause}")
        return ReadResult(gone=gone, problem="" if gone else words), result.page

    def _call(self, tool: Tool, arguments: Mapping[str, object], known: Mapping[str, object]) -> Call | None:
        found = [
            (way.tool, own | _same_options(way.tool, tool, arguments))
            for type_ in tool.returns.objects
            for way in (*self.routes.retrieving.get(type_, ()), *self.routes.single.get(type_, ()))
            if (own := _arguments(way, type_, known)) is not None
        ]
        # The more of the ids it takes, the more certainly it is about the same object.
        call = max(found, key=lambda one: len(one[1]), default=None)
        ids = {one.refers_to for one in tool.parameters if one.role == "id"}
        return call if call is not None and len(call[1]) >= len(ids) else None


def _arguments(way: Route, type_: str, by_type: Mapping[str, object]) -> dict[str, object] | None:
    """The arguments of a route, if all that it needs is known; a route without an id needs an owner."""
    needed: list[tuple[Parameter, tuple[str, ...]]] = [(way.by, (type_,))] if way.by is not None else []
    needed += [(owner, owner.refers_to) for owner in way.owners]
    known = {one.name: next((by_type[name] for name in types if name in by_type), None) for one, types in needed}
    return known if known and None not in known.values() else None


def _same_options(to: Tool, of: Tool, arguments: Mapping[str, object]) -> dict[str, object]:
    """Options that say what kind of id is given (an email, a number), copied from the other tool's arguments."""
    options = {one.wire_name: arguments[one.name] for one in of.parameters if one.role == "option" and one.name in arguments}
    return {one.name: options[one.wire_name] for one in to.parameters if one.role == "option" and one.wire_name in options}
