"""Pages for tests: loaded from the sandbox, or from responses that a test gives."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from registry.calling.result import Failure, Result, ResultPage
from registry.calling.sending import Observer
from registry.catalog.model import Tool
from registry.engine import Engine
from registry.pages.loading import PageLoad, Read
from registry.pages.page import ObjectPage
from registry.pages.subjects import subjects_of

NOW = 1_800_000_000.0
"""2027-01-15T08:00:00Z, the present of the tests that give their own responses."""


async def page_of(
    engine: Engine, id_: str, read: Read | None = None, observer: Callable[[ObjectPage], None] = lambda _: None, **wanted: str
) -> ObjectPage:
    """The page of an id; from the sandbox, unless something else reads."""
    clock = engine.settings.clock if read is None else lambda: NOW
    load = PageLoad(read or engine.reading(engine.usual), engine.catalog, engine.routes, clock, observer)
    return await load.load(subjects_of(id_, engine.routes, **wanted))


def failed(tool: Tool, status: int, cause: str) -> Result:
    """A result that failed."""
    return Result(tool.name, "sandbox", status, failure=Failure("service", "Refused", cause, "Try again."))


def answered(tool: Tool, body: Any, *, more: bool = False, total: int | None = None) -> Result:
    """A result with a body."""
    items = body.get("data") if isinstance(body, dict) else None
    page = (
        ResultPage(len(items), more, {"pagination_cursor": "x"} if more else None, None, total) if items is not None else None
    )
    at = "data" if items is not None else None
    return Result(tool.name, "sandbox", 200, body=json.dumps(body).encode(), page=page, items_at=at)


def reading(bodies: Mapping[str, Any]) -> Read:
    """Reads from bodies by the tool's own name; a list is empty where none is given, an object is not there."""

    async def read(tool: Tool, arguments: Mapping[str, object], observer: Observer) -> Result:
        given = bodies.get(tool.own_name)
        if isinstance(given, Result):
            return given
        if given is None and not tool.is_list:
            return failed(tool, 404, "There is no such thing.")
        return answered(tool, given if given is not None else {"object": "list", "data": []})

    return read
