"""The tools of an MCP server as operations, with their service, for `compiling`, which makes the toolkit.

A server's statements about the effects of its tools are not trusted: every tool counts as a change. A read-only hint
is a guess that the user may keep.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from registry.calling.http_client import HttpClient
from registry.files.extras import how_to_install
from registry.mcp_client.values import Listing, Program, Remote, ServerProblem
from registry.openapi.asked_form import inputs_of, schema_node
from registry.openapi.compiling import Compiled, assembled
from registry.openapi.document import Document, Node
from registry.openapi.forms import PatternBudget
from registry.openapi.mcp_source import McpSource, prefix_of
from registry.openapi.operations import Faults, Operation, Remark
from registry.openapi.outputs import Output
from registry.openapi.overlay import Overlay
from registry.openapi.plain_text import first_sentence, fits, plain
from registry.openapi.remarks import DocumentRefused
from registry.openapi.services import names_of

_SILENCE, _LARGEST = 60.0, 40_000_000
_LONGEST_NAME = 200
_GROUP, _RESOURCES = "Tools", "Resources"
_ONLY_READS = "The server says that it only reads."


def listing_of(source: McpSource) -> Listing:
    """What a server says about itself. Blocks, and starts the server.

    Raises:
        DocumentRefused: the server cannot be used.
    """
    try:
        return asyncio.run(_listing(source))
    except ServerProblem as problem:
        words = str(problem)
        if problem.kind == "refused":
            words += " Put the token into the variable of its name and add it so: EXAMPLE_TOKEN=… and --name Example."
        raise DocumentRefused(source.name, "", words) from None
    except TimeoutError:
        raise DocumentRefused(source.name, "", f"did not answer within {_SILENCE:.0f} s; does it speak MCP?") from None


async def _listing(source: McpSource) -> Listing:
    if importlib.util.find_spec("mcp") is None:
        raise ServerProblem("missing", f"MCP servers need the library mcp. Install {how_to_install('mcp')}")
    from registry.mcp_client.session import McpSession

    passed = {name: value for name in source.passed if (value := os.environ.get(name)) is not None}
    address = Remote(source.url, source.headers or {}) if source.url else Program(source.command, source.folder, passed)
    async with HttpClient(timeout=httpx.Timeout(_SILENCE, connect=10.0)) as client:
        session = McpSession(address, lambda: client, _LARGEST)
        try:
            async with asyncio.timeout(_SILENCE):
                await session.open()
                return await session.listing()
        finally:
            await session.aclose()


def compiled_server(listing: Listing, source: McpSource, overlay: Overlay, *, name: str | None = None) -> Compiled:
    """Make a toolkit from what a server says about itself.

    Args:
        listing: what the server says about itself.
        source: its address or command.
        overlay: the user's overrides.
        name: the toolkit's name, also on screen; without it, made from the server's name.

    Raises:
        DocumentRefused: no toolkit can be made from it.
    """
    if not listing.tools and not listing.resources:
        raise DocumentRefused(source.name, "", "offers no tools")
    title = listing.title or listing.name.rpartition("/")[2] or urlsplit(source.url).hostname or "MCP server"
    document = _described(title, listing.version, listing.instructions, source.name)
    names = names_of(document, name or overlay.toolkit or listing.name.rpartition("/")[2] or None)
    names = (names[0], names[1], plain(overlay.title, 60) or name or names[2])
    service = _service(document, names, listing, source)
    return assembled(document, overlay, service, names, lambda remark: _operations(listing, source, remark), listing.protocol)


def _described(title: str, version: str = "", words: str = "", name: str = "server") -> Document:
    return schema_node({"info": {"title": title, "version": version, "description": words}}, name).document


def _service(document: Document, names: tuple[str, str, str], listing: Listing, source: McpSource) -> dict[str, Any]:
    toolkit, name, title = names
    usable = {tool: sha for tool, sha in listing.schemas.items() if fits(tool) and len(tool) <= _LONGEST_NAME}
    mcp: dict[str, Any] = {"sha256": listing.sha256, "tools": usable}
    if source.command:
        address, ways = f"mcp://{name}", [{"kind": "none"}]
        mcp |= {"command": list(source.command), "folder": source.folder, "environment": list(source.passed)}
    else:
        address = source.url
        token = {"kind": "header", "title": "a token", "variable": f"{prefix_of(name)}TOKEN"}
        ways = [token, {"kind": "none"}]
    service: dict[str, Any] = {
        "toolkit": toolkit,
        "name": name,
        "title": title,
        "summary": first_sentence(document.top.object("info").get("description")) or f"The MCP server {title}.",
        "hosts": {"api": {"usual": address} | ({} if source.command else {"variable": f"{prefix_of(name)}BASE_URL"})},
        "authentication": ways,
        "request": {"headers": {}, "exact": True},
        "mcp": mcp,
    }
    if fits(listing.version) and len(listing.version) <= 30:
        service["version"] = listing.version
    return service


def _operations(listing: Listing, source: McpSource, remark: Remark) -> Iterator[Operation]:
    patterns, faults = PatternBudget(), Faults()
    for tool in listing.tools:
        name, schema = tool.get("name"), tool.get("inputSchema")
        node = schema_node(schema if isinstance(schema, dict) else {}, f"{source.name} · {plain(name, 100)}")
        if not fits(name) or not isinstance(name, str) or len(name) > _LONGEST_NAME:
            remark(node, "its name cannot be shown")
        elif _wants(tool, "taskSupport") == "required":
            remark(node, "it runs as a task only, which is not supported")
        elif (read := faults.readable(partial(_operation, tool, name, node, remark, patterns), node, remark)) is not None:
            yield read
    if listing.resources:
        yield from _resources(source, remark, patterns)


def _wants(tool: Mapping[str, Any], key: str) -> object:
    execution = tool.get("execution")
    return execution.get(key) if isinstance(execution, dict) else None


def _operation(tool: Mapping[str, Any], name: str, node: Node, remark: Remark, patterns: PatternBudget) -> Operation:
    said = tool.get("annotations")
    hints = said if isinstance(said, dict) else {}
    title = plain(tool.get("title"), 100) or plain(hints.get("title"), 100)
    inputs = inputs_of(node, remark, patterns)
    path = f"/tools/call/{quote(name, safe='')}"
    only_reads = hints.get("readOnlyHint") is True
    summary = first_sentence(tool.get("description")) or title or name
    named = Node(node.document, {"operationId": name}, node, "tool")
    return Operation(
        *(named, "POST", path, path, [], name, _GROUP, summary, inputs, Output("object")),
        rule=_ONLY_READS if only_reads else "",
        title=title,
        only_reads=only_reads,
    )


def _resources(source: McpSource, remark: Remark, patterns: PatternBudget) -> Iterator[Operation]:
    """The operations that list and read resources. They are certainly reads: the protocol defines them, not the server."""
    cursor = {"type": "string", "description": "Where the next page begins: nextCursor of the page before it."}
    uri = {"type": "string", "description": "The resource's uri, as a list or a result names it."}
    for id_, name, words, properties, required in (
        ("ListResources", "resources/list", "The resources that the server offers", {"cursor": cursor}, []),
        ("ReadResource", "resources/read", "One resource, by its uri", {"uri": uri}, ["uri"]),
    ):
        schema = {"type": "object", "properties": properties, "required": required}
        node = schema_node(schema, f"{source.name} · {name}")
        inputs = inputs_of(node, remark, patterns)
        named = Node(node.document, {"operationId": id_}, node, "tool")
        yield Operation(
            *(named, "POST", f"/{name}", f"/{name}", [], name, _RESOURCES, words, inputs, Output("object")), reads=True
        )
