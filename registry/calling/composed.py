"""Tools that need several requests, or local work on the result: finds their function in the toolkit's folder.

Such a function takes the arguments and the sender, which sends each of its requests like those of any call. It returns the
result as JSON values with notes for the user, and raises `CallFailed` if there is no result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from registry.calling.arguments import Arguments
from registry.calling.failures import CallFailed, not_json
from registry.calling.request import PlannedRequest, outline
from registry.calling.result import Failure
from registry.calling.sending import Sender
from registry.catalog.model import Tool
from registry.catalog.toolkit_files import optional_hook
from registry.json_text.reading import NotJson, read_json

Composed = tuple[Any, list[str]]


def composed(tool: Tool) -> Callable[[Arguments, Sender], Awaitable[Composed]]:
    """The function that makes the requests of a composed tool.

    Raises:
        CallFailed: its toolkit has no such function; nothing was sent.
    """
    function = optional_hook(tool.toolkit, "composed", tool.composed or "")
    if function is None:
        cause = f"`{tool.composed}` is a function, and {tool.toolkit} has none of Callboard's own with this name."
        steps = "Remove `composed` from the tool, or call the operations one by one."
        raise CallFailed(Failure("refused", "The tool needs code that does not exist", cause, steps))
    return function


def opening(tool: Tool, arguments: Arguments) -> PlannedRequest:
    """The first request of a call, to show it; the arguments may be incomplete."""
    own = optional_hook(tool.toolkit, "composed", "opening") if tool.composed is not None else None
    first: PlannedRequest = own(tool, arguments) if own is not None else outline(tool, arguments)
    return first


async def json_object(sender: Sender, request: PlannedRequest) -> dict[str, Any]:
    """Send a request and return its response as a JSON object.

    Raises:
        CallFailed: the request failed, or the response is not a JSON object.
    """
    response = await sender.send(request)
    try:
        content = read_json(response.body)
    except NotJson as error:
        raise CallFailed(not_json(sender.tool, response, response.unreadable or str(error)), response) from None
    if not isinstance(content, dict):
        raise CallFailed(not_json(sender.tool, response, "it is not an object"), response)
    return content
