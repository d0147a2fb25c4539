"""Toolkits of MCP servers: where a server is, its tools as operations for `compiling`, and forms for its questions.

A server's statements about the effects of its tools are not trusted: every tool counts as a change. A read-only hint
is a guess that the user may keep.
"""

import asyncio
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from registry.calling.network import outside_client
from registry.catalog.checking import checked_tools
from registry.catalog.folders import converted
from registry.catalog.model import Tool
from registry.mcp_client.values import Listing, Server, ServerProblem, address_of, filled_in, items_of, server_in
from registry.openapi.compiling import Compiled
from registry.openapi.document import Document, DocumentRefused, Node, Omit, Overlay, first_sentence, fits, plain, words_of
from registry.openapi.inputs import Inputs
from registry.openapi.operations import Operation, Output, readable
from registry.openapi.schemas import shape_of
from registry.openapi.services import names_of, prefix_of, service_of, usable_address

_SILENCE, _LARGEST = 60.0, 40_000_000
_LONGEST_NAME = 200
_PROTOCOL: dict[str, Any] = msgspec.json.decode(Path(__file__).with_name("mcp_server.json").read_bytes())
"""What the protocol says itself: the operations on resources, as an overlay and as schemas, and the form of a question."""


def mcp_source(text: str, passed: Sequence[str] = (), name: str | None = None) -> Server:
    """A server from the value of ``--mcp``: an address or a command.

    A program gets the variables that are `passed`; requests to an address carry the token for the toolkit's name, if any.

    Raises:
        DocumentRefused: it is neither of them.
    """
    if text.startswith(("https://", "http://")):
        parts = urlsplit(text)
        if parts.query or parts.fragment:
            raise DocumentRefused(text.partition("?")[0], "", "has a query, which an address of a server cannot have here")
        url = usable_address(text, _node({}, text))
        if parts.scheme == "http" and not url.startswith("http://"):
            raise DocumentRefused(text, "", "is not an https address")
        if passed:
            raise DocumentRefused(text, "", "is an address; --pass-env is for programs")
        return Server(url=url, headers=_token_of(name) if name is not None else None)
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise DocumentRefused(text, "", f"is not a valid command: {str(error).lower()}") from None
    if not command or not all(fits(one) for one in command if one):
        raise DocumentRefused(text, "", "is neither a command nor an https address")
    return Server(command, os.getcwd(), passed=tuple(passed))


def configured_source(file: str, entry: str) -> Server:
    """A server from the settings of another MCP client, ``--mcp-config FILE NAME``.

    Raises:
        DocumentRefused: they do not have it.
    """
    file = os.path.abspath(os.path.expanduser(file))
    try:
        found = server_in(file, entry)
        url = filled_in(found).url
    except ServerProblem as problem:
        raise DocumentRefused(f"{file} · {entry}", "", str(problem)) from None
    return replace(found.without_secrets, url=mcp_source(url).url if url else "")


def _token_of(name: str) -> dict[str, str]:
    """The header with the token from the environment for a toolkit with that name; empty without one."""
    token = os.environ.get(f"{prefix_of(names_of(_node({}, name).document, Overlay(), name)[1])}TOKEN", "").strip()
    return {"Authorization": f"Bearer {token}"} if token.isascii() and token.isprintable() and token else {}


def listing_of(source: Server) -> Listing:
    """What a server says about itself. Blocks, and starts the server.

    Raises:
        DocumentRefused: the server cannot be used.
    """
    try:
        return asyncio.run(_listing(source))
    except ServerProblem as problem:
        again = " Put the token into the variable of its name and add it so: EXAMPLE_TOKEN=… and --name Example."
        words = f"{problem}{again if problem.kind == 'refused' else ''}"
    except TimeoutError:
        words = f"did not answer within {_SILENCE:.0f} s; does it speak MCP?"
    raise DocumentRefused(source.name, "", words)


async def _listing(source: Server) -> Listing:
    address = await asyncio.to_thread(address_of, source)
    from registry.mcp_client.session import McpSession

    async with outside_client(httpx.Timeout(_SILENCE, connect=10.0)) as client:
        session = McpSession(address, lambda: client, _LARGEST)
        try:
            async with asyncio.timeout(_SILENCE):
                await session.open()
                return await session.listing()
        finally:
            await session.aclose()


def compiled_server(listing: Listing, source: Server, overlay: Overlay, *, name: str | None = None) -> Compiled:
    """Make a toolkit from what a server says about itself; without a name it is made from the server's.

    Raises:
        DocumentRefused: no toolkit can be made from it.
    """
    if not listing.tools and not listing.resources and not listing.prompts:
        reason = f": {' '.join(listing.left_out[0])}" if listing.left_out else ""
        raise DocumentRefused(source.name, "", f"offers no tools{reason}")
    own = listing.name.rpartition("/")[2]
    title = listing.title or own or urlsplit(source.url).hostname or "MCP server"
    info = {"title": title, "description": listing.instructions, "version": listing.version}
    document = Document(source.name, {"info": info}, "3.1")
    overlay = msgspec.structs.replace(overlay, toolkit=overlay.toolkit or own or None)
    toolkit, account, title = names_of(document, overlay, name)
    usable = {tool: sha for tool, sha in listing.schemas.items() if _is_name(tool)}
    mcp: dict[str, Any] = {"sha256": listing.sha256, "tools": usable}
    mcp |= {"config": source.config, "entry": source.entry} if source.config else {}
    host, ways = {"usual": source.url, "variable": f"{prefix_of(account)}BASE_URL"}, [{"kind": "none"}]
    if source.command:
        host = {"usual": f"mcp://{account}"}
        mcp |= {"command": list(source.command), "folder": source.folder, "environment": list(source.passed)}
    else:
        ways.insert(0, {"kind": "header", "title": "a token", "variable": f"{prefix_of(account)}TOKEN"})
    service = service_of(document, (toolkit, account, title)) | {
        "hosts": {"api": host},
        "authentication": ways,
        "request": {"headers": {}, "exact": True},
        "mcp": mcp,
    }
    if listing.resources:
        usual = converted(_PROTOCOL["overlay"], Overlay)
        operations, references = {**usual.operations, **overlay.operations}, overlay.references or usual.references
        overlay = msgspec.structs.replace(overlay, operations=operations, references=references)
    return Compiled(document, overlay, listing.protocol, service).made(partial(_operations, listing, source))


