"""The operations of a document and what each returns, read one by one: an error in one does not affect the others."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from registry.calling.receiving import is_json, is_list, is_text
from registry.catalog.listing import singular
from registry.catalog.model import BODILESS_METHODS, fault_of, placeholders
from registry.openapi.document import (
    CONVENTIONS,
    Document,
    DocumentRefused,
    Node,
    Omit,
    first_sentence,
    fits,
    pascal,
    plain,
    short,
    snake,
    unique,
    words_of,
)
from registry.openapi.inputs import Inputs, body_of
from registry.openapi.schemas import Content, Schema, Shape, content_of, response_shape, shape_of
from registry.text.shown import bare

_LISTS: Sequence[str] = CONVENTIONS["lists"]
_WRAPS: Sequence[str] = CONVENTIONS["wraps"]
MARKS: Sequence[str] = CONVENTIONS["marks"]
"""Properties that name an object's type."""
_MOST_TYPES = 10
_ENDING = re.compile(r"\.(json|xml)$")
_VERSION = re.compile(r"v?\d+([._-]\d+)*")
_SUFFIXES = re.compile(r"(_(response|result|resource|dto|model|schema|object|output|out|view|entity|payload|body))+$")


@dataclass(slots=True)
class Output:
    """The successful response of an operation: ``object``, ``list``, ``deletion`` or ``file``.

    `accepts` are the media types to ask for, if not JSON alone. `items_at` is the dotted path of a list's items, empty for a
    response that is the list. `shape` is that of the object or of each item; `collection` is the type that the
    path names. Names of headers are in lower case.
    """

    kind: str
    accepts: tuple[str, ...] = ()
    items_at: str | None = None
    shape: Shape | None = None
    whole: Shape | None = None
    headers: frozenset[str] = frozenset()
    collection: str = ""
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the schema of the object or of each item; empty without one."""
        return self.shape.name if self.shape is not None else ""

    @property
    def type(self) -> str:
        """The type that the schema's name says: ``CustomerResponse`` → customer."""
        return _SUFFIXES.sub("", snake(self.name.rpartition(".")[2]))


def output_of(operation: Node, method: str, path: str, produces: list[Any]) -> Output:
    """The successful response of an operation."""
    found = Output("object", collection=collection_of(path))
    responses = operation.get("responses") or Node(operation.document, {})
    statuses = ("200", "201", "2XX", "2xx", "203", "206", "202", "default")
    response = next((one for status in statuses if (one := responses.get(status)) is not None), None)
    if response is not None and isinstance(response.value, dict):
        found.headers = frozenset(child.key.lower() for child in response.named("headers"))
        _read(found, content_of(response, produces or ["application/json"]), path, method)
    if method == "DELETE":
        found.kind, found.items_at = "deletion", None
    return found


def _read(found: Output, content: Content, path: str, method: str) -> None:
    """Read what a response contains: kind, media types, and the shape of the object or of the items."""
    types, json_types = list(content), [one for one in content if is_json(one)]
    _, schema = content[(json_types or types)[0]] if content else (None, ())
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
        found.shape = response_shape(schema) if is_lines and schema else None
        return
    if method == "DELETE" and not schema:
        return
    found.whole = found.shape = whole = response_shape(schema) if schema else Shape("any")
    if whole.type == "string" and whole.facts.get("format") == "binary":
        found.kind = "file"
    elif whole.type == "array":
        found.kind, found.items_at = "list", ""
        found.shape = response_shape(whole.items) if whole.items else None
    elif method in ("GET", "POST", "QUERY") and (at := _list_in(whole, path, method)) is not None:
        found.kind, (found.items_at, items) = "list", at
        found.shape = response_shape(items) if items else None
    else:
        found.shape = _unwrapped(whole, found.collection)
    known = found.shape.properties if found.shape is not None else {}
    enums = {name: shape_of(known[name]).enum for name in MARKS if name in known}
    # Properties with only one possible value may be the object's type.
    found.marks = {name: one[0] for name, one in enums.items() if one and len(one) == 1 and isinstance(one[0], str)}


