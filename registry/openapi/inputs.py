"""The inputs of an operation: parameters in path, query, header and cookie, and the body, as the catalogue's parameters."""

from typing import Any

from registry.calling.media_types import bare, is_file, is_json, is_list, is_text
from registry.catalog.parameter_rules import PYTHON_TYPES, RESERVED_HEADERS
from registry.openapi.conventions import CONVENTIONS
from registry.openapi.document import Node, Omit
from registry.openapi.forms import TEXT_ITEMS, Entry, FormBuilder
from registry.openapi.plain_text import fits, parameter_name, plain, short
from registry.openapi.schemas import Schema, Shape, shape_of, takes_null

# By location and style, with a star for exploded. Others are sent in the catalogue's default style.
_STYLES: dict[str, dict[str, str]] = CONVENTIONS["styles"]
_COLLECTIONS: dict[str, tuple[str, bool]] = CONVENTIONS["collections"]
_FORM_DATA = "multipart/form-data"
_BODIES = {"application/x-www-form-urlencoded": "form"}
_ROLES = {"path": "id", "query": "filter", "header": "option", "cookie": "option"}
_STRUCTURED = ("array", "object", "one_of", "any")
_LINE_STYLES = ("label", "label_repeat", "matrix", "matrix_repeat")

Content = dict[str, tuple[Node, Schema]]
"""The possible bodies, by media type: each with the node that describes it, and its schema."""


