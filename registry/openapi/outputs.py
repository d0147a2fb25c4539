"""The response of an operation: one object, a list with the path of its items, a file, or nothing; and its type."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from registry.calling.media_types import bare, is_json, is_list, is_text
from registry.catalog.listing import singular
from registry.openapi.conventions import CONVENTIONS
from registry.openapi.document import DocumentRefused, Node
from registry.openapi.plain_text import snake
from registry.openapi.schemas import Schema, Shape, content_of, response_schema, shape_of

_LISTS: Sequence[str] = CONVENTIONS["lists"]
_WRAPS: Sequence[str] = CONVENTIONS["wraps"]
MARKS: Sequence[str] = CONVENTIONS["marks"]
"""Properties that name an object's type."""
_MOST_TYPES = 10
_ENDING = re.compile(r"\.(json|xml)$")
_VERSION = re.compile(r"v?\d+([._]\d+)*")
_SUFFIXES = re.compile(r"(_(response|result|resource|dto|model|schema|object|output|out|view|entity|payload|body))+$")


@dataclass(slots=True)
class Output:
    """The successful response of an operation: ``object``, ``list``, ``deletion`` or ``file``.

    `accepts` are the media types to ask for, if not JSON alone. `items_at` is the dotted path of a list's items, empty for a
    response that is the list. `shape` and `type` are those of the object or of each item; `collection` is the type that the
    path names. Names of headers are in lower case. `following` is the parameter that a link to the same operation sets, and the
    dotted path of its value.
    """

    kind: str
    accepts: tuple[str, ...] = ()
    items_at: str | None = None
    shape: Shape | None = None
    whole: Shape | None = None
    headers: frozenset[str] = frozenset()
    following: tuple[str, str] | None = None
    collection: str = ""
    type: str = ""
    marks: dict[str, str] = field(default_factory=dict)


def output_of(operation: Node, method: str, path: str, produces: list[Any]) -> Output:
    """The successful response of an operation."""
    response = _success(operation)
    found = Output("object", collection=collection_of(path))
    if response is None:
        found.kind = "deletion" if method == "DELETE" else "object"
        return found
    found.headers = frozenset(child.key.lower() for child in response.named("headers"))
    found.following = _following(response, operation.text("operationId"))
    content = content_of(response, produces or ["application/json"])
    types, json_types = list(content), [one for one in content if is_json(one)]
    _, schema = content[(json_types or types)[0]] if content else (response, ())
    if json_types:
        # A service that can send several sends JSON, unless an argument asks for another one, such as a stream.
        usual = "application/json" in map(bare, json_types) or "*" in json_types[0]
        others = dict.fromkeys(bare(one) for one in types if not is_json(one))
        found.accepts = ("application/json" if usual else json_types[0], *(f"{one};q=0.5" for one in others))[:_MOST_TYPES]
        found.accepts = () if found.accepts == ("application/json",) else found.accepts
    elif types:
        found.accepts = tuple(types[:_MOST_TYPES])
        is_lines = any(map(is_list, types))
        found.kind = "list" if is_lines else "object" if any(map(is_text, types)) or method == "HEAD" else "file"
        found.items_at = "" if is_lines else None
        found.shape = response_schema(shape_of(schema)) if is_lines and schema else None
        if method == "DELETE":
            found.kind, found.items_at = "deletion", None
        return found
    if method == "DELETE" and not schema:
        found.kind = "deletion"
        return found
    whole = response_schema(shape_of(schema)) if schema else Shape("any")
    found.whole = found.shape = whole
    if whole.type == "string" and whole.facts.get("format") == "binary":
        found.kind = "file"
    elif whole.type == "array":
        found.kind, found.items_at = "list", ""
        found.shape = response_schema(shape_of(whole.items)) if whole.items else None
    elif method in ("GET", "POST", "QUERY") and (at := _list_in(whole, path, method)) is not None:
        found.kind, (found.items_at, items) = "list", at
        found.shape = response_schema(shape_of(items)) if items else None
    if found.kind == "object" and found.shape is whole:
        found.shape = _unwrapped(whole, found.collection)
    if method == "DELETE":
        found.kind, found.items_at = "deletion", None
    if found.shape is not None:
        found.marks = _marks(found.shape)
        found.type = type_name(found.shape.name)
    return found


