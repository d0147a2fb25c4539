"""Converts a document to the files of a toolkit's folder, with the guesses, and the omitted parts with the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from registry.catalog.checking import checked_tools
from registry.catalog.checking_services import checked_service
from registry.catalog.folders import SERVICE
from registry.catalog.model import BODY_METHODS
from registry.catalog.problems import CatalogProblem
from registry.catalog.service import Service
from registry.openapi.document import Document, Node, Opener
from registry.openapi.forms import Entry
from registry.openapi.guesses import Guess, Types, id_name, page_roles, paging_of, path_types, references_of, type_of, types_of
from registry.openapi.operations import Operation, operations_of, tool_name
from registry.openapi.overlay import Overlay
from registry.openapi.parsing import tree_of
from registry.openapi.plain_text import fits, plain
from registry.openapi.remarks import DocumentRefused, Remark
from registry.openapi.schemas import Shape
from registry.openapi.services import hosts_of, names_of, service_of, usable_address

_MOST_TOOLS, _FILE_BYTES = 5_000, 800_000
_USE_INSTEAD = "what the service's documentation names instead"


@dataclass(slots=True)
class Compiled:
    """The files of a toolkit's folder, with the guesses and remarks.

    Attributes:
        toolkit: the toolkit's name.
        title: the name that people read.
        version: the version of OpenAPI.
        files: their content as JSON, by path below the folder.
        tools: the names of the tools, in order.
        guesses: what was guessed because the document does not say it.
        left_out: operations without a tool.
        remarks: parts of operations that were omitted.
    """

    toolkit: str
    title: str
    version: str
    files: dict[str, bytes]
    tools: list[str]
    guesses: list[Guess]
    left_out: list[Remark] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


def document_of(content: bytes, name: str, opener: Opener) -> Document:
    """Parse a document.

    Args:
        content: the bytes, JSON or YAML.
        name: the file or address.
        opener: returns the bytes of documents that it refers to, or refuses.

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
    return Document(name, root, version, opener)


def compiled(document: Document, overlay: Overlay, *, name: str | None = None, server: str | None = None) -> Compiled:
    """Make a toolkit from a document.

    Args:
        document: the document.
        overlay: the user's overrides.
        name: the toolkit's name; without it, made from the title.
        server: the address that requests go to; without it, the document's first.

    Raises:
        DocumentRefused: no toolkit can be made from it; the error names document, place and reason.
    """
    names = names_of(document, name or overlay.toolkit)
    names = (names[0], names[1], plain(overlay.title, 60) or names[2])
    address = hosts_of(document, server or overlay.server)
    guesses: list[Guess] = []
    remarks: list[Remark] = []

    def remark(node: Node, reason: str) -> None:
        remarks.append(Remark(node.document.name, node.pointer, reason))

    service = service_of(document, names, address, overlay.scheme, guesses, remark)
    making = _Making(document, overlay, service, guesses, remarks)
    making.read(lambda left_out: operations_of(document, left_out))
    return making.made(names, document.version)


def assembled(
    document: Document,
    overlay: Overlay,
    service: dict[str, Any],
    names: tuple[str, str, str],
    operations: Callable[[Callable[[Node, str], None]], Iterator[Operation]],
    version: str,
) -> Compiled:
    """Make a toolkit from operations that have another source than an OpenAPI document.

    Args:
        document: the place that errors name.
        overlay: the user's overrides.
        service: the content of ``service.json``.
        names: the names of the toolkit and its account, and the title.
        operations: returns them; gets a function to call for each omitted part.
        version: the version of their source's format.

    Raises:
        DocumentRefused: no toolkit can be made from them.
    """
    making = _Making(document, overlay, service, [], [])
    making.read(operations)
    return making.made(names, version)