class Inputs:
    """The parameters of one operation as entries of the catalogue, and how its body is written, as in `Tool.body`.

    `content_type` and `accept` are the media types of body and response, if they are not the usual ones.
    """

    def __init__(self, omit: Omit) -> None:
        self._omit = omit
        self._form = FormBuilder(omit)
        self._taken: set[str] = set()
        self.entries: list[Entry] = []
        self.body: str | None = None
        self.content_type: str | None = None
        self.accept = ""

    def finish(self) -> None:
        """Fill in the contents of all entries."""
        self._form.finish()
        for entry in self.entries:
            items = entry.get("items")
            as_json = entry.get("style") == "json" or (entry["in"] == "body" and self.body == "json")
            if entry["type"] != "array" or items is None or as_json:
                continue
            if items.pop("nullable", False) and items == TEXT_ITEMS:  # the list is written as text, which has no null
                del entry["items"]

    def add_parameters(self, nodes: list[Node], placeholders: list[str]) -> None:
        """Read parameters; for the path only those that it names, in its order, also undeclared ones."""
        declared = {node.text("name") for node in nodes if node.text("in") == "path"}
        for node in sorted(nodes, key=lambda one: placeholders.index(n) if (n := one.text("name")) in placeholders else 1_000):
            place, name = node.text("in"), node.text("name")
            if place == "path" and name not in placeholders:
                self._omit(node, f"the path does not name {short(name)!r}, so it is left out")
            elif place in _ROLES:
                self._add_parameter(node, place, name)
            elif place == "querystring":
                self._add_query_string(node)
        for name in (name for name in placeholders if name not in declared):
            fields = self._named(name, "path", "A part of the path that the document does not describe.")
            self.entries.append({"type": "string", "required": True} | fields)

    def _named(self, wire_name: str, place: str, words: str) -> Entry:
        name = parameter_name(wire_name, place, self._taken)
        return {"name": name, "help": words, "in": place, "wire_name": wire_name, "role": _ROLES.get(place, "field")}

    def _add_parameter(self, node: Node, place: str, name: str) -> None:
        if place == "header" and name.lower() == "accept":
            self.accept = _first_text(node) or self.accept
            return
        if place == "header" and name.lower() in RESERVED_HEADERS:
            return  # ignored, as OpenAPI says: the account and the transport set these headers
        if not fits(name):
            self._omit(node, f"the parameter {name!r} is left out: its name cannot be shown")
            return
        schema, as_json = _schema_of(node)
        shape = shape_of(schema)
        words = plain(node.value.get("description")) or plain(shape.facts.get("description")) or f"Sent as {short(name)}."
        fields = self._named(name, place, words)
        kinds = [branch.only for branch in shape.branches] if place != "query" else []  # of several, the one that fits a line
        only = next((one for one in ("string", "integer", "number") if one in kinds), "")
        entry, shape = self._form.entry(schema, fields, only)
        if as_json and place == "query":
            entry["style"] = "json"
        elif (style := _style(node, place, shape)) is not None:
            entry["style"] = style
        if place != "query":
            _on_one_line(entry, place, node.text("style"))
        if (node.flag("allowReserved") and place == "query") or (place == "cookie" and node.text("style") == "cookie"):
            entry["reserved"] = True
        _defaulted(entry, shape, node.text("in") == "path" or node.flag("required"))
        if node.flag("allowEmptyValue") and place == "query" and entry["type"] in ("string", "array"):
            entry["when_empty"] = "send"
        self.entries.append(entry)

    def _add_query_string(self, node: Node) -> None:
        """Add the parameter for a whole query string: the properties of a form, or one value."""
        schema, _ = _schema_of(node)
        media = next(node.named("content"), node).key
        fields = self._named("query_string", "query", plain(node.value.get("description")) or "The whole query string.")
        entry, shape = self._form.entry(schema, fields)
        is_form = _kind(media) == "form" and shape.type == "object"
        entry |= {"style": "pairs"} if is_form else {"wire_name": ""} | ({"style": "json"} if is_json(media) else {})
        _defaulted(entry, shape, node.flag("required"))
        self.entries.append(entry)

    def add_body(self, content: Content, *, required: bool, words: str, only_named: bool = False) -> None:
        """Read a body, in the document's first media type with fields; if `only_named`, without one for further properties."""
        media_type = min(content, key=lambda one: _kind(one) == "raw")
        kind, name = _kind(media_type), bare(media_type)
        node, schema = content[media_type]
        shape = shape_of(schema) if schema else Shape("any")
        is_form = shape.type == "object" and bool(shape.properties) and shape.more is None and not shape.branches
        if kind == "multipart" and name != _FORM_DATA and not shape.properties:
            kind = "raw"
        if kind in ("form", "multipart") or (kind == "json" and is_form):
            self.body = kind
            if name not in ("application/json", _FORM_DATA) and kind != "form" and "*" not in name:
                self.content_type = name
            self._add_members(node, shape, kind, required=required)
            if shape.properties and not shape.closed and not only_named:
                self._add_rest(shape, kind)
            return
        self.body, self.content_type = "raw", "application/json" if kind == "json" and "*" in name else name
        fields = self._named("body", "body", words or "The body of the request.") | ({"required": True} if required else {})
        if schema and kind == "json":
            entry, _ = self._form.entry(schema, fields)
            entry |= {"style": "json"} | ({"nullable": True} if takes_null(shape) else {})  # a text is sent in quotes
        elif kind == "json" or is_list(name) or is_text(name):
            entry = {"type": "string", "format": "multiline"} | fields
        else:
            types = ", ".join(bare(one) for one in content if is_file(one))
            entry = {"type": "string", "format": "file"} | fields | ({"content_type": types} if types != name else {})
        self.entries.append(entry)

    def _add_members(self, node: Node, shape: Shape, kind: str, *, required: bool) -> None:
        encoding = node.get("encoding")
        for name, schema in shape.properties.items():
            if not fits(name):
                self._omit(schema[0], f"the property {name!r} is left out: its name cannot be shown")
                continue
            inner = shape_of(schema)
            if inner.facts.get("readOnly") is True:
                continue
            words = plain(inner.facts.get("description")) or plain(inner.facts.get("title"), 100) or f"Sent as {short(name)}."
            entry, inner = self._form.entry(schema, self._named(name, "body", words))
            given = encoding.get(name) if encoding is not None else None
            if kind == "json":
                entry |= {"nullable": True} if takes_null(inner) else {}
            else:
                _encode(entry, inner, given.value if given is not None else {}, kind, node.document.version)
            _defaulted(entry, inner, required=required and name in shape.required)
            self.entries.append(entry)
            for header in given.named("headers") if given is not None and kind == "multipart" else ():
                self._add_part_header(name, header)

    def _add_part_header(self, part: str, header: Node) -> None:
        """Add the parameter for a header of a part."""
        if header.key.lower() in RESERVED_HEADERS or not fits(header.key):
            return
        node = header.resolved()
        schema, _ = _schema_of(node)
        words = plain(node.value.get("description")) or f"The header {short(header.key)} of {short(part)}."
        fields = self._named(f"{part} {header.key}", "part", words) | {"wire_name": header.key, "part": part, "role": "option"}
        entry, shape = self._form.entry(schema, fields)
        _on_one_line(entry, "header", "")
        _defaulted(entry, shape, node.flag("required"))
        self.entries.append(entry)

    def _add_rest(self, shape: Shape, kind: str) -> None:
        """The parameter for a body's further properties, or for the whole body."""
        if kind != "json":
            fields = self._named("more_fields", "body", "Fields that the document does not name, as a JSON object.")
            self.entries.append(fields | {"type": "object", "style": "members", "when_empty": "send"})
            return
        null = takes_null(shape)
        words = "JSON for the body: members of an object are sent beside those above."
        if not shape.typed or null:
            words += " Null is the whole body." if shape.typed else " Anything else is the whole body."
        else:
            words = "Members of the body that the document does not name, as a JSON object. It may be a whole body."
        entry = self._named("body_json", "body", words) | {"type": "object" if shape.typed else "any", "style": "members"}
        self.entries.append(entry | ({"nullable": True} if null else {}) | ({"when_empty": "send"} if shape.typed else {}))