def collection_of(path: str) -> str:
    """The type that a path names: customer for ``/customers/{id}`` and for ``/customers``."""
    segments = [one for one in path.split("/") if one and not _VERSION.fullmatch(one)]
    while segments and "{" in segments[-1]:
        segments.pop()
    return singular(snake(_ENDING.sub("", segments[-1]))) if segments else ""


def _list_in(whole: Shape, path: str, method: str) -> tuple[str, Schema] | None:
    """Where an object holds the items of a list: (dotted path, schema of an item); None if it is not a page."""
    named = snake(_ENDING.sub("", path.rpartition("/")[2]))
    for above, shape in _around(whole):
        inner = {name: shape_of(schema) for name, schema in shape.properties.items() if "." not in name}
        arrays = {name: one.items for name, one in inner.items() if one.type == "array"}
        wanted = next((name for name in arrays if snake(name) == named), None)
        wanted = wanted or next((name for name in _LISTS if name in arrays), None)
        # The only list beside a few properties about paging makes a page; otherwise it is a property of an object.
        if wanted is None and len(arrays) == 1 and not path.endswith("}") and "id" not in shape.properties:
            wanted = next(iter(arrays)) if len(shape.properties) <= 8 else None
        if wanted is None or ("id" in shape.properties and wanted not in _LISTS):
            continue
        if not path.endswith("}") or len(shape.properties) <= 6 or snake(wanted) == named:
            return (".".join([*above, wanted]), arrays[wanted]) if method != "POST" or wanted in _LISTS else None
    return None


def _around(whole: Shape) -> Iterator[tuple[list[str], Shape]]:
    """An object, and the objects in it that only wrap others."""
    if whole.type == "object":
        yield [], whole
        inner = {name: shape_of(whole.properties[name]) for name in _WRAPS if name in whole.properties}
        yield from (([name], one) for name, one in inner.items() if one.type == "object" and one.properties)


def _unwrapped(whole: Shape, collection: str) -> Shape:
    """The object in a response that only wraps it: ``{"customer": {…}}``."""
    properties = whole.properties if whole.type == "object" and len(whole.properties) <= 3 else {}
    for name, schema in properties.items():
        if snake(name) == collection or (len(properties) == 1 and name in _WRAPS):
            with suppress(DocumentRefused):
                if (inner := response_shape(schema)).type == "object":
                    return inner
    return whole


METHODS = ("get", "head", "options", "query", "post", "put", "patch", "delete")
UNEXPECTED = "unexpected error in Callboard"
"""The start of the reason if an operation is omitted because of a bug in Callboard, not in the document."""

_READS = ("GET", "HEAD", "OPTIONS", "QUERY")
_IN_BRACES = re.compile(r"(\{[^{}]*\})")


class Operation(Struct):
    """One operation, before information from the whole document is added.

    Attributes:
        path: as in the document; `template` is as it is sent, with braces.
        id: its ``operationId``, or method and path.
        title: its name on screen; empty for a title made from its path.
        reads: it certainly only reads, whatever its method is.
        only_reads: its source says that it only reads, which is not checked.
        servers: the operation or its path, whichever has servers of its own; the operation's win.
    """

    node: Node
    method: str
    path: str
    template: str
    id: str
    group: str
    summary: str
    inputs: Inputs
    output: Output
    rule: str = ""
    title: str = ""
    reads: bool = False
    only_reads: bool = False
    servers: Node | None = None

    @property
    def effect(self) -> str:
        """Its effect, by its method."""
        return "read" if self.reads or self.method in _READS else "delete" if self.method == "DELETE" else "write"


def operations_of(document: Document, leave_out: Omit, omit: Omit) -> Iterator[Operation]:
    """Every operation that can be a tool, in the order of the document; others, and omitted parts, are noted."""
    top = document.top
    if not isinstance(top.value.get("paths"), dict):
        reason = "has no paths, only webhooks" if "webhooks" in top.value else "names no paths"
        raise (top.child("paths") or top).refused(f"{reason}: there is nothing to call")
    for child in top.named("paths"):
        if child.key.startswith("x-"):
            continue
        try:
            item = child.resolved()
            if not isinstance(item.value, dict):
                raise child.refused("is not an object")
        except DocumentRefused as refusal:
            leave_out(child, refusal.remark.reason)
            continue
        for name in (*(name for name in item.value if name == "trace"), *item.object("additionalOperations")):
            leave_out(item, f"the method {short(str(name).upper())!r} is not supported")
        for method in METHODS:
            node = item.child(method)
            if node is None or not isinstance(node.value, dict):
                continue
            yield from readable(partial(_operation, document, child.key, item, node, method.upper(), omit), node, leave_out)