def _following(response: Node, own: str) -> tuple[str, str] | None:
    """The parameter that the response sets for the next call of the same operation, and the dotted path of its value."""
    for link in response.named("links"):
        node = link.resolved()
        values = node.object("parameters")
        if own and node.text("operationId") == own and len(values) == 1:
            (name, value), start = next(iter(values.items())), "$response.body#/"
            if isinstance(value, str) and value.startswith(start) and "." not in value.removeprefix(start):
                return name.rpartition(".")[2] if name.startswith(("query.", "path.")) else name, value.removeprefix(
                    start
                ).replace("/", ".")
    return None


def collection_of(path: str) -> str:
    """The type that a path names: customer for ``/customers/{id}`` and for ``/customers``."""
    segments = [one for one in path.split("/") if one and not _VERSION.fullmatch(one)]
    while segments and "{" in segments[-1]:
        segments.pop()
    name = _ENDING.sub("", segments[-1]) if segments else ""
    return singular(snake(name))


def type_name(schema: str) -> str:
    """A type's name from that of its schema: ``CustomerResponse`` → customer."""
    return _SUFFIXES.sub("", snake(schema.rpartition(".")[2]))


def _success(operation: Node) -> Node | None:
    responses = operation.get("responses")
    if responses is None or not isinstance(responses.value, dict):
        return None
    for status in ("200", "201", "2XX", "2xx", "203", "206", "202", "default"):
        if (found := responses.get(status)) is not None:
            return found if isinstance(found.value, dict) else None
    return None


def _list_in(whole: Shape, path: str, method: str) -> tuple[str, Schema] | None:
    """Where an object holds the items of a list: (dotted path, schema of an item); None if it is not a page."""
    for above, shape in _around(whole):
        arrays = {}
        for name, schema in shape.properties.items():
            inner = shape_of(schema)
            if inner.type == "array" and "." not in name:
                arrays[name] = inner.items
        named = snake(_ENDING.sub("", path.rpartition("/")[2]))
        wanted = next((name for name in arrays if snake(name) == named), None)
        wanted = wanted or next((name for name in _LISTS if name in arrays), None)
        # The only list beside a few properties about paging makes a page; otherwise it is a property of an object.
        if wanted is None and len(arrays) == 1 and not path.endswith("}") and "id" not in shape.properties:
            wanted = next(iter(arrays)) if len(shape.properties) <= 8 else None
        if wanted is not None and ("id" not in shape.properties or wanted in _LISTS):
            if path.endswith("}") and len(shape.properties) > 6 and snake(wanted) != named:
                continue
            return (".".join([*above, wanted]), arrays[wanted]) if method != "POST" or wanted in _LISTS else None
    return None


def _around(whole: Shape) -> Iterator[tuple[list[str], Shape]]:
    """An object, and the objects in it that only wrap others."""
    if whole.type != "object":
        return
    yield [], whole
    for name in _WRAPS:
        if name in whole.properties:
            inner = shape_of(whole.properties[name])
            if inner.type == "object" and inner.properties:
                yield [name], inner


def _unwrapped(whole: Shape, collection: str) -> Shape:
    """The object in a response that only wraps it: ``{"customer": {…}}``."""
    if whole.type == "object" and 1 <= len(whole.properties) <= 3:
        for name, schema in whole.properties.items():
            if snake(name) == collection or (len(whole.properties) == 1 and name in _WRAPS):
                try:
                    inner = response_schema(shape_of(schema))
                except DocumentRefused:
                    continue
                if inner.type == "object":
                    return inner
    return whole


def _marks(shape: Shape) -> dict[str, str]:
    """The properties with only one possible value, which may be the object's type."""
    found: dict[str, str] = {}
    for name in MARKS:
        if name in shape.properties:
            enum = shape_of(shape.properties[name]).enum
            if enum is not None and len(enum) == 1 and isinstance(enum[0], str):
                found[name] = enum[0]
    return found
