"""A server's results as JSON values for people and programs. Binary content is described, not included."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from registry.mcp_client.values import McpResult
from registry.text.readings import size

_LONGEST_ERROR = 2_000


def result_of(result: Mapping[str, Any]) -> McpResult:
    """The result of a tool.

    It is the structured content, if there is any. Otherwise a single text that is a JSON object or list is the result, and any
    other single text becomes ``{"text": …}``. Several parts, and parts that are not text, become ``{"content": […]}``, each
    with its kind and content, so that a table shows them all; structured content is then beside them.

    Args:
        result: ``CallToolResult`` as the protocol has it.
    """
    blocks = [one for one in result.get("content", ()) if isinstance(one, Mapping)]
    parts = [_part(one) for one in blocks]
    texts = [one["text"] for one in blocks if one.get("type") == "text"]
    if result.get("isError"):
        words = " ".join(text.strip() for text in texts)[:_LONGEST_ERROR]
        return McpResult(_whole(result, parts, texts), words or "The tool failed and says nothing of it.")
    return McpResult(_whole(result, parts, texts), files=tuple(_files(blocks)))


def resources_of(result: Mapping[str, Any]) -> Any:
    """The resources in ``ListResourcesResult``, with the fields that people need, and the cursor of the next page."""
    found = [_link(one) for one in result.get("resources", ()) if isinstance(one, Mapping)]
    return {"resources": found, **({"nextCursor": result["nextCursor"]} if result.get("nextCursor") else {})}


def contents_of(result: Mapping[str, Any]) -> McpResult:
    """The content of ``ReadResourceResult``: the data or text of one resource, or a list of several."""
    found = [one for one in result.get("contents", ()) if isinstance(one, Mapping)]
    parts = [_resource(one) for one in found]
    return McpResult(parts[0] if len(parts) == 1 else {"contents": parts}, files=tuple(_files(found)))


def _files(blocks: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, bytes]]:
    """The binary parts or resources, each with its media type. Invalid Base64 is skipped."""
    for one in blocks:
        inner = one.get("resource")
        held = inner if isinstance(inner, Mapping) else one
        encoded = held.get("data") if one.get("type") in ("image", "audio") else held.get("blob")
        if isinstance(encoded, str):
            with contextlib.suppress(ValueError):
                yield str(held.get("mimeType") or ""), base64.b64decode(encoded, validate=True)


def _whole(result: Mapping[str, Any], parts: list[dict[str, Any]], texts: list[str]) -> Any:
    structured = result.get("structuredContent")
    plain = len(texts) == len(parts)  # the text repeats the structured content
    if structured is not None:
        return structured if plain else {"structured": structured, "content": parts}
    if plain and len(parts) == 1:
        data = _data(texts[0])
        return {"text": texts[0]} if data is None else data
    return {"content": parts}


def _part(block: Mapping[str, Any]) -> dict[str, Any]:
    match block.get("type"):
        case "text":
            data = _data(block["text"])
            return _named("text", block["text"]) if data is None else _named("data", data)
        case "image" | "audio" as kind:
            return _named(kind, _described(block.get("mimeType"), block.get("data")))
        case "resource_link":
            return _named("link", _link(block))
        case "resource" if isinstance(resource := block.get("resource"), Mapping):
            return _named("resource", _resource(resource))
    return _named(str(block.get("type")), "is not shown")


def _named(kind: str, content: Any) -> dict[str, Any]:
    return {"kind": kind, "content": content}


def _link(one: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one[name] for name in ("uri", "name", "title", "description", "mimeType", "size") if name in one}


def _resource(one: Mapping[str, Any]) -> dict[str, Any]:
    resource = {"uri": one.get("uri")}
    if isinstance(text := one.get("text"), str):
        data = _data(text)
        kind = {"mimeType": one["mimeType"]} if one.get("mimeType") else {}
        return {**resource, **kind, **({"text": text} if data is None else {"data": data})}
    return {**resource, "holds": _described(one.get("mimeType"), one.get("blob"))}


def _described(kind: object, encoded: object) -> str:
    """A description of binary content: ``image/png, 12.0 kB``."""
    count = max(len(encoded) * 3 // 4 - encoded[-2:].count("="), 0) if isinstance(encoded, str) else 0
    return f"{kind or 'unknown kind'}, {size(count)}"


def _data(text: str) -> Any:
    """The object or list in a JSON text; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> Iterable[Any]:
    raise ValueError(name)
