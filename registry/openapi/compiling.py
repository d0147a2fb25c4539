"""Converts a document to the files of a toolkit's folder, with the guesses, and the omitted parts with the reasons."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

import msgspec

from registry.catalog.checking import checked_service, checked_tools
from registry.catalog.folders import SERVICE, CatalogProblem
from registry.catalog.model import BODY_METHODS
from registry.catalog.service import Service
from registry.openapi.document import (
    CONVENTIONS,
    Document,
    DocumentRefused,
    Node,
    Omit,
    OperationOverlay,
    Overlay,
    Remark,
    fits,
    plain,
)
from registry.openapi.forms import Entry
from registry.openapi.guesses import Guess, Types, id_name, page_roles, paging_of, path_types, references_of, type_of, types_of
from registry.openapi.operations import Operation, operations_of, tool_name
from registry.openapi.reading import tree_of
from registry.openapi.schemas import Shape
from registry.openapi.services import Security, names_of, prefix_of, server_of, service_of, usable_address

_MOST_TOOLS, _FILE_BYTES = 5_000, 800_000
_USE_INSTEAD = "what the service's documentation names instead"


def document_of(content: bytes, name: str) -> Document:
    """Parse a document, JSON or YAML, from the file or address that is its name.

    Raises:
        DocumentRefused: it is not an OpenAPI document, or its version is not known.
    """
    root = tree_of(content, name)
    given = root.get("swagger", root.get("openapi"))
    named = str(given)
    version = next((one for one in ("2.0", "3.0", "3.1", "3.2") if named == one or named.startswith(f"{one}.")), None)
    if version is None or ("swagger" in root) != (version == "2.0"):
        what = f"says version {plain(named, 20)!r}" if given is not None else "says neither `openapi` nor `swagger`"
        raise DocumentRefused(name, "/openapi", f"{what}; 2.0, 3.0, 3.1 and 3.2 are read")
    return Document(name, root, version)


def compiled(document: Document, overlay: Overlay, *, name: str | None = None, server: str | None = None) -> "Compiled":
    """Make a toolkit from a document.

    Without a name it is made from the title; without a server, requests go to the document's first.

    Raises:
        DocumentRefused: no toolkit can be made from it; the error names document, place and reason.
    """
    names = names_of(document, overlay, name)
    making = Compiled(document, overlay, document.version)
    given = server or overlay.server
    address = usable_address(given, document.top) if given else server_of(document.top)
    making.declared = service_of(document, names) | {
        "hosts": {"api": {"usual": address, "variable": f"{prefix_of(names[1])}BASE_URL"}},
        "request": {"headers": {"Accept": "application/json"}, "exact": True},
        "response": {"errors": CONVENTIONS["errors"]},
    }
    making.security = Security(document, prefix_of(names[1]), overlay, making.guesses, making.remark)
    making.one_server = given is not None
    return making.made(partial(operations_of, document))


@dataclass
class Compiled:
    """A toolkit that is made from operations: the files of its folder by their paths in it, with the guesses and remarks.

    `declared` is the content of ``service.json``, and `tools` are entries of the catalogue, by name. All requests go to
    `one_server` if the user named it. `left_out` are operations without a tool, `remarks` are parts that were omitted.
    """

    document: Document
    overlay: Overlay
    version: str
    declared: dict[str, Any] = field(default_factory=dict)
    security: Security | None = None
    one_server: bool = False
    service: Service = field(init=False)
    files: dict[str, bytes] = field(default_factory=dict)
    tools: dict[str, Entry] = field(default_factory=dict)
    guesses: list[Guess] = field(default_factory=list)
    left_out: list[Remark] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    _titles: dict[str, str] = field(default_factory=dict)
    """Of tools, by name."""

    _shapes: dict[str, Shape] = field(default_factory=dict)
    """Of objects, by type."""

    def made(self, operations: Callable[[Omit, Omit], Iterator[Operation]]) -> "Compiled":
        """The same, with the files and tools of operations.

        What yields these notes with the first function one that is left out, with the second an omitted part of one.

        Raises:
            DocumentRefused: nothing in the document can be used.
        """
        shown = (one for one in operations(self._leave_out, self.remark) if not self._overrides(one).hidden)
        read = list(islice(shown, _MOST_TOOLS))
        if (beyond := next(shown, None)) is not None:
            self._leave_out(beyond.node, f"is one of more than {_MOST_TOOLS:,} operations")
        types = types_of((one.method, one.template, one.output) for one in read)
        taken: set[str] = set()
        entries: dict[str, Entry] = {}
        places: dict[str, Node] = {}
        for operation in read:
            try:
                entry = self._entry(operation, types, taken)
            except DocumentRefused as refusal:
                self.left_out.append(refusal.remark)
            else:
                entries.setdefault(entry["name"], entry)
                places[entry["name"]] = operation.node
        if self.security is not None:
            self.declared["authentication"] = self.security.ways()
        self.tools = self._checked(entries, places)
        if not self.tools:
            reason = f"; the first: {self.left_out[0].reason}" if self.left_out else ""
            raise (self.document.top.child("paths") or self.document.top).refused(
                f"has no operation that can be called{reason}"
            )
        self.guesses = [
            one for one in self.guesses if one.id.partition("/")[2] in self.tools or not one.id.startswith("paging/")
        ]
        self.files = self._files(types)
        return self

    def remark(self, node: Node, reason: str) -> None:
        """Note that a part of an operation, or of the document, is omitted."""
        self.remarks.append(Remark(node.document.name, node.pointer, reason))

    def _leave_out(self, node: Node, reason: str) -> None:
        self.left_out.append(Remark(node.document.name, node.pointer, reason))

    def _overrides(self, operation: Operation) -> OperationOverlay:
        return self.overlay.of(operation.method, operation.path, operation.id)

    def _entry(self, operation: Operation, types: Types, taken: set[str]) -> Entry:
        overrides, inputs = self._overrides(operation), operation.inputs
        name = tool_name(operation, taken) if overrides.name is None else overrides.name
        type_ = type_of(operation.output, types)
        own = types.named_at(operation.template, type_)
        returns = self._returns(operation, name, own)
        if title := overrides.title or operation.title:
            self._titles[name] = title
        security, cannot = self.security.of(operation.node) if self.security is not None else (None, "")
        if operation.only_reads and overrides.effect is None:
            self.guesses.append(
                Guess(
                    f"effect/{name}",
                    f"{name} only reads; until this is kept, it counts as a change",
                    "the server’s word",
                    operation.id,
                    "read",
                )
            )
        self._link(operation, types, type_, overrides.refers_to)
        # Of an object, the shape at its own path is kept, or without one, the shape with the most properties.
        shape, home, before = operation.output.shape, types.homes.get(own), self._shapes.get(own)
        if shape is not None and shape.type == "object" and own:
            is_home = home == operation.template and operation.method == "GET"
            if is_home or (home is None and (before is None or len(shape.properties) > len(before.properties))):
                self._shapes[own] = shape
        host = "api"  # the usual one
        if operation.servers is not None and not self.one_server:
            hosts: dict[str, dict[str, str]] = self.declared["hosts"]
            address = server_of(operation.servers, hosts["api"]["usual"])
            known = {one["usual"]: called for called, one in hosts.items()}
            host = known.get(address, f"host{len(known) + 1}")
            hosts.setdefault(host, {"usual": address})
        is_deprecated, method = operation.node.flag("deprecated"), operation.method
        has_body = any(one["in"] == "body" for one in inputs.entries) or bool(inputs.body and method in BODY_METHODS)
        entry = {
            "name": name,
            "operation": operation.id[:200],
            "method": method,
            "path": operation.template,
            "effect": overrides.effect or operation.effect,
            "summary": operation.summary,
            "returns": returns,
            "group": overrides.group or operation.group,
            "rule": (operation.rule or cannot if overrides.rule is None else overrides.rule) or None,
            "deprecated": is_deprecated or None,
            "use_instead": _USE_INSTEAD if is_deprecated else None,
            "host": host if host != "api" else None,
            "accepts": ([inputs.accept] if inputs.accept else list(operation.output.accepts)) or None,
            "security": security,
            "content_type": inputs.content_type if has_body else None,
            "body": inputs.body if has_body else "none" if method in ("POST", "PUT", "PATCH") else None,
            "parameters": inputs.entries,
        }
        return {key: value for key, value in entry.items() if value is not None}

    def _returns(self, operation: Operation, name: str, own: str) -> Entry:
        overrides, output = self._overrides(operation), operation.output
        objects = list(overrides.objects) if overrides.objects is not None else [own or "object"]
        returns: Entry = {"kind": output.kind, "objects": [one for one in objects if fits(one)] or ["object"]}
        if overrides.items is not None:
            returns["kind"] = "list" if output.kind == "object" else output.kind
            output.items_at = overrides.items
        if returns["kind"] != "list":
            return returns
        returns["items"] = output.items_at or ""
        roles = page_roles(operation.inputs.entries)
        for role, entry in roles.items():
            entry["role"] = role
        paging = overrides.paging
        if paging is None and (guess := paging_of(output, roles)) is not None:
            paging, reason = guess
            items = f"items in {returns['items']}" if returns["items"] else "the response is the list"
            self.guesses.append(
                Guess(
                    f"paging/{name}",
                    f"pages by {paging['style'].replace('_', ' ')}, {items}",
                    reason,
                    f"{operation.method} {operation.path}",
                    paging,
                )
            )
        return returns | ({"paging": paging} if paging is not None else {})

    def _link(self, operation: Operation, types: Types, own: str, refers_to: Mapping[str, tuple[str, ...]]) -> None:
        """Mark the parameters that take ids and times."""
        by_path = path_types(operation.template, types, own)
        for entry in operation.inputs.entries:
            wire_name = entry["wire_name"]
            if wire_name in refers_to:
                entry["refers_to"], entry["role"] = list(refers_to[wire_name]), "id" if entry["in"] == "path" else entry["role"]
                continue
            type_ = by_path.get(wire_name) if entry["in"] == "path" else None
            named = id_name(wire_name)
            if entry["in"] in ("query", "body") and entry["type"] == "string" and entry["role"] == "filter":
                type_ = named if named in types.homes and "enum" not in entry else None
            if type_ is not None and entry["type"] in ("string", "integer"):
                entry["refers_to"] = [type_]
            if entry.get("format") == "date-time" and entry["role"] == "filter":
                entry["role"] = "timestamp"
        known = {one.id for one in self.guesses}
        for type_ in sorted(set(by_path.values())):
            if f"ids/{type_}" not in known:
                self.guesses.append(Guess(f"ids/{type_}", f"{type_} ids lead to the {type_}", f"the path {operation.template}"))

    def _checked(self, entries: Mapping[str, Entry], places: Mapping[str, Node]) -> dict[str, Entry]:
        """The entries that keep the catalogue's rules; the others are omitted, with a remark. Makes the service."""
        problems: list[CatalogProblem] = []
        groups = dict.fromkeys(entry["group"] for entry in entries.values())
        tags = [plain(one.text("name"), 60) for one in self.document.top.listed("tags")]
        self.declared["groups"] = [one for one in dict.fromkeys([*tags, *groups]) if one in groups]
        service = checked_service(self.declared, SERVICE, problems)
        if service is None:
            raise (self.document.top.child("components") or self.document.top).refused(
                f"makes no usable service: {problems[0].field} {problems[0].message}"
            )
        self.service = service
        whole = [service.shared_by_tools | entry for entry in entries.values()]
        good = {tool.name for tool in checked_tools(whole, SERVICE, service.hosts, problems)}
        bad = {one.tool: one for one in reversed(problems) if one.tool in places and one.tool not in good}
        for name, problem in bad.items():
            self._leave_out(places[name], f"{problem.field} {problem.message}")
        return {name: entry for name, entry in entries.items() if name in good}

    def _files(self, types: Types) -> dict[str, bytes]:
        """The files of the folder; tools in several, so that none is too large."""
        parts: list[dict[str, list[msgspec.Raw]]] = [{}]
        size = 0
        order = {group: place for place, group in enumerate(dict.fromkeys(one["group"] for one in self.tools.values()))}
        for entry in sorted(self.tools.values(), key=lambda one: order[one["group"]]):
            content = msgspec.json.encode({name: value for name, value in entry.items() if name != "group"})
            if size + len(content) > _FILE_BYTES and size:
                parts.append({})
                size = 0
            parts[-1].setdefault(entry["group"], []).append(msgspec.Raw(content))
            size += len(content)
        others = {
            SERVICE: self.declared,
            "references.json": self.overlay.references or references_of(self._shapes, types),
            "pages.json": self.overlay.pages,
            "titles.json": {"titles": self._titles} if self._titles else None,
        }
        files = {
            f"tools/{number:03}.json": msgspec.json.encode({"groups": [{"name": n, "tools": t} for n, t in part.items()]})
            for number, part in enumerate(parts, 1)
        }
        return files | {name: msgspec.json.format(msgspec.json.encode(one)) for name, one in others.items() if one}