def _is_name(text: str) -> bool:
    return fits(text) and len(text) <= _LONGEST_NAME


def _operations(listing: Listing, source: Server, leave_out: Omit, omit: Omit) -> Iterator[Operation]:
    for name, reason in listing.left_out:
        leave_out(_node({}, f"{source.name} · {plain(name, 100)}"), reason)
    tools = [("tools/call", tool, tool.get("inputSchema", {})) for tool in listing.tools]
    for method, one, schema in [*tools, *(("prompts/get", one, _prompt_schema(one)) for one in listing.prompts)]:
        node = _node(schema, f"{source.name} · {plain(one['name'], 100)}")
        yield from readable(partial(_operation, one, method, node, omit), node, leave_out)
    # The operations that list and read resources are certainly reads: the protocol defines them, not the server.
    for method, facts in _PROTOCOL["resources"].items() if listing.resources else ():
        node, path = _node(facts["schema"], f"{source.name} · {method}"), f"/{method}"
        named, inputs = Node(node.document, {"operationId": facts["id"]}, node, "tool"), _inputs_of(node, omit)
        for entry in inputs.entries:
            entry["role"] = "cursor_after" if entry["wire_name"] == "cursor" else entry["role"]
        yield Operation(
            *(named, "POST", path, path, method, "Resources", facts["summary"], inputs, Output("object")), reads=True
        )


def _operation(tool: Mapping[str, Any], method: str, node: Node, omit: Omit) -> Operation:
    """A tool or a prompt as an operation. A prompt only reads: the protocol says so, not the server.

    Raises:
        DocumentRefused: it cannot be called.
    """
    name, execution, said = tool["name"], tool.get("execution"), tool.get("annotations")
    if not _is_name(name):
        raise node.refused("its name cannot be shown")
    if isinstance(execution, dict) and execution.get("taskSupport") == "required":
        raise node.refused("it runs as a task only, which is not supported")
    hints = said if isinstance(said, dict) else {}
    words = " ".join(words_of(name))  # the verb of a path, which others are named by, says nothing here
    title = plain(tool.get("title"), 100) or plain(hints.get("title"), 100) or f"{words[:1].upper()}{words[1:]}"
    group, path = "Tools" if method == "tools/call" else "Prompts", f"/{method}/{quote(name, safe='')}"
    only_reads = hints.get("readOnlyHint") is True
    return Operation(
        Node(node.document, {"operationId": name}, node, "tool"),
        "POST",
        path,
        path,
        name,
        group,
        first_sentence(tool.get("description")) or title or name,
        _inputs_of(node, omit),
        Output("object"),
        rule="The server says that it only reads." if only_reads else "",
        title=title,
        reads=method == "prompts/get",
        only_reads=only_reads,
    )


def _prompt_schema(prompt: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a prompt as a schema; each is a text."""
    found = [one for one in items_of(prompt, "arguments") if isinstance(one, dict) and isinstance(one.get("name"), str)]
    needed = [one["name"] for one in found if one.get("required") is True]
    words = {one["name"]: {key: one[key] for key in ("title", "description") if key in one} for one in found}
    return {
        "type": "object",
        "properties": {name: {"type": "string", **said} for name, said in words.items()},
        "required": needed,
    }


def form_of(schema: Mapping[str, Any], toolkit: str) -> Tool:
    """The form for a server's question, as a tool that is never called. A schema that no form can show is a JSON field."""
    as_json: dict[str, Any] = _PROTOCOL["question"] | {"toolkit": toolkit}
    try:
        inputs = _inputs_of(_node(schema, toolkit), lambda *_: None)
    except (DocumentRefused, RecursionError):
        return converted(as_json, Tool)
    entry = as_json | {"body": inputs.body or "none", "parameters": inputs.entries, "content_type": inputs.content_type}
    entry = {key: value for key, value in entry.items() if value is not None}
    return next(checked_tools([entry], "question", ("api",), []), None) or converted(as_json, Tool)


def _node(schema: Mapping[str, Any], name: str) -> Node:
    """A schema of JSON Schema 2020-12 as its own document, so that its references lead only into itself."""
    return Document(name, dict(schema), "3.1").top


def _inputs_of(schema: Node, omit: Omit) -> Inputs:
    """The parameters for an object with this schema.

    Raises:
        DocumentRefused: a reference in it leads nowhere.
    """
    inputs = Inputs(omit)
    shape = shape_of((schema,))
    if shape.properties or shape.branches or shape.more is not None or shape.type != "object":
        inputs.add_body(
            {"application/json": (schema, (schema,))},
            required=True,
            words="All arguments, as one JSON object.",
            only_named=True,
        )
    inputs.finish()
    return inputs