def readable(read: Callable[[], Operation], node: Node, leave_out: Omit) -> Iterator[Operation]:
    """An operation; none, which is noted, if reading it raised any error: other operations are not affected."""
    try:
        yield read()
    except DocumentRefused as refusal:
        leave_out(node, refusal.remark.reason)
    except RecursionError:
        leave_out(node, "is nested too deeply")
    except Exception as error:
        leave_out(node, f"{UNEXPECTED}: {type(error).__name__}")


def _operation(document: Document, path: str, item: Node, node: Node, method: str, omit: Omit) -> Operation:
    start = path.partition("#")[0]
    if "?" in start:
        raise node.refused("the path has a query, which OpenAPI does not allow; make it parameters")
    if any("\ud800" <= sign <= "\udfff" for sign in start):
        raise node.refused("the path holds half of a surrogate pair, which is not a character")
    template = "".join(
        part if part.startswith("{") else quote(part, safe="/%:@!$&'()*+,;=~._-") for part in _IN_BRACES.split(start)
    )
    template = template if template.startswith("/") else f"/{template}"  # as it is sent
    if fault := fault_of(template):
        raise node.refused(f"the path {fault}")
    if not all(fits(name) for name in placeholders(template)) or not fits(template):
        raise node.refused("the path has a placeholder that cannot be shown")
    declared = [child.resolved() for place in (item, node) for child in place.listed("parameters")]
    # The operation's own replace the path's.
    parameters = list({(one.text("name"), one.text("in")): one for one in declared if one.text("name")}.values())
    inputs = Inputs(omit)
    inputs.add_parameters(parameters, placeholders(template))
    top = document.top
    content, required, words = body_of(node, parameters, node.values("consumes") or top.values("consumes"))
    if content and method not in BODILESS_METHODS:
        inputs.add_body(content, required=required, words=words)
    elif content:
        omit(node, f"its body is left out: a {method} has none")
    inputs.finish()
    output = output_of(node, method, template, node.values("produces") or top.values("produces"))
    said = node.text("summary").strip() or node.text("description")
    summary = plain(said) if len(said) <= 140 and said == node.text("summary").strip() else first_sentence(said)
    own, last = node.text("operationId"), template.rpartition("/")[2]
    is_call = fits(own) and bool(re.fullmatch(r"[a-z]\w*\.[a-z]\w*(\.\w+)*", last)) and not last.endswith((".json", ".xml"))
    return Operation(
        node,
        method,
        path,
        template,
        own if fits(own) else f"{method} {template}",
        _group(node, template),
        summary or f"{method} {template}",
        inputs,
        output,
        title=" ".join(words_of(own)).capitalize() if is_call else "",  # the path is a method's name: chat.postMessage
        servers=next((one for one in (node, item) if one.values("servers")), None),
    )


def _group(node: Node, template: str) -> str:
    if tag := next((one for one in node.values("tags") if isinstance(one, str) and one.strip()), ""):
        return plain(tag, 60) or "Other"
    segments = [one for one in template.split("/") if one and "{" not in one and not re.fullmatch(r"v?\d+([._-]\d+)*|api", one)]
    words = " ".join(words_of(segments[0])) if segments else ""
    return words[:1].upper() + words[1:] if words else "Other"


def tool_name(operation: Operation, taken: set[str]) -> str:
    """A tool's name from the ``operationId``, or from method and path: unique in its toolkit."""
    own = operation.node.text("operationId")
    is_name = len(own) <= 200 and not own[:1].isdecimal() and "{" not in own  # some ids are numbers, or the path itself
    words = [f"by {part.strip('{}')}" if part.startswith("{") else part for part in operation.template.split("/") if part]
    name = (pascal(own) if is_name else "") or pascal(f"{operation.method.lower()} {' '.join(words)}") or "Call"
    return unique(name[:100], taken)