class _Making:
    """One toolkit being made."""

    def __init__(
        self, document: Document, overlay: Overlay, service: dict[str, Any], guesses: list[Guess], remarks: list[Remark]
    ) -> None:
        self._document = document
        self._overlay = overlay
        self._service = service
        self._guesses = guesses
        self._remarks = remarks
        self._left_out: list[Remark] = []
        self._operations: list[Operation] = []
        self._hosts: dict[str, str] = {service["hosts"]["api"]["usual"]: "api"}

    def read(self, operations: Callable[[Callable[[Node, str], None]], Iterator[Operation]]) -> None:
        """Read the operations."""

        def remark(node: Node, reason: str) -> None:
            is_operation = node.pointer.count("/") <= 3 and "left out:" not in reason
            (self._left_out if is_operation else self._remarks).append(Remark(node.document.name, node.pointer, reason))

        for operation in operations(remark):
            if self._overlay.of(operation.method, operation.path, operation.id).hidden:
                continue
            if len(self._operations) >= _MOST_TOOLS:
                remark(operation.node, f"is one of more than {_MOST_TOOLS:,} operations")
                break
            self._operations.append(operation)
        accepts = Counter(one.inputs.accept for one in self._operations if one.inputs.accept)
        if accepts:
            self._service["request"]["headers"]["Accept"] = accepts.most_common(1)[0][0]

    def made(self, names: tuple[str, str, str], version: str) -> Compiled:
        """The toolkit.

        Raises:
            DocumentRefused: nothing in the document can be used.
        """
        types = types_of((one.method, one.template, one.output) for one in self._operations)
        taken: set[str] = set()
        shapes: dict[str, Shape] = {}
        titles: dict[str, str] = {}
        entries: list[Entry] = []
        places: dict[str, Node] = {}
        for operation in self._operations:
            entry = self._entry(operation, types, taken, shapes, titles)
            entries.append(entry)
            places[entry["name"]] = operation.node
        service = self._checked(entries, places)
        entries = [entry for entry in entries if entry["name"] in places]
        if not entries:
            reason = f"; the first: {self._left_out[0].reason}" if self._left_out else ""
            paths = self._document.top.child("paths") or self._document.top
            raise paths.refused(f"has no operation that can be called{reason}")
        tools = {entry["name"] for entry in entries}
        files = self._files(entries, titles, shapes, types)
        files[SERVICE] = msgspec.json.format(msgspec.json.encode(self._service))
        guesses = [one for one in self._guesses if one.id.partition("/")[2] in tools or not one.id.startswith("paging/")]
        return Compiled(service.toolkit, names[2], version, files, sorted(tools), guesses, self._left_out, self._remarks)

    def _entry(
        self, operation: Operation, types: Types, taken: set[str], shapes: dict[str, Shape], titles: dict[str, str]
    ) -> Entry:
        overrides = self._overlay.of(operation.method, operation.path, operation.id)
        name = tool_name(operation, taken) if overrides.name is None else overrides.name
        type_ = type_of(operation.output, types)
        own = types.named_at(operation.template, type_)
        entry: Entry = {
            "name": name,
            "operation": operation.id[:200],
            "method": operation.method,
            "path": operation.template,
            "effect": overrides.effect or operation.effect,
            "summary": operation.summary,
            "returns": self._returns(operation, name, own),
            "group": overrides.group or operation.group,
        }
        if title := overrides.title or operation.title:
            titles[name] = title
        if rule := operation.rule if overrides.rule is None else overrides.rule:
            entry["rule"] = rule
        if operation.only_reads and overrides.effect is None:
            what = f"{name} only reads; until this is kept, it counts as a change"
            self._guesses.append(Guess(f"effect/{name}", what, "the server’s word", operation.id, "read"))
        if operation.node.flag("deprecated"):
            entry |= {"deprecated": True, "use_instead": _USE_INSTEAD}
        if operation.fixed_query:
            entry["fixed_query"] = operation.fixed_query
        if (host := self._host(operation)) != "api":
            entry["host"] = host
        if operation.inputs.has_members or (operation.inputs.body is not None and operation.method in BODY_METHODS):
            entry["body"] = operation.inputs.body
            if operation.inputs.content_type is not None:
                entry["content_type"] = operation.inputs.content_type
        elif operation.method in ("POST", "PUT", "PATCH"):
            entry["body"] = "none"
        self._link(operation, types, type_, overrides.refers_to)
        entry["parameters"] = operation.entries
        shape = operation.output.shape
        if shape is not None and shape.type == "object" and own:
            # An object's shape is that of its own path; without one, the shape with the most properties.
            home, before = types.homes.get(own), shapes.get(own)
            is_home = home == operation.template and operation.method == "GET"
            if is_home or (home is None and (before is None or len(shape.properties) > len(before.properties))):
                shapes[own] = shape
        return entry

    def _returns(self, operation: Operation, name: str, own: str) -> Entry:
        overrides = self._overlay.of(operation.method, operation.path, operation.id)
        output = operation.output
        objects = list(overrides.objects) if overrides.objects is not None else [own or "object"]
        returns: Entry = {"kind": output.kind, "objects": [one for one in objects if fits(one)] or ["object"]}
        if overrides.items is not None:
            returns["kind"] = "list" if output.kind == "object" else output.kind
            output.items_at = overrides.items
        if returns["kind"] != "list":
            return returns
        returns["items"] = output.items_at or ""
        roles = page_roles(operation.entries)
        for role, entry in roles.items():
            entry["role"] = role
        paging = overrides.paging
        if paging is None and (guess := paging_of(output, roles)) is not None:
            paging, reason = guess
            style = str(paging["style"]).replace("_", " ")
            items = f" items in {returns['items']}" if returns["items"] else " the response is the list"
            where = f"{operation.method} {operation.path}"
            self._guesses.append(Guess(f"paging/{name}", f"pages by {style},{items}", reason, where, paging))
        if paging is not None:
            returns["paging"] = paging
        return returns

    def _link(self, operation: Operation, types: Types, own: str, refers_to: Any) -> None:
        """Mark the parameters that take ids and times."""
        by_path = path_types(operation.template, types, own)
        for entry in operation.entries:
            wire_name = entry["wire_name"]
            if wire_name in refers_to:
                entry["refers_to"], entry["role"] = list(refers_to[wire_name]), "id" if entry["in"] == "path" else entry["role"]
                continue
            type_ = by_path.get(wire_name) if entry["in"] == "path" else None
            named = id_name(wire_name)
            if entry["in"] in ("query", "body") and entry["type"] == "string" and entry["role"] == "filter":
                type_ = named if named in types.retrieved and "enum" not in entry else None
            if type_ is not None and entry["type"] in ("string", "integer"):
                entry["refers_to"] = [type_]
            if entry.get("format") == "date-time" and entry["role"] == "filter":
                entry["role"] = "timestamp"
        for type_ in sorted(set(by_path.values())):
            guess = Guess(f"ids/{type_}", f"{type_} ids lead to the {type_}", f"the path {operation.template}")
            if not any(one.id == guess.id for one in self._guesses):
                self._guesses.append(guess)

    def _host(self, operation: Operation) -> str:
        """The name of an operation's own host; ``api``, the usual one, without it."""
        servers = list(operation.node.listed("servers"))
        url = servers[0].resolved().text("url") if servers else ""
        if not url.startswith("https://") or "{" in url:
            return "api"
        try:
            address = usable_address(url, operation.node)
        except DocumentRefused:
            return "api"
        if address not in self._hosts and len(self._hosts) < 20:
            self._hosts[address] = name = f"host{len(self._hosts) + 1}"
            self._service["hosts"][name] = {"usual": address}
        return self._hosts.get(address, "api")

    def _checked(self, entries: list[Entry], places: dict[str, Node]) -> Service:
        """Validate everything by the catalogue's rules; entries that break them are removed from `places`."""
        problems: list[CatalogProblem] = []
        groups = list(dict.fromkeys(entry["group"] for entry in entries))
        declared = [
            plain(one.value.get("name"), 60) for one in self._document.top.listed("tags") if isinstance(one.value, dict)
        ]
        self._service["groups"] = [one for one in dict.fromkeys([*declared, *groups]) if one in groups]
        service = checked_service(self._service, SERVICE, problems)
        if service is None:
            worst = problems[0]
            place = self._document.top.child("components") or self._document.top
            raise place.refused(f"makes no usable service: {worst.field} {worst.message}")
        common = {"toolkit": service.toolkit, "arrays": "repeat", "nested": "brackets", "exact": True}
        good = {tool.name for tool in checked_tools([common | entry for entry in entries], SERVICE, service, problems)}
        for problem in problems:
            if problem.tool in places and problem.tool not in good:
                node = places.pop(problem.tool)
                self._left_out.append(Remark(self._document.name, node.pointer, f"{problem.field} {problem.message}"))
        for name in places.keys() - good:
            del places[name]
        return service

    def _files(self, entries: list[Entry], titles: dict[str, str], shapes: dict[str, Shape], types: Types) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        groups: dict[str, list[Entry]] = {}
        for entry in entries:
            groups.setdefault(entry.pop("group"), []).append(entry)
        waiting: list[dict[str, Any]] = []
        size = 0

        def write() -> None:
            if waiting:
                files[f"tools/{len(files) + 1:03}.json"] = msgspec.json.encode({"groups": waiting})
                waiting.clear()

        for group, tools in groups.items():
            part: list[Entry] = []
            for tool in tools:
                bytes_ = len(msgspec.json.encode(tool))
                if size + bytes_ > _FILE_BYTES:
                    if part:
                        waiting.append({"name": group, "tools": part})
                    write()
                    part, size = [], 0
                part.append(tool)
                size += bytes_
            waiting.append({"name": group, "tools": part})
        write()
        self._add(files, "references.json", self._overlay.references or references_of(shapes, types))
        self._add(files, "pages.json", self._overlay.pages)
        self._add(files, "titles.json", {"titles": titles} if titles else None)
        return files

    def _add(self, files: dict[str, bytes], name: str, content: dict[str, Any] | None) -> None:
        if content:
            files[name] = msgspec.json.format(msgspec.json.encode(content))