def _encode(entry: Entry, shape: Shape, encoding: Any, kind: str, version: str) -> None:
    """Set how a field of a form or a part is sent: as its Encoding Object says, or by its type; a list item by item."""
    given: dict[str, Any] = encoding if isinstance(encoding, dict) else {}
    if not given.keys().isdisjoint(("style", "explode", "allowReserved")):
        style = given.get("style", "form")
        known = _STYLES["query"].get(f"{style}{'*' * (given.get('explode', style == 'form') is True)}")
        if shape.type in _STRUCTURED:
            entry["style"] = known or ("pairs" if shape.type == "object" else "repeat")
        entry |= {"reserved": True} if given.get("allowReserved") is True else {}
        return
    declared = given.get("contentType", "")
    types = [bare(one) for one in declared.split(",")] if isinstance(declared, str) and declared else []
    item = shape_of(shape.items) if shape.type == "array" and shape.items else shape
    replaced: Entry = {}
    if kind == "multipart" and (_is_file(item, version) or (item.type in ("string", "any") and any(map(is_file, types)))):
        file: Entry = {"type": "string", "format": "file"}
        replaced = file if item is shape else {"type": "array", "items": file, "style": "repeat"}
    elif types and item.type in _STRUCTURED and not is_json(types[0]):  # nothing here writes an object as XML
        replaced = {"type": "string", "format": "multiline"}
    elif item.type in _STRUCTURED:
        entry["style"] = "json" if item is shape else "repeat"
        declared = declared or ("application/json" if kind == "multipart" else "")
    elif kind == "form" and types and not is_json(types[0]):
        declared = ""
    if replaced:
        for key in entry.keys() - {"name", "help", "in", "wire_name", "role"}:
            del entry[key]
    entry |= replaced | ({"content_type": declared} if declared else {})


def body_of(operation: Node, parameters: list[Node], consumes: list[Any]) -> tuple[Content, bool, str]:
    """The body of an operation: (the possible bodies, whether it is required, description); empty without a body."""
    body = operation.get("requestBody")
    if body is not None:
        found: Content = {
            child.key: (media, (schema,) if (schema := media.child("schema")) is not None else ())
            for child in body.named("content")
            if isinstance((media := child.resolved()).value, dict) and "/" in child.key
        }
        return found, body.flag("required"), plain(body.value.get("description") if isinstance(body.value, dict) else "")
    types = [one for one in consumes if isinstance(one, str) and "/" in one]
    for node in parameters:
        if node.text("in") == "body":
            schema = node.child("schema")
            whole: Schema = (schema,) if schema is not None else ()
            return (
                dict.fromkeys(types or ["application/json"], (node, whole)),
                node.flag("required"),
                plain(node.value.get("description")),
            )
    fields = [node for node in parameters if node.text("in") == "formData"]
    if not fields:
        return {}, False, ""
    forms = [one for one in types if "form" in one]
    multipart = any(node.text("type") == "file" for node in fields) or (forms and all("multipart" in one for one in forms))
    return {"multipart/form-data" if multipart else "application/x-www-form-urlencoded": _form_of(fields)}, True, ""


