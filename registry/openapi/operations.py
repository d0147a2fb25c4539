"""The operations of a document, each read by itself, so that an error in one does not affect the others."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import quote

from msgspec import Struct

from registry.catalog.model import BODILESS_METHODS, fault_of, placeholders
from registry.openapi.document import Document, DocumentRefused, Node, Omit
from registry.openapi.inputs import Inputs, body_of
from registry.openapi.outputs import Output, output_of
from registry.openapi.plain_text import first_sentence, fits, pascal, plain, short, unique, words_of

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
    template = _template(path, node)
    parameters = _parameters(item, node)
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


def _template(path: str, node: Node) -> str:
    """A path as it is sent."""
    start = path.partition("#")[0]
    if "?" in start:
        raise node.refused("the path has a query, which OpenAPI does not allow; make it parameters")
    if any("\ud800" <= sign <= "\udfff" for sign in start):
        raise node.refused("the path holds half of a surrogate pair, which is not a character")
    template = "".join(
        part if part.startswith("{") else quote(part, safe="/%:@!$&'()*+,;=~._-") for part in _IN_BRACES.split(start)
    )
    template = template if template.startswith("/") else f"/{template}"
    if fault := fault_of(template):
        raise node.refused(f"the path {fault}")
    if not all(fits(name) for name in placeholders(template)) or not fits(template):
        raise node.refused("the path has a placeholder that cannot be shown")
    return template


def _parameters(item: Node, node: Node) -> list[Node]:
    """The parameters of a path and of the operation; the operation's own replace the path's."""
    found = [child.resolved() for place in (item, node) for child in place.listed("parameters")]
    return list({(one.text("name"), one.text("in")): one for one in found if one.text("name")}.values())


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
    parts = [part for part in operation.template.split("/") if part]
    words = [f"by {part.strip('{}')}" if part.startswith("{") else part for part in parts]
    name = (pascal(own) if is_name else "") or pascal(f"{operation.method.lower()} {' '.join(words)}") or "Call"
    return unique(name[:100], taken)
