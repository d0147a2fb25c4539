"""A server's results as JSON values for people and programs. Binary content is described, not included."""

import base64
import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeGuard

from registry.mcp_client.values import McpResult, items_of
from registry.text.readings import size

_LONGEST_ERROR = 2_000
_OF_THE_PROTOCOL = ("_meta", "resultType", "ttlMs", "cacheScope")


def result_of(result: Mapping[str, Any]) -> McpResult:
    """The result of a tool.

    It is the structured content, if there is any. Otherwise a single text that is a JSON object or list is the result, and any
    other single text becomes ``{"text": …}``. Several parts, and parts that are not text, become ``{"content": […]}``, each
    with its kind and content, so that a table shows them all; structured content is then beside them. What the protocol does
    not know is kept as it came.

    Args:
        result: ``CallToolResult`` as the server sent it.
    """
    blocks = result.get("content", [])
    if not isinstance(blocks, list) or ("content" not in result and "structuredContent" not in result):
        return McpResult(dict(result), "The tool failed and says nothing of it." if result.get("isError") else "")
    parts = [_part(one) for one in blocks]
    texts = [part["text"] for part in blocks if _is_text(part)]
    content, files = _whole(result, parts, texts), tuple(_files(blocks))
    if result.get("isError"):
        words = " ".join(text.strip() for text in texts)[:_LONGEST_ERROR]
        return McpResult(content, words or "The tool failed and says nothing of it.", files=files)
    return McpResult(content, files=files)


def contents_of(result: Mapping[str, Any]) -> McpResult:
    """The content of ``ReadResourceResult``: the data or text of one resource, or a list of several."""
    found = items_of(result, "contents")
    parts = [_resource(one) if isinstance(one, Mapping) else one for one in found]
    return McpResult(parts[0] if len(parts) == 1 else {"contents": parts}, files=tuple(_files(found)))


def listed_of(result: Mapping[str, Any]) -> McpResult:
    """A page of resources, each marked as a link, or of their templates."""
    page = {name: value for name, value in result.items() if name not in _OF_THE_PROTOCOL}
    if "resources" in page:
        page["resources"] = [
            {"kind": "link", **one} if isinstance(one, Mapping) else one for one in items_of(page, "resources")
        ]
    return McpResult(page)


def messages_of(result: Mapping[str, Any]) -> McpResult:
    """The text of ``GetPromptResult``, if it is a single one; otherwise its messages, each with role, kind and content."""
    messages = [one for one in items_of(result, "messages") if isinstance(one, Mapping)]
    words = {"description": result["description"]} if result.get("description") else {}
    blocks = [one.get("content") for one in messages]
    if len(blocks) == 1 and _is_text(blocks[0]):
        return McpResult({**words, "text": blocks[0]["text"]})
    parts = [{"role": one.get("role")} | _part(block) for one, block in zip(messages, blocks, strict=True)]
    return McpResult({**words, "messages": parts}, files=tuple(_files(blocks)))


def _files(blocks: Iterable[Any]) -> Iterator[tuple[str, bytes]]:
    """The binary parts or resources, each with its media type. Invalid Base64 is skipped."""
    for one in (block for block in blocks if isinstance(block, Mapping)):
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


def _is_text(block: Any) -> TypeGuard[Mapping[str, str]]:
    return isinstance(block, Mapping) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _part(block: Any) -> dict[str, Any]:
    if not isinstance(block, Mapping):
        return _named("unknown", block)
    if _is_text(block):
        data = _data(block["text"])
        return _named("text", block["text"]) if data is None else _named("data", data)
    match block.get("type"):
        case "image" | "audio" as kind if isinstance(block.get("data"), str):
            return _named(kind, _described(block.get("mimeType"), block["data"]))
        case "resource_link":
            known = ("uri", "name", "title", "description", "mimeType", "size")
            return _named("link", {name: block[name] for name in known if name in block})
        case "resource" if isinstance(resource := block.get("resource"), Mapping):
            return _named("resource", _resource(resource))
    return _named(str(block.get("type")), {name: value for name, value in block.items() if name != "type"})


def _named(kind: str, content: Any) -> dict[str, Any]:
    return {"kind": kind, "content": content}


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
        return json.loads(text, parse_constant=int)  # NaN and Infinity are no JSON, and no whole numbers either
    except (ValueError, RecursionError):
        return None
