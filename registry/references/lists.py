"""Lists inside objects, and the tool that pages through each, found by the address that the service gives with the list."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from registry.catalog.model import Tool
from registry.references.json_location import Branch, JsonLocation
from registry.references.routes import Routes

_LONGEST = 2_000
_PLACEHOLDER = re.compile(r"\\\{(\w+)\\\}")


class ListPaging(NamedTuple):
    """A tool that pages through a list, the ids that it needs, and whether the list has more items than shown."""

    tool: Tool
    arguments: dict[str, object]
    has_more: bool


def paging_of(place: JsonLocation, tool: Tool, ways: Routes) -> ListPaging | None:
    """The tool that pages through the list around or at a place; None if there is no list, or it is the response itself."""
    for branch in place.chain[:-1]:
        if branch.members.get("object") == "list":
            return _paging(branch, tool, ways)
    return None


def _paging(branch: Branch, tool: Tool, ways: Routes) -> ListPaging | None:
    url = branch.members.get("url")
    if not isinstance(url, str) or len(url) > _LONGEST:
        return None
    try:
        address = urlsplit(url)
    except ValueError:
        return None
    for one in ways.of(tool).tools:
        if one.returns.kind == "list" and one.effect == "read":
            arguments = _arguments(one, address.path, dict(parse_qsl(address.query)))
            if arguments is not None:
                return ListPaging(one, arguments, branch.members.get("has_more") is True)
    return None


def _arguments(tool: Tool, path: str, query: dict[str, str]) -> dict[str, object] | None:
    """The arguments with which a tool calls an address; None if it cannot."""
    found = _pattern(tool.path).fullmatch(path)
    if found is None:
        return None
    by_wire_name = {parameter.wire_name: parameter.name for parameter in tool.parameters}
    values = {name: unquote(value) for name, value in found.groupdict().items()} | query
    arguments: dict[str, object] = {by_wire_name[name]: value for name, value in values.items() if name in by_wire_name}
    complete = all(parameter.name in arguments for parameter in tool.parameters if parameter.required)
    return arguments if complete else None


@cache
def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(_PLACEHOLDER.sub(r"(?P<\1>[^/]+)", re.escape(template)))