def _form_of(fields: list[Node]) -> tuple[Node, Schema]:
    """The form of the ``formData`` parameters of 2.0, as 3.0 would describe it."""
    schema = {
        "type": "object",
        "properties": {node.text("name"): node.value for node in fields},
        "required": [node.text("name") for node in fields if node.flag("required")],
    }
    encoding = {}
    for node in fields:
        if node.text("type") == "array":
            style, explode = _COLLECTIONS.get(node.text("collectionFormat"), ("form", False))
            encoding[node.text("name")] = {"style": style, "explode": explode}
    whole = Node(fields[0].document, {"encoding": encoding}, fields[0], "form")
    return whole, (Node(fields[0].document, schema, fields[0], "form"),)


def _schema_of(node: Node) -> tuple[Schema, bool]:
    """The schema of a parameter, and whether its value is sent as JSON."""
    schema = node.child("schema")
    if schema is not None:
        return (schema,), False
    for child in node.named("content"):
        inner = child.resolved().child("schema")
        return ((inner,) if inner is not None else ()), "json" in child.key
    return (node,), False  # in 2.0, a parameter is its own schema


def _style(node: Node, place: str, shape: Shape) -> str | None:
    """The style in which a list or an object is sent; None for the default style."""
    if shape.type not in _STRUCTURED and not (place == "path" and node.text("style") in ("label", "matrix")):
        return None
    if "schema" not in node.value and "type" in node.value:
        collection = node.text("collectionFormat")
        if collection == "tsv":
            return "tab"
        style, explode = _COLLECTIONS.get(collection, ("form", False))
    else:
        style = node.text("style") or {"query": "form", "cookie": "form"}.get(place, "simple")
        explode = node.value["explode"] is True if "explode" in node.value else style in ("form", "cookie")
    if place in ("path", "header") and style not in ("label", "matrix"):
        style = "simple"
    if place == "header" and shape.type == "array":
        return None
    usual = {"object": "pairs", "array": "repeat"}.get(shape.type) if place == "query" else None
    return _STYLES.get(place, {}).get(style + "*" * explode) or usual


def _on_one_line(entry: Entry, place: str, style: str) -> None:
    """Restrict an entry to values that a path, a header or a cookie can hold."""
    kind = entry["type"]
    if kind in ("any", "one_of") or (kind == "object" and place == "header" and "style" not in entry):
        entry["type"] = "string"
        entry.pop("style", None)
    if kind == "array" and place == "cookie":
        entry["style"] = "repeat" if entry.get("style") == "pairs" and style == "cookie" else "comma"
    if entry["type"] not in ("array", "object") and entry.get("style") not in _LINE_STYLES:
        entry.pop("style", None)
    for key in ("enum", "default"):
        values = entry.get(key)
        texts = values if isinstance(values, list) else [values]
        if place != "path" and any(isinstance(one, str) and not (one.isascii() and one.isprintable()) for one in texts):
            entry.pop(key)
    if place == "path" or entry["type"] != "string":
        entry.pop("when_empty", None)  # an empty segment is another path; an empty list or object would disappear


def _defaulted(entry: Entry, shape: Shape, required: bool) -> None:
    """Mark an entry as required. A required one outside the path gets its default; for optional ones the help names it."""
    default = shape.facts.get("default")
    usable = type(default) in PYTHON_TYPES.get(entry["type"], ()) and (not isinstance(default, str) or fits(default))
    if usable and "enum" in entry:
        usable = str(default) in entry["enum"]
    if required and usable and entry["in"] != "path":
        entry["default"] = default
    elif required:
        entry["required"] = True
    elif usable and "efault" not in entry["help"]:
        shown = {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default)
        if shown and len(shown) <= 40:
            entry["help"] = f"{entry['help'].rstrip('.')}. Default: {shown}."


def _is_file(shape: Shape, version: str) -> bool:
    """Whether a part is a file: binary, or since 3.1, of no declared type."""
    media = shape.facts.get("contentMediaType")
    is_binary = shape.facts.get("format") == "binary" or (isinstance(media, str) and not is_json(media))
    return shape.type == "file" or (shape.type == "string" and is_binary) or (shape.type == "any" and version >= "3.1")


def _kind(media_type: str) -> str:
    name = bare(media_type)
    return "json" if is_json(name) else "multipart" if name.startswith("multipart/") else _BODIES.get(name, "raw")


def _first_text(node: Node) -> str:
    """The value that a header parameter always has: its default, or its first choice."""
    facts = {**node.value, **node.object("schema")}
    enum = facts.get("enum")
    found = facts.get("default") or (enum[0] if isinstance(enum, list) and enum else "")
    return found if isinstance(found, str) and found.isascii() and found.isprintable() else ""
