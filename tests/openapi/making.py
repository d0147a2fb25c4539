"""Documents in tests and the tools that they become: of features, from ``features.yaml``, and of single operations."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import yaml

from registry.calling.arguments import check
from registry.calling.request import plan
from registry.catalog.checking import checked_service, checked_tools
from registry.catalog.folders import SERVICE, CatalogProblem
from registry.catalog.model import Tool
from registry.catalog.service import Service
from registry.openapi.compiling import Compiled, compiled, document_of
from registry.openapi.document import Overlay, overlay_of

NOW = 1_760_000_000.0


def document(paths: dict[str, Any], version: str = "3.1.0", **more: Any) -> dict[str, Any]:
    """A document with these paths."""
    head: dict[str, Any] = {"info": {"title": "Things", "version": "1"}, "paths": paths}
    if version == "2.0":
        return {"swagger": "2.0", "host": "things.example", "basePath": "/v1", **head, **more}
    return {"openapi": version, "servers": [{"url": "https://things.example/v1"}], **head, **more}


def made(content: dict[str, Any] | bytes, overlay: dict[str, Any] | None = None, name: str = "things.json") -> Compiled:
    """The toolkit of a document."""
    told = overlay_of(json.dumps(overlay).encode(), "overlay.json") if overlay is not None else Overlay()
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    return compiled(document_of(raw, name), told)


def service(found: Compiled) -> dict[str, Any]:
    """The content of ``service.json``."""
    content: dict[str, Any] = json.loads(found.files[SERVICE])
    return content


def service_of(found: Compiled) -> Service:
    """The service of a toolkit, as the catalogue reads it."""
    problems: list[CatalogProblem] = []
    own = checked_service(service(found), SERVICE, problems)
    assert own is not None, problems
    return own


def tools(found: Compiled) -> dict[str, Tool]:
    """The tools of a toolkit, as the catalogue reads them."""
    problems: list[CatalogProblem] = []
    own = service_of(found)
    entries = [
        {"toolkit": own.toolkit, "arrays": "repeat", "nested": "brackets", "exact": True, "group": group["name"]} | tool
        for file, content in found.files.items()
        if file.startswith("tools/")
        for group in json.loads(content)["groups"]
        for tool in group["tools"]
    ]
    known = {tool.name: tool for tool in checked_tools(entries, SERVICE, own.hosts, problems)}
    assert problems == []
    return known


def only_tool(found: Compiled) -> Tool:
    """The tool of a toolkit that has one."""
    (tool,) = tools(found).values()
    return tool


def sent(tool: Tool, given: dict[str, Any]) -> tuple[str, str]:
    """Path with query, and body, of the request for some arguments."""
    arguments = check(tool, given, NOW)
    assert arguments.errors == (), arguments.errors
    request = plan(tool, arguments)
    pairs = [f"{quote(name, safe='')}={quote(value, safe=':,')}" for name, value in request.query]
    if request.body is not None and request.body.kind == "multipart":
        return request.path, str(request.body.parts())
    body = "" if request.body is None else request.body.text()
    return request.path + ("?" + "&".join(pairs) if pairs else ""), body


def written(folder: Path, content: dict[str, Any], name: str = "things.json") -> Path:
    """A file that holds a document."""
    path = folder / name
    path.write_text(json.dumps(content))
    return path


STRINGS = {"type": "array", "items": {"type": "string"}}


FILES = Path(__file__).with_name("files")


class Feature(NamedTuple):
    """One feature: what an operation says, what a caller gives, and the request that is sent."""

    name: str
    operation: dict[str, Any]
    given: dict[str, Any]
    sent: str
    method: str = "get"
    path: str = "/things"
    version: str = "3.1.0"
    document: dict[str, Any] = {}
    environment: dict[str, str] = {}

    @property
    def with_files(self) -> dict[str, Any]:
        """The arguments, with files that exist."""
        given: dict[str, Any] = json.loads(json.dumps(self.given).replace("{folder}", str(FILES)))
        return given

    @property
    def whole(self) -> dict[str, Any]:
        """A document with the operation."""
        more = {name: value for name, value in self.document.items() if name != "paths"}
        paths = self.document.get("paths", {})
        item = {self.path: {**paths.get(self.path, {}), self.method: self.operation}}
        return document({**item, **{name: one for name, one in paths.items() if name not in item}}, self.version, **more)


class Refusal(NamedTuple):
    """A value that a schema does not take, and what is said of it."""

    name: str
    schema: dict[str, Any]
    given: Any
    words: str
    version: str = "3.1.0"


_DATA = yaml.load(Path(__file__).with_name("features.yaml").read_text("utf-8"), yaml.CSafeLoader)


def _styles(place: str, style: str, explode: bool, *sent: str | None) -> Iterator[Feature]:
    """The features of a row of the specification's table of styles."""
    values = {"string": "blue", "array": ["blue", "black", "brown"], "object": {"R": 100, "G": 200, "B": 150}}
    parts = {"R": {"type": "integer"}, "G": {"type": "integer"}, "B": {"type": "integer"}}
    for (kind, value), text in zip(values.items(), sent, strict=True):
        if text is not None:
            schema: dict[str, Any] = {"type": kind, "items": {"type": "string"}, "properties": parts}
            one = {"name": "color", "in": place, "required": True, "style": style, "explode": explode, "schema": schema}
            lines = {"path": f"GET /{text}", "query": f"GET /things?{text}", "header": f"GET /things\ncolor: {text}"}
            path = "/{color}" if place == "path" else "/things"
            name = f"style {style}{'*' * explode} in {place}, {kind}"
            request = lines.get(place, f"GET /things\nCookie: {text}")
            yield Feature(name, {"parameters": [one]}, {"color": value}, request, path=path, version="3.2.0")


FEATURES = [Feature(**one) for one in _DATA["features"]] + [one for row in _DATA["styles"] for one in _styles(*row)]
REFUSALS = [Refusal(**one) for one in _DATA["refusals"]]


def query(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An operation with one query parameter."""
    return {"parameters": [{"name": "q", "in": "query", "schema": schema, **more}]}


def path_parameter(schema: dict[str, Any]) -> dict[str, Any]:
    """An operation with one path parameter."""
    return {"parameters": [{"name": "id", "in": "path", "required": True, "schema": schema}]}


def body(schema: dict[str, Any], media_type: str = "application/json") -> dict[str, Any]:
    """An operation with a body."""
    return {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}
